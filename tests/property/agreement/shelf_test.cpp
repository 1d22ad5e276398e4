// Every agreement of the shelf under the harness that users have: drawn faults, delays, partitions
// and schedulers, liars that keep on proposing, committees of 3f+1, 3f+2, 3f+3 and 4f+1 nodes (of
// 5f+1 and more where the protocol needs that), in both engines.
#include <gtest/gtest.h>

#include <cstdio>

#include "agreements.hpp"
#include "thresher/testing/check.hpp"

namespace thresher {
namespace {

namespace harness = ::thresher::testing;

const std::vector<harness::Property>& promised() {
  static const std::vector<harness::Property> all{harness::agreement(), harness::integrity(),
                                                  harness::validity(), harness::totality(),
                                                  harness::bounded_liveness()};
  return all;
}

harness::Options options_of(const OnTables& one, std::uint64_t runs) {
  harness::Options o;
  o.runs = schedules(runs);
  o.sizes = one.sizes;
  o.base.workload = {.kind = sim::Workload::Kind::kOpen,
                     .interval = 6 * sim::kUnit,
                     .liars_interval = 2 * sim::kUnit};
  o.base.stop.time = 60 * sim::kUnit;
  o.folder = ::testing::TempDir();
  return o;
}

class Agreements : public ::testing::TestWithParam<OnTables> {};

INSTANTIATE_TEST_SUITE_P(All, Agreements, ::testing::ValuesIn(agreements()),
                         [](const auto& one) { return test_name(one.param.name); });

// What was exercised is printed: a campaign in which no attack fires has shown nothing.
void play(const std::string& protocol, harness::Options o) {
  o.menu = sim::menu_of(protocol);
  if (protocol != "ben-or") o.menu.faults.push_back(sim::FaultKind::kNoShare);
  const auto report = harness::check(protocol, sim::simulate, promised(), o,
                                     harness::this_test(harness::this_program()));
  EXPECT_TRUE(report.passed) << report.text;
  std::printf("%s: %s\n", protocol.c_str(), report.text.c_str());
}

TEST_P(Agreements, KeepTheirPromisesUnderDrawnSchedules) {
  play(GetParam().name, options_of(GetParam(), 120));
}

TEST_P(Agreements, KeepTheirPromisesInTheEventsEngine) {
  harness::Options o = options_of(GetParam(), 40);
  o.first_seed = 100'000;
  o.base.engine = sim::Engine::kEvents;
  play(GetParam().name, o);
}

// Lossy before GST, so that nothing arrives unless it is sent again.
TEST_P(Agreements, KeepTheirPromisesWhenMessagesAreLost) {
  harness::Options o = options_of(GetParam(), 40);
  o.first_seed = 200'000;
  o.base.network.loss_ppm = 300'000;
  o.base.network.cut_ppm = 200'000;
  o.base.network.gst = 40 * sim::kUnit;
  play(GetParam().name, o);
}

// With the real coin, which verifies what liars send as shares.
TEST_P(Agreements, KeepTheirPromisesWithTheRealCoin) {
  harness::Options o = options_of(GetParam(), 20);
  o.first_seed = 300'000;
  o.base.parameters["coin"] = std::string("threshold");
  play(GetParam().name, o);
}

TEST_P(Agreements, DecideEverythingInFairWeather) {
  for (const std::uint32_t n : GetParam().sizes) {
    sim::Experiment e;
    e.protocol = GetParam().name;
    e.n = n;
    for (const sim::ProtocolInfo& info : sim::simulated_protocols()) {
      if (info.name == e.protocol) e.f = info.faults_of(n);
    }
    e.workload = {.clients = 1, .requests = 20 * n};
    e.stop.time = 2000 * sim::kUnit;
    const sim::Outcome o = sim::simulate(e, {});
    EXPECT_EQ(o.verdict, sim::Verdict::kPass) << o.why;
    for (const sim::NodeMeasures& node : o.nodes)
      EXPECT_EQ(node.decisions, 20u) << e.protocol << ", n = " << n;
  }
}

}  // namespace
}  // namespace thresher
