// Clients that follow the log: each transaction once and in order, at the pace at which they read.
#include "subscribers.hpp"

#include <gtest/gtest.h>

#include <set>

#include "page_queue.hpp"
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
       }}};
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
  std::size_t reads = 0, frames = 0;
};

TEST_F(Following, EachGetsWhatItLacksAndNothingTwice) {
  subscribers.begin(7, {});
  got[8] = 55;
  subscribers.begin(8, {Round{5}, 55});
  EXPECT_FALSE(subscribers.feed(head));
  EXPECT_EQ(got[7], 100u);
  EXPECT_EQ(got[8], 100u);
  EXPECT_FALSE(subscribers.feed(head));
  EXPECT_EQ(frames, 2u);
  head = Round{11};
  EXPECT_FALSE(subscribers.feed(head));
  EXPECT_EQ(got[7], 110u);
}

TEST_F(Following, AFrameHoldsOnlySoMuch) {
  data = Bytes::from(std::vector<std::byte>(Subscribers::kFrame / 5));
  subscribers.begin(7, {});
  int calls = 1;
  while (subscribers.feed(head)) ++calls;
  EXPECT_EQ(got[7], 100u);
  EXPECT_GE(calls, 10);
}

TEST_F(Following, WhoDoesNotReadCostsNoLookAtTheLog) {
  subscribers.begin(7, {});
  subscribers.begin(8, {});
  queued[7] = Subscribers::kFrame + 1;
  EXPECT_TRUE(subscribers.feed(head));
  EXPECT_EQ(got[8], 100u);
  EXPECT_EQ(reads, 1u);
  queued[7] = 0;
  full.insert(7);
  EXPECT_TRUE(subscribers.feed(head));
  full.clear();
  EXPECT_FALSE(subscribers.feed(head));
  EXPECT_EQ(got[7], 100u);
}

TEST_F(Following, WhatWasPrunedOrCannotBeReadIsSaid) {
  subscribers.begin(7, {});
  got[8] = 50;
  subscribers.begin(8, {Round{5}, 50});
  begins = 20;
  damaged = Round{6};
  EXPECT_FALSE(subscribers.feed(head));
  EXPECT_EQ(pruned, std::set<ConnectionId>{7});
  EXPECT_EQ(unreadable.at(8), Round{6});
  EXPECT_TRUE(subscribers.empty());
}

TEST_F(Following, OneMayLeaveWhileItIsFed) {
  subscribers.begin(7, {});
  goes = 7;
  EXPECT_FALSE(subscribers.feed(head));
  EXPECT_TRUE(subscribers.empty());
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
