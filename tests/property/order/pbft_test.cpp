// PBFT under the harness: silent, two-faced and crashing nodes, loss and reordering; one order, and
// every request of correct nodes in it, once.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "thresher/testing/check.hpp"
#include "thresher/testing/draw.hpp"

namespace thresher {
namespace {

constexpr std::uint64_t kPayloads = 4;  // of each node
constexpr std::uint64_t kRounds = 300;  // all who crash are back by then
constexpr std::uint64_t kWait = 2000;   // rounds; Delta is up to 5 of them

void expect_all(std::optional<sim::FaultKind> kind, bool lossy, std::uint64_t least_view) {
  testing::Options options;
  options.runs = 20;
  options.sizes = {4, 7};
  options.base.parameters = {{"window", std::int64_t{4}}, {"history", std::int64_t{64}}};
  options.base.stop.time = kRounds * sim::kUnit;
  // f faulty nodes from node 1 on, which is the first leader.
  options.draw = [&](const sim::Experiment& base, std::uint64_t seed) {
    sim::Experiment e = base;
    e.seed = seed;
    e.network = testing::uneven_links(1 + seed % 5);
    if (lossy) {
      e.network.gst = 100 * sim::kUnit;
      e.network.loss_ppm = 300'000;
      e.network.cut_ppm = 200'000;
    }
    e.workload.clients = kPayloads;
    e.workload.requests = kPayloads * e.n;
    for (std::uint32_t k = 1; kind && k <= e.f; ++k) {
      const NodeId id{static_cast<std::uint16_t>(k)};
      const bool crash = *kind == sim::FaultKind::kCrash;
      e.faults.push_back(crash ? testing::crash_of(id, 3 + seed, 60 + seed)
                               : sim::FaultAction{.who = {id}, .what = *kind});
    }
    return e;
  };
  std::uint64_t view = 0;
  options.observe = [&](const sim::Experiment&, const sim::Outcome& o) {
    for (const sim::NodeMeasures& node : o.nodes)
      view = std::max(view, node.faulty ? 0 : node.round);
  };
  testing::check_simulated(
      "pbft",
      {testing::agreement(), testing::prefix_order(), testing::integrity(), testing::validity(),
       testing::totality(), testing::once(), testing::inclusion(kWait)},
      options);
  EXPECT_GE(view, least_view);  // the fault did what it is there for
}

TEST(Pbft, OrdersInTheFirstView) {
  expect_all({}, false, 1);
}
TEST(Pbft, SurvivesSilentNodes) {
  expect_all(sim::FaultKind::kSilent, false, 2);
}
TEST(Pbft, SurvivesTwoFacedNodes) {
  expect_all(sim::FaultKind::kTwins, false, 1);
}
TEST(Pbft, SurvivesTwoFacedNodesAndLoss) {
  expect_all(sim::FaultKind::kTwins, true, 2);
}
TEST(Pbft, SurvivesCrashesAndLoss) {
  expect_all(sim::FaultKind::kCrash, true, 2);
}

}  // namespace
}  // namespace thresher
