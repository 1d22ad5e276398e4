// Raft under the harness: crashes, restarts, loss and reordering; one log, and in it everything
// that live nodes submitted, once.
#include "thresher/protocols/order/raft.hpp"

#include <gtest/gtest.h>

#include "../../timed.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/testing/check.hpp"
#include "thresher/testing/draw.hpp"

namespace thresher {
namespace {

using testing::Property;

constexpr std::uint64_t kWait = 6000;  // rounds

std::vector<Property> safety() {
  return {testing::agreement(), testing::prefix_order(), testing::integrity(), testing::validity()};
}
std::vector<Property> all() {
  std::vector<Property> out = safety();
  out.insert(out.end(), {testing::totality(), testing::once(), testing::inclusion(kWait)});
  return out;
}

// A request at every node every five rounds, so that leaders change while there is work.
testing::Options options_of(std::uint64_t runs, std::vector<std::uint32_t> sizes,
                            std::uint64_t requests, std::uint64_t rounds) {
  testing::Options options;
  options.runs = runs;
  options.sizes = std::move(sizes);
  options.base.parameters = {{"window", std::int64_t{8}}, {"history", std::int64_t{1024}}};
  options.base.stop.time = rounds * sim::kUnit;
  options.draw = [requests](const sim::Experiment& base, std::uint64_t seed) {
    sim::Experiment e = base;
    e.seed = seed;
    e.network.delta = 4 * sim::kUnit;
    e.workload.kind = sim::Workload::Kind::kOpen;
    e.workload.interval = 5 * sim::kUnit;
    e.workload.requests = requests * e.n;
    return e;
  };
  return options;
}

/// Adds to what is drawn.
template <class F>
void also(testing::Options& options, F change) {
  options.draw = [first = options.draw, change](const sim::Experiment& base, std::uint64_t seed) {
    sim::Experiment e = first(base, seed);
    Prng rng(seed);
    change(e, rng);
    return e;
  };
}

void delays(sim::Experiment& e, std::uint64_t longest) {
  e.network.delay = testing::uneven_links(longest).delay;
}

// Seeds that are the ids, as Timed gives them, cancelled out: all had one election timeout.
TEST(Raft, AHostMaySeedItsNodesWithTheirIds) {
  for (const std::uint32_t n : {3u, 4u, 5u}) {
    Timed<Raft> net(
        n, [n](NodeId id) { return Raft({.committee = *Committee::make(n, 0), .self = id}); });
    net.run_until(100 * kDelta);
    std::uint32_t leaders = 0;
    for (std::uint16_t i = 0; i < n; ++i) leaders += net.node(i).role() == Raft::Role::kLeader;
    EXPECT_EQ(leaders, 1u) << "n " << n;
  }
}

TEST(Raft, OrdersInTwoDelaysOnceThereIsALeader) {
  const auto options = options_of(5, {1, 2, 3, 5, 8}, 20, 400);
  testing::check_simulated("raft", all(), options);
}

TEST(Raft, CrashesOfAMinorityHarmNothing) {
  auto options = options_of(100, {3, 4, 5, 6, 7}, 30, 400);
  also(options, [](sim::Experiment& e, Prng& rng) {
    e.f = (e.n - 1) / 2;
    delays(e, 1 + rng.below(6));
    e.network.gst = 300 * sim::kUnit;
    e.network.loss_ppm = rng.below(300'000);
    e.network.cut_ppm = rng.below(200'000);
    for (std::uint32_t k = 0; k < e.f; ++k) {
      const NodeId id{static_cast<std::uint16_t>(rng.below(e.n))};
      const std::uint64_t at = 1 + rng.below(350);
      const std::uint64_t back = rng.below(3) == 0 ? 0 : at + 1 + rng.below(200);
      e.faults.push_back(testing::crash_of(id, at, back));
    }
  });
  testing::check_simulated("raft", all(), options);
}

// All stop and come back, one after the other or at once: only what is durable counts.
TEST(Raft, EveryNodeMayRestart) {
  auto options = options_of(100, {1, 2, 3, 4, 5}, 30, 400);
  also(options, [](sim::Experiment& e, Prng& rng) {
    e.beyond_f = true;
    delays(e, 1 + rng.below(4));
    for (std::uint32_t i = 0; i < e.n; ++i) {
      const std::uint64_t at = 20 + rng.below(200);
      e.faults.push_back(
          testing::crash_of(NodeId{static_cast<std::uint16_t>(i)}, at, at + 1 + rng.below(150)));
    }
  });
  testing::check_simulated("raft", all(), options);
}

// Elections all the time: delays far over the patience, loss for ever, every node crashing.
TEST(Raft, NoScheduleForks) {
  auto options = options_of(250, {3, 4, 5}, 80, 900);
  also(options, [](sim::Experiment& e, Prng& rng) {
    e.beyond_f = true;
    e.network.delta = (1 + rng.below(2)) * sim::kUnit;
    delays(e, 1 + rng.below(8));
    e.network.gst = 1'000'000 * sim::kUnit;
    e.network.loss_ppm = rng.below(700'000);
    e.network.cut_ppm = rng.below(300'000);
    for (std::uint32_t i = 0; i < e.n; ++i) {
      const std::uint64_t at = 20 + rng.below(400);
      const std::uint64_t away = 1 + rng.below(rng.below(2) == 0 ? 4 : 60);
      e.faults.push_back(testing::crash_of(NodeId{static_cast<std::uint16_t>(i)}, at, at + away));
    }
  });
  testing::check_simulated("raft", safety(), options);
}

// A short history forgets while it goes on, and forks nothing.
TEST(Raft, ForgettingForksNothing) {
  auto options = options_of(100, {5}, 60, 1500);
  options.base.parameters["history"] = std::int64_t{16};
  also(options, [](sim::Experiment& e, Prng& rng) {
    delays(e, 1 + rng.below(4));
    const std::uint64_t at = 50 + rng.below(100);
    e.faults.push_back(
        testing::crash_of(NodeId{static_cast<std::uint16_t>(rng.below(5))}, at, at + 20));
  });
  testing::check_simulated("raft", safety(), options);
}

}  // namespace
}  // namespace thresher
