// Blocks that a node had accepted before it was killed are delivered before it calls itself up to
// date.
#include <gtest/gtest.h>

#include <algorithm>

#include "timed.hpp"

namespace thresher::dag {
namespace {

constexpr std::uint32_t kNodes = 4;

// All are killed at once under load, so nobody's records of commits help: each decides again at
// least the slots that it had decided, or has none of them to decide.
TEST(Restarted, IsUpToDateWhenItHasDecidedWhatItHadDecided) {
  for (const Rules& rules : {Rules::thresher(), Rules::mysticeti()}) {
    Timed world(kNodes, {}, rules);
    world.start();
    world.at(0, [&] { world.keep_busy(kDelta, 10); });
    Ticks now = 20 * kDelta;
    for (int kill = 0; kill < 10; ++kill, now += 20 * kDelta) {
      world.run_until(now + static_cast<Ticks>(kill) * 97);
      std::vector<Round> before;
      for (std::uint16_t i = 0; i < kNodes; ++i) before.push_back(world.node(i).next_slot());
      for (std::uint16_t i = 0; i < kNodes; ++i) world.crash(i);
      for (std::uint16_t i = 0; i < kNodes; ++i) world.boot(i);
      bool waited = false;
      std::vector<bool> seen(kNodes);
      for (Ticks t = world.now(); t < now + 19 * kDelta; t += 10) {
        world.run_until(t);
        for (std::uint16_t i = 0; i < kNodes; ++i) {
          const bool up = world.node(i).up_to_date();
          waited = waited || !up;
          if (!up || seen[i]) continue;
          seen[i] = true;
          EXPECT_GE(world.node(i).next_slot(), before[i]) << rules.name << " kill " << kill;
        }
      }
      EXPECT_TRUE(waited) << rules.name;
      EXPECT_EQ(std::count(seen.begin(), seen.end(), true), kNodes) << rules.name;
    }
  }
}

// In a cluster at rest it delivers again what its notes lack, which a few rounds do.
TEST(Restarted, IsUpToDateSoonInAClusterAtRest) {
  for (const Rules& rules : {Rules::thresher(), Rules::mysticeti()}) {
    Timed world(kNodes, {}, rules);
    world.start();
    world.at(0, [&] {
      world.keep_busy(1'000'000 * kDelta, 10);  // once
    });
    world.run_until(100 * kDelta);
    world.crash(2);
    world.boot(2);
    world.run_until(120 * kDelta);
    EXPECT_TRUE(world.node(2).up_to_date()) << rules.name;
    EXPECT_GT(world.node(2).next_slot().value, 1u) << rules.name;
  }
}

}  // namespace
}  // namespace thresher::dag
