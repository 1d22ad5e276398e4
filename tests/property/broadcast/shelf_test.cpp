// Every broadcast of the shelf under the harness that users have: drawn faults, delays, partitions
// and schedulers, liars that keep on broadcasting, committees of 3f+1, 3f+2, 3f+3 and 4f+1 nodes
// (of 5f+1 and more where the protocol needs that), in both engines.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "thresher/testing/check.hpp"

namespace thresher {
namespace {

namespace harness = ::thresher::testing;

struct OnShelf {
  const char* name;
  std::vector<std::uint32_t> sizes;
};

const std::vector<OnShelf>& shelf() {
  static const std::vector<OnShelf> all{
      {"bracha", {4, 5, 6, 7, 8, 9}},           {"imbs-raynal", {6, 7, 8, 11, 12}},
      {"signed-broadcast", {4, 5, 6, 7, 8, 9}}, {"certified-broadcast", {4, 5, 6, 7, 8, 9}},
      {"chained-echo", {4, 5, 6, 7, 8, 9}},     {"avid", {4, 5, 6, 7, 8, 9}},
      {"das-xiang-ren", {4, 5, 6, 7, 8, 9}},
  };
  return all;
}

const std::vector<harness::Property>& promised() {
  static const std::vector<harness::Property> all{harness::agreement(), harness::integrity(),
                                                  harness::validity(), harness::totality(),
                                                  harness::accountability()};
  return all;
}

/// THRESHER_SCHEDULES: how many to play, for a longer look than a test has time for.
std::uint64_t schedules(std::uint64_t standard) {
  const char* asked = std::getenv("THRESHER_SCHEDULES");
  return asked == nullptr ? standard : std::strtoull(asked, nullptr, 10);
}

harness::Options options_of(const OnShelf& one, std::uint64_t runs) {
  harness::Options o;
  o.runs = schedules(runs);
  o.sizes = one.sizes;
  o.base.workload = {.kind = sim::Workload::Kind::kOpen,
                     .interval = 4 * sim::kUnit,
                     .liars_interval = 2 * sim::kUnit};
  o.base.stop.time = 60 * sim::kUnit;
  o.folder = ::testing::TempDir();
  return o;
}

class Shelf : public ::testing::TestWithParam<OnShelf> {};

INSTANTIATE_TEST_SUITE_P(Broadcasts, Shelf, ::testing::ValuesIn(shelf()), [](const auto& one) {
  std::string name = one.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// What was exercised is printed: a campaign in which no attack fires has shown nothing.
void play(const std::string& protocol, harness::Options o) {
  o.menu = sim::menu_of(protocol);
  const auto report = harness::check(protocol, sim::simulate, promised(), o,
                                     harness::this_test(harness::this_program()));
  EXPECT_TRUE(report.passed) << report.text;
  std::printf("%s: %s\n", protocol.c_str(), report.text.c_str());
}

TEST_P(Shelf, KeepsItsPromisesUnderDrawnSchedules) {
  play(GetParam().name, options_of(GetParam(), 120));
}

TEST_P(Shelf, KeepsItsPromisesInTheEventsEngine) {
  harness::Options o = options_of(GetParam(), 40);
  o.first_seed = 100'000;
  o.base.engine = sim::Engine::kEvents;
  play(GetParam().name, o);
}

// Lossy before GST, so that nothing arrives unless it is sent again.
TEST_P(Shelf, KeepsItsPromisesWhenMessagesAreLost) {
  harness::Options o = options_of(GetParam(), 40);
  o.first_seed = 200'000;
  o.base.network.loss_ppm = 300'000;
  o.base.network.cut_ppm = 200'000;
  o.base.network.gst = 40 * sim::kUnit;
  play(GetParam().name, o);
}

// Nothing but time passes: whoever lacks something is told, and all is delivered everywhere.
TEST_P(Shelf, DeliversEverythingInFairWeather) {
  for (const std::uint32_t n : GetParam().sizes) {
    sim::Experiment e;
    e.protocol = GetParam().name;
    e.n = n;
    for (const sim::ProtocolInfo& info : sim::simulated_protocols()) {
      if (info.name == e.protocol) e.f = info.faults_of(n);
    }
    e.workload = {.clients = 1, .requests = 5 * n};
    e.stop.time = 300 * sim::kUnit;
    const sim::Outcome o = sim::simulate(e, {});
    EXPECT_EQ(o.verdict, sim::Verdict::kPass) << o.why;
    for (const sim::NodeMeasures& node : o.nodes) {
      EXPECT_EQ(node.decisions, 5 * n) << e.protocol << ", n = " << n;
      EXPECT_EQ(node.refused, 0u) << e.protocol << ", n = " << n;
    }
  }
}

}  // namespace
}  // namespace thresher
