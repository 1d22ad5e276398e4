// How a cluster of broadcast channels is judged: which are level, which lack more than they said.
#include "cluster/delivery_board.hpp"

#include <gtest/gtest.h>

namespace thresher::cli {
namespace {

const std::vector<std::uint64_t> kAll{0, 1, 2};

class Board : public ::testing::Test {
 protected:
  void deliver(std::uint64_t node, std::uint64_t number, std::uint64_t digest = 7) {
    board_->put(node, {NodeId{0}, number}, digest);
  }
  void deliver_all(std::uint64_t node, std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t k = from; k < to; ++k) deliver(node, k);
  }
  void SetUp() override {
    for (const std::uint64_t node : {0, 1}) deliver_all(node, 0, 10);
  }

  std::unique_ptr<DeliveryBoard> board_ = DeliveryBoard::make(3);
};

TEST_F(Board, WhoLacksTheLastIsNotLevel) {
  deliver_all(2, 0, 9);
  board_->miss(2, 1);
  EXPECT_FALSE(board_->level(kAll));
  EXPECT_NE(board_->missing(kAll).find("node 2 lacks payload 9 of node 0"), std::string::npos);
  deliver(2, 9);
  EXPECT_TRUE(board_->level(kAll));
  EXPECT_EQ(board_->missed(2), 0u);
}

// A node that came back had the last payload, and the run ended while it still got those before.
TEST_F(Board, WhoStillGetsWhatItLacksIsWaitedForThoughItWasKilled) {
  deliver_all(2, 0, 4);
  deliver(2, 9);
  board_->excuse(2);
  EXPECT_FALSE(board_->level(kAll));
  EXPECT_TRUE(board_->level_but_for_excused(kAll)) << "what it said it missed may be lost";
  deliver_all(2, 4, 9);
  EXPECT_TRUE(board_->level(kAll));
}

TEST_F(Board, ANodeMayLackAsManyAsItSaidAndNoMore) {
  deliver_all(2, 0, 4);
  deliver(2, 9);
  board_->miss(2, 4);
  EXPECT_FALSE(board_->level(kAll));
  EXPECT_FALSE(board_->level_but_for_excused(kAll)) << "it ran all the time";
  EXPECT_NE(board_->missing(kAll).find("node 2 lacks 5 payloads, and said of 4"), std::string::npos)
      << board_->missing(kAll);
  board_->miss(2, 1);
  EXPECT_TRUE(board_->level(kAll));
  EXPECT_EQ(board_->missed(2), 5u);
}

TEST_F(Board, WhatIsDeliveredAgainCountsOnceAndMustBeTheSame) {
  deliver_all(2, 0, 10);
  deliver(2, 3);
  EXPECT_EQ(board_->delivered(2), 10u);
  EXPECT_FALSE(board_->conflict());
  deliver(2, 3, 8);
  EXPECT_TRUE(board_->conflict());
}

}  // namespace
}  // namespace thresher::cli
