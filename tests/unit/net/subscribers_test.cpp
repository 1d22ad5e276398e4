// Clients that follow the log: each transaction once and in order, at the pace at which they read.
#include "service/subscribers.hpp"

#include <gtest/gtest.h>

#include <set>

#include "http/page_queue.hpp"
#include "thresher/core/assert.hpp"

namespace thresher::net {
namespace {

constexpr std::uint64_t kPerSlot = 10;

/// A log of ten transactions a slot, all of one size.
struct Following : testing::Test {
  ReadOn read(const LogPlace& from, const VisitTransaction& visit,
              const std::function<bool()>& enough) {
    ++reads;
    ReadOn out{from};
    for (Round slot{from.after.value + 1}; slot <= head; ++slot.value) {
      now += costs;
      if (slot == damaged) {
        out.unreadable = slot;
        return out;
      }
      while (out.next.position < slot.value * kPerSlot) {
        Transaction t;
        t.position = t.sequence = out.next.position++;
        t.data = data.view();
        if (!visit(t, {}) && out.next.position < slot.value * kPerSlot) return out;
      }
      out.next.after = slot;
      if (enough()) return out;
    }
    return out;
  }
  bool send(ConnectionId to, std::uint64_t end, std::uint32_t count) {
    if (full.contains(to)) return false;
    EXPECT_EQ(end - count, got[to]) << "a gap, or something twice";
    got[to] = end;
    ++frames;
    if (to == goes) subscribers.leave(to);
    return true;
  }

  Subscribers subscribers{
      {[this] { return begins; },
       [this](const LogPlace& from, const VisitTransaction& visit,
              const std::function<bool()>& enough) { return read(from, visit, enough); },
       [this](ConnectionId id) { return queued[id]; },
       [this](ConnectionId to, std::uint64_t end, std::uint32_t count,
              const std::vector<std::byte>&) { return send(to, end, count); },
       [this](ConnectionId id) { pruned.insert(id); },
       [this](ConnectionId id, Round slot) {
         unreadable[id] = slot;
         subscribers.leave(id);
       },
       [this](std::uint64_t position) {
         ++looks;
         return std::optional(Round{position / kPerSlot});
       },
       [this] { return now; }}};
  /// What the share allows after any rest.
  bool feed() {
    now += 1'000'000'000;
    return subscribers.feed(head).has_value();
  }
  Round head{10};
  Bytes data = Bytes::from(std::vector<std::byte>(100));
  std::uint64_t begins = 0;
  Round damaged{0};
  ConnectionId goes = 0;
  std::set<ConnectionId> full;
  std::map<ConnectionId, std::size_t> queued;
  std::map<ConnectionId, std::uint64_t> got;
  std::set<ConnectionId> pruned;
  std::map<ConnectionId, Round> unreadable;
  std::size_t reads = 0, frames = 0, looks = 0;
  std::uint64_t now = 0;
  std::uint64_t costs = 0;  // microseconds, to read a slot
};

TEST_F(Following, EachGetsWhatItLacksAndNothingTwice) {
  subscribers.begin(7, 0);
  got[8] = 55;
  subscribers.begin(8, 55);
  EXPECT_FALSE(feed());
  EXPECT_EQ(got[7], 100u);
  EXPECT_EQ(got[8], 100u);
  EXPECT_FALSE(feed());
  EXPECT_EQ(frames, 2u);
  head = Round{11};
  EXPECT_FALSE(feed());
  EXPECT_EQ(got[7], 110u);
}

TEST_F(Following, AFrameHoldsOnlySoMuch) {
  data = Bytes::from(std::vector<std::byte>(Subscribers::kFrame / 5));
  subscribers.begin(7, 0);
  int calls = 1;
  while (feed()) ++calls;
  EXPECT_EQ(got[7], 100u);
  EXPECT_GE(calls, 10);
}

TEST_F(Following, WhoDoesNotReadCostsNoLookAtTheLog) {
  subscribers.begin(7, 0);
  subscribers.begin(8, 0);
  queued[7] = Subscribers::kFrame + 1;
  EXPECT_TRUE(feed());
  EXPECT_EQ(got[8], 100u);
  EXPECT_EQ(reads, 1u);
  queued[7] = 0;
  full.insert(7);
  EXPECT_TRUE(feed());
  full.clear();
  EXPECT_FALSE(feed());
  EXPECT_EQ(got[7], 100u);
}

TEST_F(Following, WhatWasPrunedOrCannotBeReadIsSaid) {
  subscribers.begin(7, 0);
  got[8] = 50;
  subscribers.begin(8, 50);
  begins = 20;
  damaged = Round{6};
  EXPECT_FALSE(feed());
  EXPECT_EQ(pruned, std::set<ConnectionId>{7});
  EXPECT_EQ(unreadable.at(8), Round{6});
  EXPECT_TRUE(subscribers.empty());
}

TEST_F(Following, OneMayLeaveWhileItIsFed) {
  subscribers.begin(7, 0);
  goes = 7;
  EXPECT_FALSE(feed());
  EXPECT_TRUE(subscribers.empty());
}

// Each frame of a few bytes was a search in the log, and each follower had the thread for as long
// as it took to fill a frame.
TEST_F(Following, AllTogetherTakeAShareOfTheThreadAndEachHasItsTurns) {
  costs = 400;
  head = Round{1000};
  data = Bytes::from(std::vector<std::byte>(1));
  for (ConnectionId id = 1; id <= 20; ++id) {
    for (int k = 0; k < 100; ++k) subscribers.begin(id, 0);
  }
  EXPECT_EQ(looks, 0u);
  const std::uint64_t began = now = 1'000'000'000;
  std::uint64_t longest = 0, busy = 0;
  while (now < began + 1'000'000) {
    const std::uint64_t before = now;
    const auto at = subscribers.feed(head);
    ASSERT_TRUE(at);
    longest = std::max(longest, now - before);
    busy += now - before;
    now = std::max(now + 1, *at);
  }
  EXPECT_LE(longest, 3 * ThreadShare::kBurst);
  EXPECT_LE(busy, 1'000'000 / ThreadShare::kShare + longest);
  EXPECT_EQ(looks, 20u);
  for (ConnectionId id = 2; id <= 20; ++id) EXPECT_NEAR(double(got[id]), double(got[1]), 60) << id;
}

TEST(PageQueue, AnswersInTurnWithinItsShareOfTheTime) {
  std::uint64_t now = 1'000'000;
  std::vector<std::uint64_t> answered;
  PageQueue pages(
      [&](std::uint64_t from, std::size_t) {
        now += 10'000;
        return LogPage{from, {}, {}};
      },
      [&] { return now; });
  EXPECT_FALSE(pages.serve());
  for (std::uint64_t i = 0; i < 3; ++i)
    pages.ask({i, 1, [&](const LogPage& page) { answered.push_back(page.length); }});
  const std::uint64_t begin = now;
  while (const auto at = pages.serve()) {
    EXPECT_GT(*at, now);
    now = *at;
  }
  EXPECT_EQ(answered, (std::vector<std::uint64_t>{0, 1, 2}));
  EXPECT_GE(now - begin,
            2 * ThreadShare::kShare * 10'000 - 2 * ThreadShare::kBurst * ThreadShare::kShare);
}

}  // namespace
}  // namespace thresher::net
