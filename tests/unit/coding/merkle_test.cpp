#include "thresher/coding/merkle.hpp"

#include <gtest/gtest.h>

#include <string>

namespace thresher::coding {
namespace {

std::vector<Digest> leaves(std::size_t count) {
  std::vector<Digest> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(merkle_leaf(as_view(std::to_string(i))));
  return out;
}

TEST(Merkle, EveryLeafOfEveryTreeUpTo70HasAProofThatFitsItsPlaceOnly) {
  for (std::size_t size = 1; size <= 70; ++size) {
    const auto hashes = leaves(size);
    const MerkleTree tree(hashes);
    for (std::size_t i = 0; i < size; ++i) {
      auto proof = tree.inclusion(i);
      EXPECT_TRUE(merkle_included(hashes[i], i, size, proof, tree.root())) << size << ' ' << i;
      EXPECT_FALSE(merkle_included(hashes[i], (i + 1) % (size + 1), size, proof, tree.root()));
      EXPECT_FALSE(merkle_included(merkle_leaf({}), i, size, proof, tree.root()));
      EXPECT_FALSE(merkle_included(hashes[i], i, size, proof, merkle_leaf({})));
      proof.push_back(Digest{});
      EXPECT_FALSE(merkle_included(hashes[i], i, size, proof, tree.root())) << "longer proof";
      proof.pop_back();
      if (proof.empty()) continue;
      proof.pop_back();
      EXPECT_FALSE(merkle_included(hashes[i], i, size, proof, tree.root())) << "shorter proof";
    }
  }
}

TEST(Merkle, EveryTreeUpTo70IsShownToExtendEveryOneBefore) {
  const auto hashes = leaves(71);
  const auto tree_of = [&](std::size_t size) {
    return MerkleTree({hashes.begin(), hashes.begin() + static_cast<std::ptrdiff_t>(size)});
  };
  for (std::size_t size = 1; size <= 70; ++size) {
    const MerkleTree tree = tree_of(size);
    for (std::size_t old_size = 1; old_size <= size; ++old_size) {
      const Digest old_root = tree_of(old_size).root();
      auto proof = tree.consistency(old_size);
      EXPECT_TRUE(merkle_consistent(old_size, old_root, size, tree.root(), proof))
          << old_size << " of " << size;
      EXPECT_FALSE(merkle_consistent(old_size, hashes[70], size, tree.root(), proof));
      EXPECT_FALSE(merkle_consistent(old_size, old_root, size, hashes[70], proof));
      proof.push_back(Digest{});
      EXPECT_FALSE(merkle_consistent(old_size, old_root, size, tree.root(), proof));
    }
  }
}

TEST(Merkle, AnEmptyTreeIsTheHashOfNothingAndHoldsNothing) {
  const MerkleTree tree({});
  EXPECT_EQ(tree.root(), hash({}));
  EXPECT_FALSE(merkle_included(hash({}), 0, 0, {}, tree.root()));
}

TEST(Merkle, AnInnerNodeDoesNotPassForALeaf) {
  const auto hashes = leaves(2);
  std::vector<std::byte> both;
  for (const Digest& d : hashes) both.insert(both.end(), d.bytes.begin(), d.bytes.end());
  EXPECT_NE(merkle_leaf(both), MerkleTree(hashes).root());
}

TEST(Merkle, ATreeOfAPowerOfTwoIsExtendedByItsSiblings) {
  const auto hashes = leaves(7);
  const MerkleTree old_tree({hashes.begin(), hashes.begin() + 4}), tree(hashes);
  const std::vector<Digest> proof{MerkleTree({hashes.begin() + 4, hashes.end()}).root()};
  EXPECT_TRUE(merkle_consistent(4, old_tree.root(), 7, tree.root(), proof));
  EXPECT_FALSE(merkle_consistent(5, old_tree.root(), 7, tree.root(), proof));
  EXPECT_FALSE(merkle_consistent(4, tree.root(), 7, tree.root(), proof));
  EXPECT_FALSE(merkle_consistent(7, tree.root(), 4, old_tree.root(), proof));
  EXPECT_FALSE(merkle_consistent(0, hash({}), 7, tree.root(), proof));
}

}  // namespace
}  // namespace thresher::coding
