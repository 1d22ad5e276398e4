#include "thresher/coding/merkle.hpp"

#include <algorithm>
#include <bit>

#include "thresher/core/assert.hpp"

namespace thresher::coding {

std::array<std::byte, kMerkleParentBytes> merkle_parent_bytes(const Digest& left,
                                                              const Digest& right) {
  std::array<std::byte, kMerkleParentBytes> bytes{std::byte{1}};
  std::ranges::copy(left.bytes, bytes.begin() + 1);
  std::ranges::copy(right.bytes, bytes.begin() + 33);
  return bytes;
}

Digest merkle_parent(const Digest& left, const Digest& right, HashFunction hash) {
  return hash(merkle_parent_bytes(left, right));
}

Digest merkle_leaf(ByteView bytes, HashFunction hash) {
  std::vector<std::byte> prefixed(bytes.size() + 1);
  std::ranges::copy(bytes, prefixed.begin() + 1);
  return hash(prefixed);
}

MerkleTree::MerkleTree(std::vector<Digest> leaf_hashes, HashFunction hash) : hash_(hash) {
  levels_.push_back(std::move(leaf_hashes));
  // A lonely last node is carried up unchanged: the same tree as RFC 6962's recursive definition.
  while (levels_.back().size() > 1) {
    const std::vector<Digest>& below = levels_.back();
    std::vector<Digest> level;
    for (std::size_t i = 0; i < below.size(); i += 2) {
      level.push_back(i + 1 < below.size() ? merkle_parent(below[i], below[i + 1], hash_)
                                           : below[i]);
    }
    levels_.push_back(std::move(level));
  }
}

Digest MerkleTree::root() const {
  return levels_.back().empty() ? hash_({}) : levels_.back().front();
}

std::vector<Digest> MerkleTree::inclusion(std::uint64_t index) const {
  THRESHER_ASSERT(index < size(), "a leaf is one of the tree");
  std::vector<Digest> proof;
  for (const std::vector<Digest>& level : levels_) {
    if ((index ^ 1) < level.size()) proof.push_back(level[index ^ 1]);
    index >>= 1;
  }
  return proof;
}

// RFC 6962's recursion without recursion: the part of the tree in which the old one ends is halved
// until the old tree is a node of it. Halves come from the outermost to the innermost.
std::vector<Digest> MerkleTree::consistency(std::uint64_t old_size) const {
  THRESHER_ASSERT(old_size >= 1 && old_size <= size(), "the older tree is a part of this one");
  std::vector<Digest> proof;
  std::uint64_t from = 0, to = size();
  const auto node = [&](std::uint64_t begin, std::uint64_t end) {
    const auto level = static_cast<std::size_t>(std::bit_width(end - begin - 1));
    return levels_[level][begin >> level];
  };
  while (old_size != to) {
    const std::uint64_t middle = from + std::bit_floor(to - from - 1);
    if (old_size <= middle) {
      proof.push_back(node(middle, to));
      to = middle;
    } else {
      proof.push_back(node(from, middle));
      from = middle;
    }
  }
  // The verifier knows the old tree itself, but not a part of it.
  if (from != 0) proof.push_back(node(from, to));
  std::reverse(proof.begin(), proof.end());
  return proof;
}

bool merkle_included(const Digest& leaf_hash, std::uint64_t index, std::uint64_t size,
                     std::span<const Digest> proof, const Digest& root, HashFunction hash) {
  if (index >= size) return false;
  Digest at = leaf_hash;
  std::uint64_t node = index, last = size - 1;
  for (const Digest& sibling : proof) {
    if (last == 0) return false;
    if ((node & 1) != 0 || node == last) {
      at = merkle_parent(sibling, at, hash);
      const int lonely = std::countr_zero(node);
      node >>= lonely;
      last >>= lonely;
    } else {
      at = merkle_parent(at, sibling, hash);
    }
    node >>= 1;
    last >>= 1;
  }
  return last == 0 && at == root;
}

bool merkle_consistent(std::uint64_t old_size, const Digest& old_root, std::uint64_t new_size,
                       const Digest& new_root, std::span<const Digest> proof, HashFunction hash) {
  if (old_size == new_size) return proof.empty() && old_root == new_root;
  if (old_size == 0 || old_size > new_size) return false;
  // A full old tree is a node of the new one, and the proof leaves its hash out.
  const bool full = std::has_single_bit(old_size);
  if (!full && proof.empty()) return false;
  std::uint64_t node = old_size - 1, last = new_size - 1;
  const int shared = std::countr_one(node);
  node >>= shared;
  last >>= shared;
  Digest old_at = full ? old_root : proof.front();
  Digest new_at = old_at;
  for (const Digest& sibling : proof.subspan(full ? 0 : 1)) {
    if (last == 0) return false;
    if ((node & 1) != 0 || node == last) {
      old_at = merkle_parent(sibling, old_at, hash);
      new_at = merkle_parent(sibling, new_at, hash);
      const int lonely = node == 0 ? 0 : std::countr_zero(node);
      node >>= lonely;
      last >>= lonely;
    } else {
      new_at = merkle_parent(new_at, sibling, hash);
    }
    node >>= 1;
    last >>= 1;
  }
  return last == 0 && old_at == old_root && new_at == new_root;
}

}  // namespace thresher::coding
