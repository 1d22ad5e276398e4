#include "links/conduct.hpp"

#include <gtest/gtest.h>

namespace thresher::net {
namespace {

constexpr std::uint64_t kSecond = 1'000'000;
constexpr std::uint64_t kTick = 20'000;

struct Watch : testing::Test {
  Watch()
      : conduct(4, [this](Level level, const std::string& line) {
          lines.push_back(line);
          warnings += level >= Level::kWarning ? 1 : 0;
        }) {}
  /// `seconds` pass in ticks, in each of which `each` happens.
  template <class F>
  void pass(std::uint64_t seconds, F each) {
    for (const std::uint64_t end = now + seconds * kSecond; now < end; now += kTick) {
      each();
      conduct.tick(now, lags);
    }
  }
  void pass(std::uint64_t seconds) {
    pass(seconds, [] {});
  }
  int naming(const std::string& who) const {
    return static_cast<int>(std::count_if(lines.begin(), lines.end(), [&](const std::string& l) {
      return l.find(who) != std::string::npos;
    }));
  }
  std::vector<std::string> lines;
  int warnings = 0;
  std::uint64_t now = 100 * kSecond;
  bool lags = false;
  Conduct conduct;
};

TEST_F(Watch, WhoDoesNothingWrongIsNotTold) {
  pass(200);
  EXPECT_TRUE(lines.empty());
}

// 41,000 malformed frames and 42,000 refused blocks from a member's key gave no line.
TEST_F(Watch, AFloodIsOneLineAndThenOneEachHalfMinute) {
  conduct.link({2, true, false, "10.0.0.3:26656", ""}, now);
  lines.clear();
  pass(100, [&] {
    conduct.note(NodeId{2}, Deed::kMalformed, 8);
    conduct.note(NodeId{2}, Deed::kRefused, 9);
  });
  EXPECT_EQ(warnings, 4);  // after 1, 31, 61 and 91 s
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_NE(lines[1].find("node 2 at 10.0.0.3:26656 sent in 30 s: 12000 malformed frames, 13500 "
                          "refused messages"),
            std::string::npos)
      << lines[1];
  EXPECT_EQ(conduct.suspicion(NodeId{2}, now), Suspicion::kSuspected);
  EXPECT_EQ(conduct.suspicion(NodeId{1}, now), Suspicion::kNone);
  EXPECT_EQ(conduct.count(NodeId{2}, Deed::kMalformed), 40'000u);
}

TEST_F(Watch, OneCulpritDoesNotHideAnother) {
  pass(20, [&] { conduct.note(NodeId{1}, Deed::kMalformed, 1000); });
  conduct.note(NodeId{3}, Deed::kFalseAnswer);
  conduct.remark(NodeId{3}, "a part of the log that cannot be decoded");
  pass(2, [&] { conduct.note(NodeId{1}, Deed::kMalformed, 1000); });
  EXPECT_EQ(naming("node 3 sent"), 1);
  EXPECT_EQ(naming("cannot be decoded"), 1);
}

TEST_F(Watch, SomeRefusedMessagesAreNoWarningAndManyAre) {
  conduct.note(NodeId{1}, Deed::kRefused, 5);
  pass(2);
  EXPECT_EQ(lines.size(), 1u);
  EXPECT_EQ(warnings, 0);
  // It does not wait for the end of the half minute to be told.
  conduct.note(NodeId{1}, Deed::kRefused, 42'000);
  pass(6);
  EXPECT_EQ(warnings, 1);
}

// It is cut off, and does not know it when the first messages come; it notices, fetches the log,
// and then the last ones come.
TEST_F(Watch, ANodeThatNoticesThatItLagsAfterItRefusedBlamesNobody) {
  conduct.note(NodeId{1}, Deed::kRefused, 11'126);
  pass(2);
  lags = true;
  pass(2);
  lags = false;
  pass(10);
  conduct.note(NodeId{1}, Deed::kRefused, 11'126);
  pass(15);
  EXPECT_EQ(warnings, 0);
  EXPECT_EQ(conduct.suspicion(NodeId{1}, now), Suspicion::kNone);
  // Half a minute later nothing of that excuses it.
  pass(31);
  conduct.note(NodeId{1}, Deed::kRefused, 11'126);
  pass(6);
  EXPECT_EQ(warnings, 1);
}

// Something else that it does is told at once, with the refused messages beside it.
TEST_F(Watch, RefusedMessagesDoNotDelayAnotherWarning) {
  conduct.note(NodeId{1}, Deed::kRefused, 11'126);
  conduct.note(NodeId{1}, Deed::kMalformed);
  pass(2);
  EXPECT_EQ(warnings, 1);
}

TEST_F(Watch, ANodeThatLagsBlamesNobodyForWhatItMustRefuse) {
  lags = true;
  conduct.note(NodeId{1}, Deed::kRefused, 42'000);
  pass(2);
  EXPECT_EQ(warnings, 0);
  EXPECT_EQ(conduct.suspicion(NodeId{1}, now), Suspicion::kNone);
}

TEST_F(Watch, ALinkThatFlapsIsAFewLinesAndACount) {
  pass(30, [&] {
    conduct.link({1, true, false, "a:1", ""}, now);
    conduct.link({1, false, false, "a:1", "connection lost"}, now);
  });
  pass(31);
  EXPECT_LE(lines.size(), 2 * Conduct::kLinkLines + 2);
  EXPECT_EQ(naming("times more"), 1);
  EXPECT_EQ(warnings, 0);
}

TEST_F(Watch, ARefusedPeerIsNamedOnceForTheSameWords) {
  for (int k = 0; k < 100; ++k) {
    conduct.link({3, false, true, "a:" + std::to_string(k), "the peer has another genesis"}, now);
  }
  EXPECT_EQ(warnings, 1);
  EXPECT_NE(lines[0].find("node 3: the peer has another genesis"), std::string::npos) << lines[0];
  for (int k = 0; k < 100; ++k) {
    conduct.link({3, false, true, "a:1", "version " + std::to_string(k)}, now);
  }
  EXPECT_EQ(warnings, static_cast<int>(Conduct::kLinkLines));
}

TEST_F(Watch, WhatWasNotToldIsToldAtTheEnd) {
  conduct.note(NodeId{1}, Deed::kBadSignature);
  conduct.close(now);
  EXPECT_EQ(naming("node 1 sent"), 1);
  EXPECT_EQ(warnings, 1);
  conduct.close(now);
  EXPECT_EQ(lines.size(), 1u);
}

TEST_F(Watch, AProofStays) {
  conduct.convict(NodeId{2});
  pass(1000);
  EXPECT_EQ(conduct.suspicion(NodeId{2}, now), Suspicion::kProved);
}

}  // namespace
}  // namespace thresher::net
