// Small questions of peers are answered in turns, and the malformed ones are named.
#include "life/small_questions.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace thresher::net {
namespace {

struct Peers {
  std::uint64_t now = 1'000'000;
  std::vector<NodeId> answered, malformed;
  SmallQuestions small{{[this](NodeId from, const Frame& f) {
                          now += 100;
                          answered.push_back(from);
                          return f.kind != 9;
                        },
                        [this](NodeId from) { malformed.push_back(from); },
                        [this] { return now; }}};
  bool ask(std::uint16_t peer, std::uint8_t kind = 1, std::size_t bytes = 8) {
    return small.ask(NodeId{peer}, {kind, Bytes::from(std::vector<std::byte>(bytes)), {}});
  }
  void serve_all() {
    while (const auto next = small.step()) now = std::max(now, *next);
  }
};

TEST(SmallQuestions, WhoAsksWithoutEndHoldsUpNobody) {
  Peers peers;
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(peers.ask(1));
  EXPECT_TRUE(peers.ask(2));
  peers.serve_all();
  std::map<std::uint16_t, std::size_t> answers;
  for (const NodeId peer : peers.answered) ++answers[peer.value];
  EXPECT_EQ(answers[1], SmallQuestions::kMostOfOne);
  EXPECT_EQ(answers[2], 1u);
  EXPECT_TRUE(peers.answered[0] == NodeId{2} || peers.answered[1] == NodeId{2});
}

TEST(SmallQuestions, WhatIsNoneIsNotHeardOrNamed) {
  Peers peers;
  EXPECT_FALSE(peers.ask(1, 1, SmallQuestions::kMostBytes + 1));
  EXPECT_TRUE(peers.ask(1, 9));
  EXPECT_TRUE(peers.ask(2));
  peers.serve_all();
  EXPECT_EQ(peers.malformed, std::vector<NodeId>{NodeId{1}});
  EXPECT_EQ(peers.answered.size(), 2u);
}

}  // namespace
}  // namespace thresher::net
