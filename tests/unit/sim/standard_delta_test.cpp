// What an experiment's Delta is where its file does not say it.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "thresher/sim/network.hpp"
#include "thresher/sim/outcome.hpp"
#include "thresher/sim/read.hpp"

namespace thresher::sim {
namespace {

Experiment one(const std::string& members) {
  const std::string protocol = members.find("\"protocol") == std::string::npos
                                   ? R"("protocol": {"name": "thresher"}, )"
                                   : "";
  const auto out = read_experiments("{\"schema\": 1, " + protocol + members + "}",
                                    {"e", {}, simulated_protocols()});
  if (!out) {
    ADD_FAILURE() << testing::PrintToString(out.error());
    return {};
  }
  return out->front().experiment;
}

// It was that of one hop, so that time-outs ran out before the first answer from far away.
TEST(StandardDelta, IsTwiceTheLongestWayOverATopology) {
  const auto delta = [](const std::string& members) { return one(members).network.delta; };
  EXPECT_EQ(delta(R"("committee": {"n": 7}, "network": {"topology": "chain"})"), 12 * kUnit);
  EXPECT_EQ(delta(R"("committee": {"n": 7}, "network": {"topology": "star", "delay": 5})"),
            20 * kUnit);
  EXPECT_EQ(delta(R"("committee": {"n": 7}, "network": {"topology": "chain", "delta": 3,
      "reorder": 0.1})"),
            3 * kUnit);
  EXPECT_EQ(delta(R"("committee": {"n": 7}, "network": {"topology": "chain", "reorder": 0.1})"),
            12 * kUnit);
  const std::string random =
      R"("committee": {"n": 40}, "network": {"topology": "random", "degree": 2},
      "seed": )";
  for (const char* seed : {"1", "2", "3"}) {
    const Experiment e = one(random + seed);
    EXPECT_EQ(e.network.delta, 2 * Links(e, NodeSet(e.n)).slowest()) << seed;
    const auto again =
        read_experiments(write_experiment(e), {"again.json", {}, simulated_protocols()});
    ASSERT_TRUE(again);
    EXPECT_EQ(again->front().experiment.network.delta, e.network.delta);
  }
}

// All repeats had the Delta of the first one's graph.
TEST(StandardDelta, IsThatOfEachRepeatsGraph) {
  const auto cells = read_experiments(
      R"({"schema": 1, "protocol": {"name": "thresher"}, "committee": {"n": 40}, "repeats": 8,
          "network": {"topology": "random", "degree": 3}})",
      {"e", {}, simulated_protocols()});
  ASSERT_TRUE(cells);
  std::set<Ticks> deltas;
  for (const Cell& cell : *cells) {
    const Experiment& e = cell.experiment;
    deltas.insert(e.network.delta);
    EXPECT_EQ(e.network.delta, 2 * Links(e, NodeSet(e.n)).slowest()) << e.seed;
  }
  EXPECT_GT(deltas.size(), 1U);
}

// Time-outs of one hop: nobody was ever elected.
TEST(StandardDelta, LetsRaftElectOverALongChain) {
  const Experiment e = one(R"("protocol": {"name": "raft"}, "committee": {"n": 60},
    "network": {"topology": "chain"}, "stop": {"time": 4000})");
  const Outcome o = simulate(e, {});
  EXPECT_EQ(o.verdict, Verdict::kPass) << o.why;
  EXPECT_GT(o.decisions, 100U);
}

}  // namespace
}  // namespace thresher::sim
