// Slow and lossy links bring coin shares early, late and twice: no correct node is blamed for them,
// in the protocols that toss a coin.
#include <gtest/gtest.h>

#include <algorithm>

#include "../../campaigns.hpp"
#include "thresher/testing/draw.hpp"

namespace thresher {
namespace {

class SlowLinks : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Toss, SlowLinks,
                         ::testing::Values("threshold-coin", "vrf-coin", "mahi-mahi",
                                           "bullshark-async"),
                         [](const auto& one) { return test_name(one.param); });

TEST_P(SlowLinks, NobodyIsBlamed) {
  std::uint64_t decisions = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    sim::Experiment e = fair_weather(GetParam(), seed % 2 == 0 ? 4 : 7);
    e.seed = seed;
    e.engine = sim::Engine::kEvents;
    e.network = testing::uneven_links(1 + seed % 8);
    e.network.gst = 30 * sim::kUnit;
    e.network.loss_ppm = seed % 3 == 0 ? 200'000 : 0;
    e.stop.time = 120 * sim::kUnit;
    const sim::Outcome o = sim::simulate(e, {});
    EXPECT_EQ(o.verdict, sim::Verdict::kPass) << "seed " << seed << ": " << o.why;
    for (std::size_t i = 0; i < o.nodes.size(); ++i) {
      EXPECT_EQ(o.nodes[i].refused, 0u) << "node " << i << ", seed " << seed;
      decisions += o.nodes[i].decisions;
    }
  }
  EXPECT_GT(decisions, 0u);
}

}  // namespace
}  // namespace thresher
