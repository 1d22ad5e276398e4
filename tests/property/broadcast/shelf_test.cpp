// Every broadcast of the shelf under the harness that users have: drawn faults, delays, partitions
// and schedulers, liars that keep on broadcasting, committees of 3f+1, 3f+2, 3f+3 and 4f+1 nodes
// (of 5f+1 and more where the protocol needs that), in both engines.
#include <gtest/gtest.h>

#include "../../campaigns.hpp"

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

harness::Options options_of(const OnShelf& one, std::uint64_t runs) {
  harness::Options o = campaign(runs, one.sizes);
  o.base.workload = {.kind = sim::Workload::Kind::kOpen,
                     .interval = 4 * sim::kUnit,
                     .liars_interval = 2 * sim::kUnit};
  o.base.stop.time = 60 * sim::kUnit;
  o.menu = sim::menu_of(one.name);
  return o;
}

class Shelf : public ::testing::TestWithParam<OnShelf> {};

INSTANTIATE_TEST_SUITE_P(Broadcasts, Shelf, ::testing::ValuesIn(shelf()),
                         [](const auto& one) { return test_name(one.param.name); });

TEST_P(Shelf, KeepsItsPromisesUnderDrawnSchedules) {
  play(GetParam().name, promised(), options_of(GetParam(), 30));
}

TEST_P(Shelf, KeepsItsPromisesInTheEventsEngine) {
  play(GetParam().name, promised(), in_the_events_engine(options_of(GetParam(), 20)));
}

TEST_P(Shelf, KeepsItsPromisesWhenMessagesAreLost) {
  play(GetParam().name, promised(), with_losses(options_of(GetParam(), 20)));
}

// Nothing but time passes: a node that lacks something hears so, and all is delivered everywhere.
TEST_P(Shelf, DeliversEverythingInFairWeather) {
  for (const std::uint32_t n : GetParam().sizes) {
    sim::Experiment e = fair_weather(GetParam().name, n);
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
