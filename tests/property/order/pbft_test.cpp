// PBFT in the simulated world: silent, two-faced and crashing nodes, loss and reordering; the
// common prefix at every delivery, every payload of correct nodes at the end.
#include "thresher/protocols/order/pbft.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "thresher/sim/world.hpp"

namespace thresher {
namespace {

struct Outcome {
  std::string problem;
  bool progress = false;  ///< all payloads of correct nodes are delivered by all correct ones
  std::uint64_t view = 0;
};

std::string text_of(std::uint32_t origin, int number, int side) {
  return std::to_string(origin) + "/" + std::to_string(number) + "/" + std::to_string(side);
}

Outcome play(const sim::Plan& plan, int payloads, std::uint64_t ticks) {
  const std::uint32_t n = plan.committee.size();
  sim::World<Pbft> world(plan, [&](NodeId id) {
    return Pbft({.committee = plan.committee, .self = id, .window = 4, .history = 64});
  });
  Outcome out;
  std::vector<pbft::Delivery> order;  // the longest known
  std::vector<std::size_t> at(n);
  std::map<std::string, int> times;
  world.on_deliver = [&](NodeId id, const pbft::Delivery& d) {
    const std::size_t k = at[id.value]++;
    if (k == order.size()) {
      order.push_back(d);
      if (++times[std::string(as_text(d.value.view()))] > 1) out.problem = "delivered twice";
    }
    if (order[k].slot != d.slot || !(order[k].value == d.value))
      out.problem = "node " + std::to_string(id.value) + " forks at " + std::to_string(k);
  };
  std::size_t due = 0;
  for (std::uint16_t i = 0; i < n; ++i) {
    for (int k = 0; k < payloads; ++k) {
      for (const int side : {0, 1})
        world.request(NodeId{i}, {Bytes::copy_of(as_view(text_of(i, k, side)))}, side);
      due += plan.faults.contains(NodeId{i}) ? 0 : 1;
    }
  }
  const auto settled = [&] {
    std::size_t done = 0;
    for (std::uint16_t i = 0; i < n; ++i) {
      if (plan.faults.contains(NodeId{i})) continue;
      for (int k = 0; k < payloads; ++k) done += times.contains(text_of(i, k, 0)) ? 1 : 0;
    }
    for (std::uint16_t i = 0; i < n; ++i) {
      const auto fault = plan.faults.find(NodeId{i});
      if (fault != plan.faults.end() && fault->second.kind == sim::FaultKind::kCrash &&
          (world.now() <= fault->second.back || !world.up(NodeId{i})))
        return false;
      if (world.correct(NodeId{i}) && at[i] < order.size()) return false;
    }
    return done == due;
  };
  world.run_until([&] {
    out.progress = settled();
    return out.progress || !out.problem.empty() || world.now() >= ticks;
  });
  for (std::uint16_t i = 0; i < n; ++i) {
    if (world.correct(NodeId{i})) out.view = std::max(out.view, world.node(NodeId{i}).view());
  }
  return out;
}

/// f faulty nodes from node 1 on, which is the first leader.
sim::Plan plan_of(std::uint32_t n, std::uint64_t seed, std::optional<sim::FaultKind> kind) {
  sim::Plan plan;
  plan.committee = *Committee::of(n);
  plan.seed = seed;
  plan.delay_max = 1 + seed % 5;
  plan.delta = plan.delay_max;
  if (kind) {
    for (std::uint16_t k = 0; k < plan.committee.faults(); ++k)
      plan.faults[NodeId{static_cast<std::uint16_t>(1 + k)}] = {*kind, 3 + seed, 60 + seed};
  }
  return plan;
}

void expect_all(std::optional<sim::FaultKind> kind, bool lossy, std::uint64_t least_view) {
  std::uint64_t view = 0;
  for (const std::uint32_t n : {4u, 7u}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      sim::Plan plan = plan_of(n, seed, kind);
      if (lossy) {
        plan.gst = 100;
        plan.loss_ppm = 300'000;
        plan.cut_ppm = 200'000;
      }
      const Outcome out = play(plan, 4, 20'000);
      EXPECT_EQ(out.problem, "") << "n " << n << " seed " << seed;
      EXPECT_TRUE(out.progress) << "NoProgress: n " << n << " seed " << seed << " view "
                                << out.view;
      view = std::max(view, out.view);
    }
  }
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
