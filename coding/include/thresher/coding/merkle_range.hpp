// A Merkle mountain range: the Merkle tree of merkle.hpp over a list that only grows, kept as the
// roots of its full parts.
//
//   MerkleRange range;
//   range.append(merkle_leaf(entry), [&](const MerkleNode& node) { store(node); });
//   Digest root = range.root();  // the root that MerkleTree has for the list
//   auto path = merkle_path(index, range.size(), [&](MerklePlace place) { return load(place); });
//   bool ok = merkle_included(leaf, index, range.size(), path, root);
//
// Guarantees: after every append, root() is that of MerkleTree(all leaves), so one checker
// (merkle_included) serves both. Holds one hash for each bit of size() that is set, 64 at most, and
// can be made again from them. A leaf costs one inner hash on average. Full parts never change once
// append() told them: who stores them can make a path for any size up to the newest.
// Source: the peaks of Todd's Merkle mountain ranges (OpenTimestamps, 2012), joined from the right,
// are the recursion of RFC 6962, 2.1.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "thresher/coding/merkle.hpp"

namespace thresher::coding {

/// A full part of the tree: the leaves from `index << level` on, `1 << level` of them.
struct MerklePlace {
  std::uint32_t level = 0;  ///< 0: a leaf
  std::uint64_t index = 0;  ///< from the left, among those of its level
  friend auto operator<=>(const MerklePlace&, const MerklePlace&) = default;
};
struct MerkleNode {
  MerklePlace place;
  Digest hash{};
};

/// Hashes many messages at once: out[i] is the hash of messages[i].
using HashMany = std::function<void(std::span<const ByteView> messages, std::span<Digest> out)>;

class MerkleRange {
 public:
  explicit MerkleRange(HashFunction hash = &thresher::hash) : hash_(hash) {}
  /// The range with these peaks, left to right; empty when a list of `size` leaves has another
  /// number of them.
  static std::optional<MerkleRange> restore(std::uint64_t size, std::vector<Digest> peaks,
                                            HashFunction hash = &thresher::hash);

  /// Adds the hash of one leaf. `completed` gets each full part that it completes, the leaf first.
  template <class F>
  void append(const Digest& leaf_hash, F completed) {
    MerkleNode node{{0, size_}, leaf_hash};
    completed(node);
    for (std::uint64_t left = size_; (left & 1) != 0; left >>= 1) {
      node = {{node.place.level + 1, node.place.index >> 1},
              merkle_parent(peaks_.back(), node.hash, hash_)};
      peaks_.pop_back();
      completed(node);
    }
    peaks_.push_back(node.hash);
    ++size_;
  }
  void append(const Digest& leaf_hash) {
    append(leaf_hash, [](const MerkleNode&) {});
  }
  /// The same for many leaves in their order, a level of the tree at a time; `hash_many` computes
  /// the range's own hash. `completed` gets the parts of each level in their order, the leaves
  /// first.
  void append_all(std::vector<Digest> leaf_hashes, const HashMany& hash_many,
                  const std::function<void(const MerkleNode&)>& completed);
  std::uint64_t size() const { return size_; }
  /// The hash of nothing for an empty range.
  Digest root() const;
  /// Hashes of the full parts, from the largest to the smallest.
  const std::vector<Digest>& peaks() const { return peaks_; }

 private:
  HashFunction hash_;
  std::uint64_t size_ = 0;
  std::vector<Digest> peaks_;
};

/// The hash of a full part that append() told.
using MerkleSource = std::function<Digest(MerklePlace)>;

/// The hash of the leaves from `begin` up to `end` as the tree of `end` leaves or more has it. Pre:
/// begin < end, and they are a part of such a tree: `begin` is a multiple of the least power of two
/// that is not below end - begin.
Digest merkle_part(std::uint64_t begin, std::uint64_t end, const MerkleSource& full,
                   HashFunction hash = &thresher::hash);

/// Where the tree of the leaves from `begin` up to `end` is divided (RFC 6962, 2.1): behind the
/// largest power of two below their number. Pre: two leaves at least.
std::uint64_t merkle_middle(std::uint64_t begin, std::uint64_t end);

/// The audit path of leaf `index` in the tree of the first `size` leaves, nearest sibling first.
/// Pre: index < size; `full` knows every full part of that tree. Asks for no more than 64 parts for
/// each sibling, and for those outside the path alone.
std::vector<Digest> merkle_path(std::uint64_t index, std::uint64_t size, const MerkleSource& full,
                                HashFunction hash = &thresher::hash);

}  // namespace thresher::coding
