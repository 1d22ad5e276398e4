// Work that goes on by itself while there is some, and by one timer.
#include "links/piece_work.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace thresher::net {
namespace {

/// Work of so many pieces, each of which may come so much later than the one before.
struct Work {
  Loop loop;
  std::uint64_t rest_us = 0;
  int left = 0;
  int done = 0;
  PieceWork pieces{loop, [this]() -> std::optional<std::uint64_t> {
                     if (left == 0) return std::nullopt;
                     --left;
                     ++done;
                     return left > 0 ? std::optional(Loop::now_us() + rest_us) : std::nullopt;
                   }};
  /// Runs the loop until what is due within this time was done.
  void run_for(std::uint64_t us) {
    loop.post([this, us] { loop.call_after(us, [this] { loop.stop(); }); });
    loop.run();
  }
};

TEST(PieceWork, GoesOnUntilNothingIsLeftAndThenRests) {
  Work work;
  work.left = 5;
  work.loop.post([&] { work.pieces.go_on(); });
  work.run_for(20'000);
  EXPECT_EQ(work.done, 5);
  EXPECT_FALSE(work.pieces.waits());
}

// Other work of the thread comes between two pieces.
TEST(PieceWork, OthersHaveTheirTurnBetweenThePieces) {
  Work work;
  std::vector<int> seen;
  work.left = 3;
  work.loop.post([&] { work.pieces.go_on(); });
  for (int i = 0; i < 2; ++i) work.loop.post([&] { seen.push_back(work.done); });
  work.run_for(20'000);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0], 1);
  EXPECT_LT(seen[1], 3);
}

TEST(PieceWork, WhoAsksWhileAPieceIsDueAddsNone) {
  Work work;
  work.left = 1000;
  work.rest_us = 3'600'000'000;
  work.loop.post([&] {
    for (int i = 0; i < 100; ++i) work.pieces.go_on();
  });
  work.run_for(5'000);
  EXPECT_EQ(work.done, 1);
  EXPECT_TRUE(work.pieces.waits());
}

// A second timer would go on for ever beside the first.
TEST(PieceWork, WhatIsDoneAtOnceSetsNoSecondTimer) {
  Work work;
  work.left = 1000;
  work.rest_us = 4'000;
  const std::uint64_t began = Loop::now_us();
  work.loop.post([&] {
    for (int i = 0; i < 50; ++i) work.pieces.at_once();
  });
  work.run_for(30'000);
  const std::uint64_t rests = (Loop::now_us() - began) / work.rest_us;
  EXPECT_GE(work.done, 51);
  EXPECT_LE(work.done, 50 + static_cast<int>(rests));
}

TEST(PieceWork, APieceMayAskForAnother) {
  Loop loop;
  int done = 0;
  PieceWork* self = nullptr;
  PieceWork pieces(loop, [&]() -> std::optional<std::uint64_t> {
    if (++done == 1) self->at_once();  // has nothing left
    return std::nullopt;
  });
  self = &pieces;
  pieces.go_on();
  EXPECT_EQ(done, 2);
  EXPECT_FALSE(pieces.waits());
}

}  // namespace
}  // namespace thresher::net
