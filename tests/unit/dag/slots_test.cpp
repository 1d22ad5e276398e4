// Slots are decided in order, each once.
#include "slots.hpp"

#include <gtest/gtest.h>

#include "bookkeeping.hpp"
#include "thresher/core/assert.hpp"

namespace thresher::dag {
namespace {

NodeSet everybody() {
  NodeSet out(4);
  for (std::uint64_t i = 0; i < 4; ++i) out.insert(node(i));
  return out;
}

TEST(Slots, AreDecidedInOrder) {
  Slots slots(*Committee::of(4), Rules::thresher());
  EXPECT_EQ(slots.next(), Round{1});
  slots.skip(Round{1});
  EXPECT_EQ(slots.last_commit(), Round{0});
  EXPECT_EQ(slots.commit(Round{2}, everybody()).before, Round{0});
  slots.skip(Round{3});
  EXPECT_EQ(slots.commit(Round{4}, everybody()).before, Round{2});
  EXPECT_EQ(slots.next(), Round{5});
  EXPECT_EQ(slots.last_commit(), Round{4});
  EXPECT_THROW(slots.skip(Round{4}), InvariantBroken);
  EXPECT_THROW(slots.commit(Round{6}, everybody()), InvariantBroken);
}

TEST(Slots, AreLookedAtAgainOnlyWithNews) {
  Slots slots(*Committee::of(4), Rules::thresher());
  EXPECT_FALSE(slots.looked_at(1));
  slots.begin_look(1);
  slots.skip(Round{1});
  slots.end_look();
  EXPECT_TRUE(slots.looked_at(1));
  EXPECT_FALSE(slots.looked_at(2));  // the store has something new
  slots.skip(Round{2});
  EXPECT_FALSE(slots.looked_at(1));  // peers' log decided one
}

TEST(Slots, GoOnAfterARestart) {
  const Committee four = *Committee::of(4);
  Slots before(four, Rules::thresher());
  for (std::uint64_t slot = 1; slot <= 9; ++slot) before.skip(Round{slot});
  before.commit(Round{10}, everybody());
  Slots after(four, Rules::thresher());
  after.restore(Round{10}, before.schedule());
  EXPECT_EQ(after.next(), before.next());
  for (std::uint64_t r = 11; r < 40; ++r)
    EXPECT_EQ(after.leader(Round{r}), before.leader(Round{r}));
  EXPECT_EQ(after.commit(Round{11}, everybody()).before, Round{10});
}

}  // namespace
}  // namespace thresher::dag
