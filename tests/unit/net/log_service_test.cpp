// Parts of the log for peers that were away: in turns, and within a share of the time.
#include "ledger/log_service.hpp"

#include <gtest/gtest.h>

#include <map>

#include "thresher/net/codec.hpp"

namespace thresher::net {
namespace {

constexpr std::uint64_t kReading = 1000;  // us that one part takes

struct Serving : testing::Test {
  Serving()
      : service(4, {[this](const wire::WantLog& want) { return read(want); },
                    [this](NodeId to, const Frame&) {
                      ++parts[to.value];
                      order.push_back(to.value);
                      return to.value != full;
                    },
                    [this] { return now; }}) {}

  LogAnswer read(const wire::WantLog& want) {
    now += kReading;
    busy += kReading;
    wire::WantLog rest = want;
    ++rest.after.value;
    return {
        {kLogPart, {}, Bytes::from(std::vector<std::byte>(size))}, rest, want.after.value < 1000};
  }
  /// Until `end`, as the node's loop does it; `greedy` asks anew whenever something was served.
  void run(std::uint64_t end, std::optional<std::uint16_t> greedy = {}) {
    while (now < end) {
      if (greedy) service.want(NodeId{*greedy}, {Round{1}, 0, 16});
      const auto at = service.step();
      if (!at) return;
      now = std::max(now, *at);
    }
  }
  std::uint64_t now = 1'000'000;
  std::uint64_t busy = 0;
  std::size_t size = 1000;
  std::optional<std::uint16_t> full;
  std::map<std::uint16_t, int> parts;
  std::vector<std::uint16_t> order;
  LogService service;
};

TEST_F(Serving, AQuestionBringsItsPartsAndNoMoreThanTheMost) {
  service.want(NodeId{1}, {Round{5}, 0, 3});
  run(10'000'000);
  EXPECT_EQ(parts[1], 3);
  EXPECT_EQ(service.served(NodeId{1}), 3000u);
  service.want(NodeId{2}, {Round{5}, 0, 1'000'000});
  run(10'000'000);
  EXPECT_EQ(parts[2], static_cast<int>(LogService::kMostParts));
  service.want(NodeId{3}, {Round{5}, 0, 0});  // what an older peer asks
  run(10'000'000);
  EXPECT_EQ(parts[3], 1);
}

TEST_F(Serving, TheEndOfTheLogEndsTheAnswer) {
  service.want(NodeId{1}, {Round{999}, 0, 16});
  run(10'000'000);
  EXPECT_EQ(parts[1], 2);
}

// One peer asks without end: the others get a part for each part of it.
TEST_F(Serving, WhoAsksWithoutEndGetsNoMoreThanItsTurn) {
  service.want(NodeId{2}, {Round{5}, 0, 16});
  service.want(NodeId{3}, {Round{5}, 0, 16});
  run(now + 200 * kReading, 1);
  EXPECT_EQ(parts[2], 16);
  EXPECT_EQ(parts[3], 16);
  for (std::size_t i = 0; i + 3 <= 45; i += 3) {  // while all three wait
    EXPECT_NE(order[i], order[i + 1]);
    EXPECT_NE(order[i + 1], order[i + 2]);
    EXPECT_NE(order[i], order[i + 2]);
  }
}

// However many ask: the order of new transactions keeps three quarters of the time.
TEST_F(Serving, ReadingTakesItsShareOfTheTimeAndNoMore) {
  for (std::uint16_t peer = 0; peer < 4; ++peer) service.want(NodeId{peer}, {Round{1}, 0, 16});
  const std::uint64_t begun = now;
  run(begun + 1'000'000, 1);
  EXPECT_LE(busy, (now - begun) / LogService::kShare + kReading);
  EXPECT_GE(busy, (now - begun) / LogService::kShare / 2);
}

TEST_F(Serving, APeerGetsAtMostItsRate) {
  size = 1'000'000;  // 4 ms at 250 bytes a microsecond, as long as its share of the time
  service.want(NodeId{1}, {Round{1}, 0, 16});
  const std::uint64_t begun = now;
  run(begun + 30'000);
  EXPECT_LE(service.served(NodeId{1}), LogService::kRate * (now - begun) + size);
}

TEST_F(Serving, NothingMoreIsReadForAPeerThatTakesNothing) {
  full = 1;
  service.want(NodeId{1}, {Round{1}, 0, 16});
  run(10'000'000);
  EXPECT_EQ(parts[1], 1);
}

}  // namespace
}  // namespace thresher::net
