// How long leaders are waited for, with delays below Delta: docs/protocols/thresher.md, "Patience".
#include <gtest/gtest.h>

#include "timed.hpp"

namespace thresher::dag {
namespace {

constexpr std::uint16_t kLiar = 3;

/// The liar keeps rounds going: a block of its own in each, without a vote or a claim, at once.
class Filler {
 public:
  explicit Filler(Timed& world) : world_(world) {}
  void note(const Message& m) {
    const auto* push = std::get_if<Push>(&m);
    if (push == nullptr || push->block->round() <= last_.round) return;
    Header h;
    h.author = NodeId{kLiar};
    h.round = push->block->round();
    h.self = last_;
    const BlockPtr block = block_of(h);
    last_ = block->edge();
    for (std::uint16_t to = 0; to < 3; ++to) world_.post(kLiar, to, Push{block}, 1);
  }

 private:
  Timed& world_;
  Edge last_{NodeId{kLiar}, Round{0}, {}};
};

// Each node hears one other correct node late, by almost Delta, and rounds are a hundred times
// faster with the help of a liar that never votes. A leader that is thought to be silent is not
// waited for and lacks the vote that it needs; all three are thought to be silent by somebody. They
// are heard later, which shows that they were not.
TEST(Patience, WhoIsHeardLateIsWaitedForNextTime) {
  Timed world(4, {kLiar});
  world.delay = [](std::uint16_t from, std::uint16_t to) {
    return Ticks{to == (from + 1) % 3 ? 950u : 10u};
  };
  Filler liar(world);
  world.said = [&](std::uint16_t, const Message& m) { liar.note(m); };
  world.start();
  world.at(0, [&] { world.keep_busy(2 * kDelta, 10); });
  world.run_until(300 * kDelta);
  std::vector<std::uint64_t> slots;
  for (std::uint16_t i = 0; i < 3; ++i) slots.push_back(world.node(i).next_slot().value);
  world.run_until(400 * kDelta);
  for (std::uint16_t i = 0; i < 3; ++i) {
    EXPECT_GT(world.node(i).next_slot().value, slots[i] + 20) << i;
  }
}

// Links slower than Delta is said to be: every leader is late, time-outs grow, and commits go on.
TEST(Patience, ATimeoutThatWasTooShortGrows) {
  Timed world(4, {kLiar});
  world.delay = [](auto, auto) { return 20 * kDelta; };
  world.start();
  world.at(0, [&] { world.keep_busy(2 * kDelta, 10); });
  world.run_until(4000 * kDelta);
  for (std::uint16_t i = 0; i < 3; ++i) EXPECT_GT(world.node(i).next_slot().value, 20u) << i;
}

// Who never said anything shows nothing about the time-out, and is waited for once.
TEST(Patience, SilentLeadersInARowCostOneTimeout) {
  std::set<std::uint16_t> silent;
  for (std::uint16_t i = 0; i < 10; ++i) silent.insert(i);
  Timed world(31, silent);
  world.start();
  world.at(0, [&] { world.keep_busy(2 * kDelta, 10); });
  world.run_until(16 * kDelta);
  for (std::uint16_t i = 10; i < 31; ++i) {
    EXPECT_GT(world.node(i).next_slot().value, 10u) << i;
    EXPECT_LE(world.node(i).stats().timeouts, 10u);
  }
}

}  // namespace
}  // namespace thresher::dag
