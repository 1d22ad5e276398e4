#include "thresher/coding/merkle_range.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>

namespace thresher::coding {
namespace {

Digest leaf(std::uint64_t i) {
  return merkle_leaf(as_view("entry " + std::to_string(i)));
}

/// Leaves 0 to size - 1, with every full part that append() told.
struct Stored {
  MerkleRange range;
  std::map<MerklePlace, Digest> full;

  explicit Stored(std::uint64_t size) {
    for (std::uint64_t i = 0; i < size; ++i)
      range.append(leaf(i), [&](const MerkleNode& node) {
        EXPECT_TRUE(full.emplace(node.place, node.hash).second) << "a part is told once";
      });
  }
  MerkleSource source() const {
    return [this](MerklePlace place) { return full.at(place); };
  }
};

MerkleTree tree_of(std::uint64_t size) {
  std::vector<Digest> leaves;
  for (std::uint64_t i = 0; i < size; ++i) leaves.push_back(leaf(i));
  return MerkleTree(std::move(leaves));
}

// The reference is MerkleTree, which keeps all hashes and is held to the vectors of RFC 6962.
TEST(MerkleRange, HasTheRootOfTheWholeTreeAfterEveryLeaf) {
  MerkleRange range;
  EXPECT_EQ(range.root(), tree_of(0).root());
  for (std::uint64_t size = 1; size <= 300; ++size) {
    range.append(leaf(size - 1));
    ASSERT_EQ(range.size(), size);
    ASSERT_EQ(range.root(), tree_of(size).root()) << size;
  }
}

TEST(MerkleRange, EveryPathOfEverySizeUpTo70IsThatOfTheWholeTree) {
  const Stored stored(70);
  for (std::uint64_t size = 1; size <= 70; ++size) {
    const MerkleTree tree = tree_of(size);
    for (std::uint64_t i = 0; i < size; ++i)
      ASSERT_EQ(merkle_path(i, size, stored.source()), tree.inclusion(i)) << size << ' ' << i;
  }
}

TEST(MerkleRange, APeakThatIsNotThereOrTooManyAreRefused) {
  const Stored stored(13);
  std::vector<Digest> peaks = stored.range.peaks();
  ASSERT_EQ(peaks.size(), 3u);
  EXPECT_TRUE(MerkleRange::restore(13, peaks));
  EXPECT_FALSE(MerkleRange::restore(12, peaks));
  EXPECT_FALSE(MerkleRange::restore(15, peaks));
  peaks.pop_back();
  EXPECT_FALSE(MerkleRange::restore(13, peaks));
  EXPECT_TRUE(MerkleRange::restore(0, {}));
}

TEST(MerkleRange, AnotherHashGivesAnotherTree) {
  const HashFunction other = [](ByteView bytes) { return hash(hash(bytes).bytes); };
  MerkleRange plain, odd(other);
  for (std::uint64_t i = 0; i < 5; ++i) {
    plain.append(leaf(i));
    odd.append(leaf(i));
  }
  EXPECT_NE(plain.root(), odd.root());
  std::vector<Digest> leaves;
  for (std::uint64_t i = 0; i < 5; ++i) leaves.push_back(leaf(i));
  EXPECT_EQ(odd.root(), MerkleTree(leaves, other).root());
}

// A node stops anywhere, comes back with the peaks alone, and goes on; later it proves a leaf
// against a size that lies behind it.
RC_GTEST_PROP(MerkleRange, RestoredFromItsPeaksItGoesOnAsIfItHadNotStopped, ()) {
  const auto before = *rc::gen::inRange<std::uint64_t>(0, 600);
  const auto after = *rc::gen::inRange<std::uint64_t>(1, 600);
  const std::uint64_t size = before + after;
  Stored stored(before);
  auto again = MerkleRange::restore(before, stored.range.peaks());
  RC_ASSERT(again.has_value());
  for (std::uint64_t i = before; i < size; ++i)
    again->append(leaf(i), [&](const MerkleNode& n) { stored.full.emplace(n.place, n.hash); });
  RC_ASSERT(again->root() == tree_of(size).root());
  const auto proven = *rc::gen::inRange<std::uint64_t>(1, size + 1);
  const auto index = *rc::gen::inRange<std::uint64_t>(0, proven);
  const auto path = merkle_path(index, proven, stored.source());
  const Digest root = merkle_part(0, proven, stored.source());
  RC_ASSERT(root == tree_of(proven).root());
  RC_ASSERT(merkle_included(leaf(index), index, proven, path, root));
  RC_ASSERT(!merkle_included(leaf(index + 1), index, proven, path, root));
}

// Any cut of the list into batches gives the same range and the same parts.
RC_GTEST_PROP(MerkleRange, ManyLeavesAtOnceAreThoseOneByOne, ()) {
  const auto batches =
      *rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(0, 90));
  const HashMany many = [](std::span<const ByteView> messages, std::span<Digest> out) {
    for (std::size_t i = 0; i < messages.size(); ++i) out[i] = hash(messages[i]);
  };
  MerkleRange range;
  std::map<MerklePlace, Digest> full;
  std::uint64_t size = 0;
  for (const std::uint64_t batch : batches) {
    std::vector<Digest> leaves;
    for (std::uint64_t i = 0; i < batch; ++i) leaves.push_back(leaf(size++));
    range.append_all(std::move(leaves), many, [&](const MerkleNode& node) {
      RC_ASSERT(full.emplace(node.place, node.hash).second);
    });
  }
  const Stored one_by_one(size);
  RC_ASSERT(range.size() == size);
  RC_ASSERT(range.peaks() == one_by_one.range.peaks());
  RC_ASSERT(full == one_by_one.full);
}

// A search for the first leaf that differs walks down by these halves.
RC_GTEST_PROP(MerkleRange, TheHalvesOfAPartHashToIt, ()) {
  const auto size = *rc::gen::inRange<std::uint64_t>(2, 500);
  const Stored stored(size);
  std::uint64_t begin = 0, end = size;
  while (end - begin > 1) {
    const std::uint64_t middle = merkle_middle(begin, end);
    RC_ASSERT(begin < middle && middle < end);
    RC_ASSERT(merkle_part(begin, end, stored.source()) ==
              merkle_parent(merkle_part(begin, middle, stored.source()),
                            merkle_part(middle, end, stored.source())));
    (*rc::gen::arbitrary<bool>() ? begin : end) = middle;
  }
}

}  // namespace
}  // namespace thresher::coding
