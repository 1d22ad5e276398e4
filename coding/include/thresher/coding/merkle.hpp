// Merkle trees as RFC 6962 defines them: one root for many shards, and a short proof for each.
//
//   MerkleTree tree(leaf_hashes);                       // leaf_hashes[i] = merkle_leaf(shard i)
//   auto proof = tree.inclusion(3);
//   bool ok = merkle_included(merkle_leaf(shard), 3, tree.size(), proof, tree.root());
//
// The hash is a parameter: the core's own where nothing is said, SHA-256 (crypto/sha256.hpp) for
// trees that others than us read. All calls for one tree need the same one.
// Guarantees: leaves and inner nodes are hashed under different prefixes, so that neither passes
// for the other; a proof of the wrong length is refused. Does not know who made the tree, and has
// not been audited.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "thresher/core/hash.hpp"

namespace thresher::coding {

/// A collision-resistant hash of 32 bytes.
using HashFunction = Digest (*)(ByteView);

/// The hash of 0x00 and the leaf's bytes (RFC 6962, 2.1).
Digest merkle_leaf(ByteView bytes, HashFunction hash = &thresher::hash);
/// What merkle_parent() hashes: 0x01 and the hashes of the two parts.
inline constexpr std::size_t kMerkleParentBytes = 1 + 2 * sizeof(Digest::bytes);
std::array<std::byte, kMerkleParentBytes> merkle_parent_bytes(const Digest& left,
                                                              const Digest& right);
/// The hash of 0x01 and the hashes of its two parts.
Digest merkle_parent(const Digest& left, const Digest& right, HashFunction hash = &thresher::hash);

/// All the hashes of one tree, twice the size of its leaves.
class MerkleTree {
 public:
  explicit MerkleTree(std::vector<Digest> leaf_hashes, HashFunction hash = &thresher::hash);

  std::uint64_t size() const { return levels_.front().size(); }
  /// The root; the hash of nothing for an empty tree.
  Digest root() const;
  /// The audit path of leaf `index` (RFC 6962, 2.1.1), nearest sibling first. Pre: index < size().
  std::vector<Digest> inclusion(std::uint64_t index) const;
  /// That this tree extends the one of its first `old_size` leaves (RFC 6962, 2.1.2). Pre: 1 <=
  /// old_size <= size().
  std::vector<Digest> consistency(std::uint64_t old_size) const;

 private:
  HashFunction hash_;
  std::vector<std::vector<Digest>> levels_;  // from the leaves to the root
};

/// Whether `proof` shows that `leaf_hash` is leaf `index` of the tree of `size` leaves with `root`.
bool merkle_included(const Digest& leaf_hash, std::uint64_t index, std::uint64_t size,
                     std::span<const Digest> proof, const Digest& root,
                     HashFunction hash = &thresher::hash);

/// Whether `proof` shows that the tree `new_root` extends the tree `old_root` (RFC 6962, 2.1.2;
/// the check is RFC 9162, 2.1.4.2). Nothing is shown about an empty old tree: refused, unless both
/// are empty.
bool merkle_consistent(std::uint64_t old_size, const Digest& old_root, std::uint64_t new_size,
                       const Digest& new_root, std::span<const Digest> proof,
                       HashFunction hash = &thresher::hash);

}  // namespace thresher::coding
