// Whole committees of the certified family under the harness: delays, losses, silence, twins and
// restarts. One order at every delivery; everything of correct nodes in it, everywhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "thresher/testing/check.hpp"
#include "thresher/testing/draw.hpp"

namespace thresher {
namespace {

const std::vector<std::uint32_t> kSizes = {4, 5, 6, 7, 10};

struct Member {
  std::string protocol;
  std::map<std::string, sim::Parameter> parameters;
};

std::vector<Member> family() {
  const auto sample = [](std::int64_t size) { return sim::Parameter(size); };
  return {{"bullshark", {}},
          {"bullshark-async", {}},
          {"anchored-bullshark", {{"D", sample(6)}}},
          {"anchored-bullshark", {{"D", sample(0)}}},
          {"sparse-bullshark", {{"D", sample(10)}}},
          {"sparse-bullshark", {{"D", sample(10)}, {"sampling", std::string("verifiable")}}}};
}

class CertifiedSchedules : public ::testing::TestWithParam<Member> {
 protected:
  using Change = std::function<void(sim::Experiment&)>;

  // `payloads` at every node, one every five rounds, and whatever `change` adds.
  static testing::Options options_of(std::uint64_t runs, std::uint64_t payloads,
                                     std::uint64_t longest, Change change) {
    testing::Options options;
    options.runs = runs;
    options.sizes = kSizes;
    options.base.parameters = GetParam().parameters;
    options.base.parameters["gc_depth"] = std::int64_t{50};
    options.base.stop.time = 300 * sim::kUnit;
    options.draw = [=](const sim::Experiment& base, std::uint64_t seed) {
      sim::Experiment e = base;
      e.seed = seed;
      e.network = testing::uneven_links(longest);
      e.workload.kind = sim::Workload::Kind::kOpen;
      e.workload.interval = 5 * sim::kUnit;
      e.workload.requests = payloads * e.n;
      change(e);
      return e;
    };
    return options;
  }
  static void expect_all(const testing::Options& options, std::uint64_t wait) {
    testing::check_simulated(
        GetParam().protocol,
        {testing::agreement(), testing::prefix_order(), testing::integrity(), testing::validity(),
         testing::totality(), testing::accountability(), testing::once(), testing::inclusion(wait)},
        options);
  }
};
INSTANTIATE_TEST_SUITE_P(Family, CertifiedSchedules, ::testing::ValuesIn(family()),
                         [](const auto& suite) {
                           std::string name = suite.param.protocol;
                           std::erase(name, '-');
                           return name + std::to_string(suite.index);
                         });

TEST_P(CertifiedSchedules, EverythingIsDeliveredEverywhereInOneOrder) {
  constexpr std::uint64_t kPayloads = 20;
  auto options = options_of(kSizes.size(), kPayloads, 3, [](sim::Experiment&) {});
  options.observe = [](const sim::Experiment& e, const sim::Outcome& o) {
    EXPECT_EQ(o.latencies.size(), e.n * kPayloads) << "n " << e.n;
    EXPECT_EQ(o.accusations, 0U);
    for (const sim::NodeMeasures& node : o.nodes) EXPECT_EQ(node.refused, 0U) << "n " << e.n;
  };
  expect_all(options, 2700);
}

TEST_P(CertifiedSchedules, SilentNodesLossAndCutLinksOnlyDelay) {
  const auto options = options_of(20, 10, 4, [](sim::Experiment& e) {
    e.network.loss_ppm = 200'000;
    e.network.gst = 150 * sim::kUnit;
    e.network.cut_ppm = 100'000;
    for (std::uint32_t i = 0; i < e.f; ++i) {
      e.faults.push_back({.who = {NodeId{static_cast<std::uint16_t>((e.seed + i) % e.n)}}});
    }
  });
  expect_all(options, 7700);
}

// Each half of the committee sees one face, so evidence is not owed.
TEST_P(CertifiedSchedules, TwinsCannotCertifyTwoVertices) {
  const auto options = options_of(20, 10, 3, [](sim::Experiment& e) {
    const NodeId liar{static_cast<std::uint16_t>(e.seed % e.n)};
    e.faults.push_back({.who = {liar}, .what = sim::FaultKind::kTwins});
  });
  expect_all(options, 5700);
}

// The liar's vertex of the last round is named by nothing, and only some have it. Nothing is left
// to be ordered, so nobody goes on: the others stayed one commit behind.
TEST_P(CertifiedSchedules, WhoRestsHasWhatTheOthersHave) {
  auto options = options_of(20, 10, 3, [](sim::Experiment& e) {
    const NodeId liar{static_cast<std::uint16_t>(e.seed % e.n)};
    e.faults.push_back({.who = {liar}, .what = sim::FaultKind::kTwins});
  });
  options.sizes = {4};
  options.first_seed = 2760;  // bullshark-async, 2765: node 3 delivered 5 of 6
  expect_all(options, 5700);
}

TEST_P(CertifiedSchedules, ARestartedNodeCatchesUp) {
  const auto options = options_of(20, 40, 3, [](sim::Experiment& e) {
    const NodeId victim{static_cast<std::uint16_t>(e.seed % e.n)};
    e.faults.push_back(testing::crash_of(victim, 40 + e.seed % 5, 120));
  });
  expect_all(options, 5700);
}

// Only the slow re-push remains: a certificate and a question to every other node, once in
// idle_push.
TEST_P(CertifiedSchedules, AnIdleCommitteeFallsSilent) {
  constexpr std::uint64_t kSettled = 2000;  // rounds
  constexpr std::uint64_t kEnds[] = {0, 200, 1200};
  std::uint64_t messages[std::size(kEnds)] = {};
  std::size_t run = 0;
  auto options = options_of(std::size(kEnds), 3, 2, [&](sim::Experiment& e) {
    run = e.seed - 1;
    e.seed = 9;
    e.stop.time = (kSettled + kEnds[run]) * sim::kUnit;
  });
  options.sizes = {4};
  options.jobs = 1;
  options.observe = [&](const sim::Experiment&, const sim::Outcome& o) {
    EXPECT_EQ(o.latencies.size(), 12U);
    messages[run] = o.messages;
  };
  expect_all(options, 1000);
  EXPECT_GT(messages[1], messages[0]);
  EXPECT_LE(messages[2] - messages[1], 2U * 4U * 3U * (1000U / 100U + 1U));
}

TEST_P(CertifiedSchedules, TheSameSeedGivesTheSameTrace) {
  std::vector<Digest> traces;
  auto options = options_of(3, 10, 4, [](sim::Experiment& e) { e.seed = e.seed < 3 ? 3 : 4; });
  options.sizes = {7};
  options.jobs = 1;
  options.observe = [&](const sim::Experiment&, const sim::Outcome& o) {
    traces.push_back(o.trace_hash);
  };
  expect_all(options, 2700);
  ASSERT_EQ(traces.size(), 3U);
  EXPECT_EQ(traces[0], traces[1]);
  EXPECT_NE(traces[1], traces[2]);
}

}  // namespace
}  // namespace thresher
