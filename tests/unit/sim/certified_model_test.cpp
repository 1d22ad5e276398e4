// The model of arXiv 2506.13998 in experiments of the certified family: edges, and what is counted.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "thresher/core/committee.hpp"
#include "thresher/sim/outcome.hpp"

namespace thresher::sim {
namespace {

Experiment dense(const std::string& edges) {
  Experiment e;
  e.protocol = "bullshark";
  e.n = 31;
  e.f = 10;
  e.engine = Engine::kEvents;
  e.network.delay = {DelayLaw::Kind::kNormal, 50 * kUnit, 10 * kUnit, 20 * kUnit, 80 * kUnit};
  e.network.delta = 2000 * kUnit;
  e.network.nic_bits_per_s = 1'000'000'000;
  e.network.nic_saves_up = true;
  e.workload.kind = Workload::Kind::kNone;
  e.oracles.totality = false;
  e.stop.time = 3000 * kUnit;
  e.parameters["rests"] = false;
  e.parameters["edges"] = edges;
  e.parameters["sizes"] = std::string("published");
  return e;
}

/// How many vertices have so many parents, those of the first round left out.
struct Degrees final : TraceSink {
  void event(const TraceEvent& e) override {
    if (e.kind != TraceEvent::Kind::kVertex || e.round < 2) return;
    ++counts[static_cast<std::uint32_t>(std::count(e.detail.begin(), e.detail.end(), ' '))];
  }
  std::map<std::uint32_t, std::uint64_t> counts;
};

TEST(FewestEdges, GiveEveryVertexAQuorumOfParents) {
  Degrees degrees;
  const Outcome o = simulate(dense("fewest"), {&degrees});
  EXPECT_EQ(o.verdict, Verdict::kPass) << o.why;
  EXPECT_GT(o.decisions, 3U);
  ASSERT_FALSE(degrees.counts.empty());
  const std::uint32_t quorum = Committee::make(31, 10)->at_least(kAvailability);
  for (const auto& [parents, vertices] : degrees.counts) EXPECT_EQ(parents, quorum) << vertices;
}

TEST(FewestEdges, AreFewerThanAll) {
  const Outcome all = simulate(dense("all"), {});
  const Outcome fewest = simulate(dense("fewest"), {});
  EXPECT_EQ(all.verdict, Verdict::kPass) << all.why;
  ASSERT_GT(fewest.vertices, 0U);
  EXPECT_LT(static_cast<double>(fewest.bytes) / static_cast<double>(fewest.vertices),
            static_cast<double>(all.bytes) / static_cast<double>(all.vertices));
}

TEST(SignaturesChecked, AreAQuorumACertificateOrOneThatStandsForIt) {
  Experiment e = dense("all");
  const auto checked = [&](const std::string& certificates) {
    e.parameters["certificates"] = certificates;
    const Outcome o = simulate(e, {});
    for (const Measure& m : o.measures) {
      if (m.name == "signatures_per_vertex") return m.value;
    }
    return -1.0;
  };
  // A node also checks a quorum of votes for one vertex in 31, its own.
  const double quorum = Committee::make(31, 10)->at_least(kQuorum);
  EXPECT_NEAR(checked("list"), quorum, 2);
  EXPECT_NEAR(checked("one"), 1 + quorum / 31, 0.5);
}

}  // namespace
}  // namespace thresher::sim
