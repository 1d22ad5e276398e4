#include "ledger/agreed_time.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace thresher::net {
namespace {

std::uint64_t next_with(AgreedTime& time, const std::vector<std::uint64_t>& stamps) {
  for (std::size_t i = 0; i < stamps.size(); ++i) {
    time.note(NodeId{static_cast<std::uint16_t>(i)}, stamps[i]);
  }
  return time.next();
}

TEST(AgreedTime, IsTheTimeThatAWitnessMoreThanTheLiarsHasReached) {
  AgreedTime time(2);  // n = 4, f = 1
  EXPECT_EQ(next_with(time, {1000, 1002, 1001, 999'999}), 1002u);
  AgreedTime behind(2);
  EXPECT_EQ(next_with(behind, {1000, 1002, 1001, 0}), 1001u);
}

// The median of the seven would be a time of the past here.
TEST(AgreedTime, GoesOnWhileTwoMembersAreSilentAndTwoLie) {
  AgreedTime time(3);  // n = 7, f = 2
  EXPECT_EQ(next_with(time, {1000, 1001, 1002, 1003, 1004, 1000, 1001}), 1002u);
  time.note(NodeId{0}, 0);
  time.note(NodeId{1}, 0);
  for (std::uint16_t i = 2; i < 5; ++i) time.note(NodeId{i}, 2000u + i);
  EXPECT_EQ(time.next(), 2002u);
}

TEST(AgreedTime, RisesByAMicrosecondWhateverTheClocksDo) {
  AgreedTime time(2);
  EXPECT_EQ(time.next(), 1u);
  EXPECT_EQ(next_with(time, {500, 600}), 500u);
  EXPECT_EQ(next_with(time, {100, 100}), 501u);  // clocks were set back
  EXPECT_EQ(next_with(time, {700, 900}), 700u);
}

TEST(AgreedTime, WithoutWitnessesThereIsNone) {
  AgreedTime time;
  time.note(NodeId{0}, 1000);
  EXPECT_EQ(time.next(), 0u);
  EXPECT_EQ(time.next(), 0u);
}

TEST(AgreedTime, AStampIsReadBackAndHoldsNoTransaction) {
  std::vector<std::byte> payload;
  append_stamp(123'456'789, payload);
  EXPECT_EQ(payload.size(), kRunHead);
  EXPECT_EQ(stamp_of(payload), 123'456'789u);
  EXPECT_FALSE(holds_transactions(payload));
  append_stamp(5, payload);  // as in a frame with two payloads
  EXPECT_FALSE(holds_transactions(payload));
  RunWriter(payload).add({ClientId{{std::byte{7}}}, {Round{1}, Round{2}}}, 3, as_view("x"));
  EXPECT_TRUE(holds_transactions(payload));
  int visited = 0;
  EXPECT_TRUE(
      each_transaction(payload, [&](const net::RunHead&, std::uint64_t, ByteView) { ++visited; }));
  EXPECT_EQ(visited, 1);
  EXPECT_FALSE(stamp_of(ByteView(payload).subspan(2 * kRunHead)));
  EXPECT_FALSE(stamp_of(ByteView(payload).first(kRunHead - 1)));
}

TEST(AgreedTime, GoesOnAfterARestart) {
  AgreedTime time(2);
  next_with(time, {500, 600, 700});
  Writer saved;
  time.save(saved);
  AgreedTime again(2);
  Reader in(saved.view());
  ASSERT_TRUE(again.restore(in) && in.done());
  for (AgreedTime* t : {&time, &again}) t->note(NodeId{0}, 650);
  EXPECT_EQ(time.next(), 650u);
  EXPECT_EQ(again.next(), 650u);
}

// Whatever f members claim, and whoever else is silent: between the slowest and the fastest of the
// clocks of f+1 or more correct members.
RC_GTEST_PROP(AgreedTime, FLiarsDoNotMoveItBeyondTheOthers, ()) {
  const auto f = *rc::gen::inRange<std::uint16_t>(0, 6);
  const auto correct = *rc::gen::inRange<std::uint16_t>(static_cast<std::uint16_t>(f + 1),
                                                        static_cast<std::uint16_t>(2 * f + 2));
  AgreedTime time(f + 1u);
  std::vector<std::uint64_t> clocks;
  for (std::uint16_t i = 0; i < correct; ++i) {
    clocks.push_back(*rc::gen::inRange<std::uint64_t>(1000, 2000));
    time.note(NodeId{i}, clocks.back());
  }
  for (std::uint16_t i = 0; i < f; ++i) {
    time.note(NodeId{static_cast<std::uint16_t>(100 + i)},
              *rc::gen::element<std::uint64_t>(0, 1, 1500, ~std::uint64_t{0}));
  }
  const auto [low, high] = std::minmax_element(clocks.begin(), clocks.end());
  const std::uint64_t agreed = time.next();
  RC_ASSERT(agreed >= *low);
  RC_ASSERT(agreed <= *high);
}

}  // namespace
}  // namespace thresher::net
