// What is counted of each peer: what it sent, and what it was given.
#include <gtest/gtest.h>

#include "arrivals.hpp"
#include "bookkeeping.hpp"
#include "given_chains.hpp"

namespace thresher::dag {
namespace {

Limits small() {
  Limits limits;
  limits.waiting_per_peer = 2;
  limits.waiting_bytes_per_peer = 100;
  return limits;
}

TEST(Arrivals, WaitInPlacesAndBytesOfTheirSenderAlone) {
  Arrivals arrivals(*Committee::of(4), small());
  arrivals.block_waits(node(1), 30);
  EXPECT_TRUE(arrivals.room_for_block(node(1)));
  arrivals.block_waits(node(1), 0);
  EXPECT_FALSE(arrivals.room_for_block(node(1)));  // no place
  arrivals.block_waits(node(2), 100);
  EXPECT_FALSE(arrivals.room_for_block(node(2)));  // no bytes
  EXPECT_TRUE(arrivals.room_for_block(node(3)));
  arrivals.block_judged(node(1), 30);
  arrivals.block_judged(node(2), 100);
  EXPECT_TRUE(arrivals.room_for_block(node(1)));
  EXPECT_TRUE(arrivals.room_for_block(node(2)));
}

TEST(Arrivals, AreAsManyProofsAsThereCanBeCulprits) {
  Arrivals arrivals(*Committee::of(4), small());
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(arrivals.room_for_proof(node(1)));
    arrivals.proof_waits(node(1));
  }
  EXPECT_FALSE(arrivals.room_for_proof(node(1)));
  arrivals.proof_judged(node(1));
  EXPECT_TRUE(arrivals.room_for_proof(node(1)));
}

TEST(Arrivals, OfWhoMisledOnceAreNotTakenUnasked) {
  Arrivals arrivals(*Committee::of(4), small());
  EXPECT_FALSE(arrivals.misleads(node(1)));
  arrivals.mislead(node(1));
  EXPECT_TRUE(arrivals.misleads(node(1)));
  EXPECT_FALSE(arrivals.room_for_proof(node(1)));
  EXPECT_TRUE(arrivals.room_for_block(node(1)));  // its own blocks are
}

TEST(GivenChains, GrowWhileSomebodyAsksOnFromThere) {
  GivenChains given(*Committee::of(4));
  const BlockPtr asked = block(2, 90);
  EXPECT_EQ(given.begins(node(1), *asked, false, 50).blocks, GivenChains::kFirst);
  given.reached(node(1), node(2), edge(2, 74).digest);
  const BlockPtr below = block(2, 74);
  const auto on = given.begins(node(1), *below, false, 50);
  EXPECT_TRUE(on.goes_on);
  EXPECT_EQ(on.blocks, 32u);
  EXPECT_EQ(given.begins(node(1), *below, false, 50).blocks, 50u);
  EXPECT_FALSE(given.begins(node(3), *below, false, 50).goes_on);
}

TEST(GivenChains, AreWholeForWhoIsBehindAndBeginAnewElsewhere) {
  GivenChains given(*Committee::of(4));
  EXPECT_EQ(given.begins(node(1), *block(2, 90), true, 50).blocks, 50u);
  given.reached(node(1), node(2), edge(2, 40, 7).digest);
  const auto elsewhere = given.begins(node(1), *block(2, 90), false, 50);
  EXPECT_FALSE(elsewhere.goes_on);
  EXPECT_EQ(elsewhere.blocks, GivenChains::kFirst);
}

}  // namespace
}  // namespace thresher::dag
