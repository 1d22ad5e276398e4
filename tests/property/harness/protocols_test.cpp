// The project's own protocols under the harness that users have: drawn faults, delays, partitions
// and schedulers, each protocol judged by what it promises.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "../../how_many.hpp"
#include "thresher/testing/check.hpp"

namespace thresher {
namespace {

namespace harness = ::thresher::testing;
using harness::Property;

struct Promise {
  const char* protocol;
  std::vector<Property> properties;
};

std::vector<Property> broadcast() {
  return {harness::agreement(), harness::integrity(), harness::validity(), harness::totality(),
          harness::accountability()};
}
std::vector<Property> order() {
  std::vector<Property> all = broadcast();
  all.push_back(harness::prefix_order());
  all.push_back(harness::bounded_liveness());
  return all;
}

const std::vector<Promise>& promises() {
  static const std::vector<Promise> list{
      {"bracha", broadcast()},         {"pbft", order()},      {"raft", order()},
      {"thresher", order()},           {"mysticeti", order()}, {"bullshark", order()},
      {"anchored-bullshark", order()}, {"simplex", order()},   {"hotstuff2", order()},
  };
  return list;
}

class Promised : public ::testing::TestWithParam<Promise> {};

INSTANTIATE_TEST_SUITE_P(Protocols, Promised, ::testing::ValuesIn(promises()),
                         [](const auto& instance) {
                           std::string name = instance.param.protocol;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(Promised, IsKeptUnderDrawnSchedules) {
  harness::Options options;
  options.runs = how_many(40, 120);
  options.sizes = {4, 5, 7, 10};
  harness::check_simulated(GetParam().protocol, GetParam().properties, options);
}

// Lossy before GST, so that nothing arrives unless it is sent again.
TEST_P(Promised, IsKeptWhenMessagesAreLost) {
  harness::Options options;
  options.runs = how_many(20, 60);
  options.first_seed = 10'000;
  options.sizes = {4, 7};
  options.base.network.loss_ppm = 300'000;
  options.base.network.cut_ppm = 200'000;
  options.base.network.gst = 40 * sim::kUnit;
  harness::check_simulated(GetParam().protocol, GetParam().properties, options);
}

// Found by the first of these tests: a header of round 1 that says it is of a later round has no
// parents to leave out, which divided by zero.
TEST(Certified, ALiarMayChangeTwoFieldsOfAMessage) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    sim::Experiment e;
    e.protocol = "bullshark";
    e.seed = seed;
    e.stop.rounds = 6;
    for (const char* field : {"round", "parents"})
      e.faults.push_back({.who = {NodeId{3}}, .what = sim::FaultKind::kMutate, .field = field});
    const sim::Outcome o = sim::simulate(e, {});
    EXPECT_EQ(o.verdict, sim::Verdict::kPass) << o.why;
    EXPECT_GT(o.faults_fired, 0U);
  }
}

// A client that waits for each answer goes where requests are ordered: an append and its answers.
TEST(Raft, ALoneClientAsksTheLeader) {
  constexpr std::uint64_t kRounds = 1000;
  std::set<NodeId> leaders;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    sim::Experiment e;
    e.protocol = "raft";
    e.n = 5;
    e.f = 2;
    e.seed = seed;
    e.workload.one_at_a_time = true;
    e.stop.rounds = kRounds;
    sim::Outcome o = sim::simulate(e, {});
    EXPECT_EQ(o.verdict, sim::Verdict::kPass) << o.why;
    EXPECT_GT(o.decisions, kRounds * 9 / 20);
    std::sort(o.latencies.begin(), o.latencies.end());
    EXPECT_EQ(o.latencies[o.latencies.size() / 2], 2 * sim::kUnit);
    for (std::uint16_t i = 0; i < e.n; ++i) {  // who sends most leads
      if (o.nodes[i].messages_sent > kRounds) leaders.insert(NodeId{i});
    }
  }
  EXPECT_GT(leaders.size(), 1U);
}

}  // namespace
}  // namespace thresher
