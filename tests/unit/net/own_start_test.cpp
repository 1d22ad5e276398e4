// What makes a start stop because its key runs, or ran, elsewhere.
#include "node/own_start.hpp"

#include <gtest/gtest.h>

namespace thresher::net {
namespace {

constexpr NodeId kPeers[] = {NodeId{1}, NodeId{2}, NodeId{3}};

/// A node of four, and other processes with its key.
struct Key {
  crypto::SigningKey key = crypto::SigningKey::generate();
  Digest chain = hash(Writer().u64(1).view());
  OwnStart own{*Committee::of(4), key, chain};

  Incarnation connects(std::uint64_t count) const {
    return signed_incarnation(key, chain, {count, random_nonce(), {}});
  }
  Incarnation signs(std::uint64_t count) const {
    return started_incarnation(key, chain, {count, random_nonce(), {}});
  }
  void begin(std::uint64_t count, std::uint64_t signed_before = 0) {
    own.begin({count, random_nonce(), {}}, {signed_before, random_nonce(), {}});
  }
};

TEST(OwnStart, IsIntroducedUnderItsKeyAndSaysOnceThatItSigns) {
  Key node;
  node.begin(4);
  EXPECT_TRUE(signed_with(node.key.public_key(), node.chain, node.own.incarnation()));
  EXPECT_FALSE(node.own.said());
  const Incarnation said = node.own.sign();
  EXPECT_TRUE(started_with(node.key.public_key(), node.chain, said));
  EXPECT_TRUE(said.same_start(node.own.incarnation()));
  EXPECT_TRUE(node.own.said());
}

TEST(OwnStart, IsOutdoneByALaterStartThatSigned) {
  Key node;
  node.begin(4, 2);
  EXPECT_TRUE(node.own.outdone_by(node.signs(9)));
  EXPECT_FALSE(node.own.outdone_by(node.signs(1)));
  // An old copy counts on from where it was: peers heard of a start with this count, or the one
  // before it, that this folder knows nothing of.
  EXPECT_TRUE(node.own.outdone_by(node.signs(3)));
  node.own.sign();
  EXPECT_FALSE(node.own.outdone_by(node.signs(3)));  // it is over, and this one signs
  EXPECT_TRUE(node.own.outdone_by(node.signs(4)));
  EXPECT_FALSE(node.own.outdone_by(*node.own.said()));
}

// What a start says when it connects proves nothing: it may have ended before it signed.
TEST(OwnStart, IsOutdoneByNothingElse) {
  Key node;
  node.begin(4, 2);
  EXPECT_FALSE(node.own.outdone_by(node.connects(9)));
  const Key other;
  EXPECT_FALSE(node.own.outdone_by(other.signs(9)));
  Incarnation forged = node.signs(3);
  forged.count = 9;
  EXPECT_FALSE(node.own.outdone_by(forged));
}

TEST(OwnStart, AnotherProcessIsCertainByItsCountOrByTheWordOfEnough) {
  Key node;
  node.begin(4);
  using Other = OwnStart::Other;
  EXPECT_EQ(node.own.other_process(kPeers[0], Key().connects(9)), Other::kForged);
  EXPECT_EQ(node.own.other_process(kPeers[0], node.own.incarnation()), Other::kItself);
  EXPECT_EQ(node.own.other_process(kPeers[0], node.connects(2)), Other::kDoubtful);
  EXPECT_EQ(node.own.other_process(kPeers[0], node.connects(2)), Other::kDoubtful);
  EXPECT_EQ(node.own.other_process(kPeers[1], node.connects(2)), Other::kCertain);
  Key later;
  later.begin(4);
  EXPECT_EQ(later.own.other_process(kPeers[2], later.connects(4)), Other::kCertain);
}

TEST(OwnStart, OfAnObserverIsOfNoCount) {
  Key node;
  node.own.begin_observing();
  EXPECT_EQ(node.own.incarnation().count, 0u);
  EXPECT_TRUE(signed_with(node.key.public_key(), node.chain, node.own.incarnation()));
}

}  // namespace
}  // namespace thresher::net
