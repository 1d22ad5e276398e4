// What is counted against peers: payload that is kept for nothing yet, and equivocators' further
// blocks; and which blocks are kept by their header alone.
#include <gtest/gtest.h>

#include "bookkeeping.hpp"
#include "header_only.hpp"
#include "kept_payload.hpp"
#include "thresher/core/assert.hpp"
#include "twins.hpp"

namespace thresher::dag {
namespace {

const auto up_to = [](std::uint64_t highest) {
  return [highest](Round round) { return round.value <= highest; };
};

TEST(KeptPayload, CountsWhatWaits) {
  KeptPayload kept(*Committee::of(4));
  const BlockPtr one = block(1, 5, 100);
  const BlockPtr other = block(1, 6, 30);
  kept.begins_to_wait(*one);
  kept.begins_to_wait(*other);
  EXPECT_EQ(kept.waiting(node(1)), 2u);
  EXPECT_EQ(kept.bytes(node(1)), 130u);
  EXPECT_EQ(kept.bytes(node(2)), 0u);
  kept.waits_no_more(*one);
  EXPECT_EQ(kept.waiting(node(1)), 1u);
  EXPECT_EQ(kept.bytes(node(1)), 30u);
}

TEST(KeptPayload, DoesNotCountWhatWasDropped) {
  KeptPayload kept(*Committee::of(4));
  kept.begins_to_wait(*block(1, 5, 100));
  kept.dropped(node(1), 100);
  EXPECT_EQ(kept.bytes(node(1)), 0u);
  EXPECT_EQ(kept.waiting(node(1)), 1u);
  kept.came(node(1), 100);
  EXPECT_EQ(kept.bytes(node(1)), 100u);
}

TEST(KeptPayload, CountsAFarBlockUntilItIsNear) {
  KeptPayload kept(*Committee::of(4));
  for (const std::uint64_t round : {7u, 9u}) {
    const BlockPtr far = block(1, round, 10 * round);
    kept.begins_to_wait(*far);
    kept.waits_no_more(*far);
    kept.counts_until_near(*far);
  }
  EXPECT_EQ(kept.waiting(node(1)), 0u);
  EXPECT_EQ(kept.bytes(node(1)), 160u);
  kept.near(up_to(8));
  EXPECT_EQ(kept.bytes(node(1)), 90u);
  kept.near(up_to(9));
  EXPECT_EQ(kept.bytes(node(1)), 0u);
}

TEST(HeaderOnly, IsTakenWhenItIsNear) {
  HeaderOnly lean;
  for (const std::uint64_t round : {9u, 7u, 8u}) {
    lean.add(edge(1, round));
    lean.wait_till_near(edge(1, round));
  }
  std::vector<Edge> ready;
  lean.take_near(up_to(8), ready);
  EXPECT_EQ(ready, (std::vector<Edge>{edge(1, 7), edge(1, 8)}));
  lean.take_near(up_to(8), ready);
  EXPECT_EQ(ready.size(), 2u);
  EXPECT_TRUE(lean.contains(edge(1, 7)));  // its payload has to come yet
  lean.complete(edge(1, 7));
  EXPECT_FALSE(lean.contains(edge(1, 7)));
}

TEST(HeaderOnly, IsHeldBackUntilSomebodyPaysOrItIsForgotten) {
  HeaderOnly lean;
  for (const std::uint8_t salt : {std::uint8_t{1}, std::uint8_t{2}}) {
    lean.add(edge(1, 4, salt));
    lean.hold_back(edge(1, 4, salt));
  }
  EXPECT_EQ(lean.held_back().size(), 2u);
  lean.release(edge(1, 4, 1));
  EXPECT_EQ(lean.held_back(), std::set{edge(1, 4, 2)});
  EXPECT_TRUE(lean.contains(edge(1, 4, 1)));
  EXPECT_TRUE(lean.forget(edge(1, 4, 2)));
  EXPECT_TRUE(lean.held_back().empty());
  EXPECT_FALSE(lean.forget(edge(1, 4, 2)));
}

TEST(Twins, AreOnTheAccountOfWhomTheyAreHeldFor) {
  Twins twins(*Committee::of(4));
  const BlockPtr twin = block(3, 5, 100);
  EXPECT_EQ(twins.payer(twin->edge()), std::nullopt);
  EXPECT_FALSE(twins.uncharged(twin->edge()));
  twins.hold(twin->edge(), node(1));
  EXPECT_EQ(twins.payer(twin->edge()), node(1));
  EXPECT_TRUE(twins.uncharged(twin->edge()));
  EXPECT_EQ(twins.held_for(node(1)), 1u);
  EXPECT_THROW(twins.hold(twin->edge(), node(2)), InvariantBroken);
}

// Who needs the block pays for a place, and for its payload whoever has room.
TEST(Twins, GiveBackWhatTheyWereChargedFor) {
  Twins twins(*Committee::of(4));
  const BlockPtr twin = block(3, 5, 100);
  twins.hold(twin->edge(), node(1));
  twins.charge(twin->edge(), node(2), 100);
  EXPECT_FALSE(twins.uncharged(twin->edge()));
  EXPECT_EQ(twins.bytes_of(node(2)), 100u);
  EXPECT_EQ(twins.bytes_of(node(1)), 0u);
  EXPECT_THROW(twins.charge(twin->edge(), node(1), 100), InvariantBroken);
  twins.forget(*twin);
  EXPECT_EQ(twins.held_for(node(1)), 0u);
  EXPECT_EQ(twins.bytes_of(node(2)), 0u);
  twins.forget(*twin);  // a first block, as far as anybody knows
  EXPECT_EQ(twins.held_for(node(1)), 0u);
}

}  // namespace
}  // namespace thresher::dag
