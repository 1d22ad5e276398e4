// What a log of decided slots keeps and forgets.
#include "thresher/protocols/order/slot_log.hpp"

#include <gtest/gtest.h>

#include "thresher/core/transcript.hpp"

namespace thresher {
namespace {

constexpr std::uint64_t kHistory = 4;

Bytes value(std::uint64_t slot) {
  return Bytes::from(Writer().u64(slot).take());
}

// Slots were decided out of order before the host handed a later one over. They will never be
// delivered, have no name, and ended the node when the history went past them.
TEST(SlotLog, ForgetsWhatWasDecidedBelowTheSlotThatItTookOver) {
  SlotLog log(*Committee::of(4), {.history = kHistory});
  EXPECT_TRUE(log.decide(1, value(1)));
  EXPECT_TRUE(log.decide(4, value(4)));
  EXPECT_TRUE(log.adopt(SlotLog::key_of(3), value(3)));
  EXPECT_EQ(log.decided(1), nullptr) << "it is below what is delivered next, and never will be";
  ASSERT_NE(log.decided(4), nullptr);
  for (std::uint64_t slot = 3; slot <= 12; ++slot) {
    EXPECT_EQ(log.decide(slot, value(slot)), slot > 4);
    const auto next = log.deliver_next();
    ASSERT_TRUE(next);
    EXPECT_EQ(next->slot, slot);
    (void)log.forget();
    EXPECT_LE(log.size(), kHistory + 2);
  }
  EXPECT_EQ(log.delivered(), 13u);
}

// Of a log that goes on from the middle, the slots delivered before stay in the history.
TEST(SlotLog, KeepsWhatItDeliveredBeforeItTookOneOver) {
  SlotLog log(*Committee::of(4), {.history = kHistory});
  EXPECT_TRUE(log.decide(0, value(0)));
  ASSERT_TRUE(log.deliver_next());
  EXPECT_TRUE(log.adopt(SlotLog::key_of(3), value(3)));
  ASSERT_TRUE(log.deliver_next());
  EXPECT_NE(log.decided(0), nullptr);
  EXPECT_TRUE(log.forget().empty());
  EXPECT_TRUE(log.repeats(hash(value(0).view())));
}

}  // namespace
}  // namespace thresher
