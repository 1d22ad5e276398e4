// Approximate agreement: what the cut gives, why witnesses are waited for, restarts.
#include "thresher/protocols/agreement/approximate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "../../timed.hpp"
#include "thresher/protocols/broadcast/bracha.hpp"

namespace thresher {
namespace {

using Node = ApproximateAgreement<Bracha>;

TEST(ApproximateAgreement, CutsAndTakesTheMiddle) {
  using approximate::trimmed_middle;
  EXPECT_EQ(trimmed_middle({5, 1, 9}, 0), 5);
  EXPECT_EQ(trimmed_middle({-1'000'000, 10, 20, 1'000'000}, 1), 15);
  EXPECT_EQ(trimmed_middle({10, 13, 10}, 1), 10);
  const std::int64_t most = (std::int64_t{1} << 62) - 1;
  EXPECT_EQ(trimmed_middle({-most, most}, 0), 0);
}

TEST(ApproximateAgreement, ReadsValuesAndReportsBack) {
  using namespace approximate;  // NOLINT(google-build-using-namespace): its words
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-5}, std::int64_t{1} << 61})
    EXPECT_EQ(decode_values(encode_values({value}).view(), 1), Values{value});
  EXPECT_EQ(decode_values(encode_values({7, -9}).view(), 2), (Values{7, -9}));
  EXPECT_FALSE(decode_values(encode_values({7, -9}).view(), 1));
  EXPECT_FALSE(decode_values(encode_values({7, -9}).view(), 3));
  EXPECT_FALSE(decode_values(encode_values({std::int64_t{1} << 62}).view(), 1));
  EXPECT_FALSE(decode_values(as_view("seven b"), 1));
  const Committee c = *Committee::of(10);
  Report report{7, NodeSet(10), true};
  for (const std::uint16_t id : {std::uint16_t{0}, std::uint16_t{9}})
    report.origins.insert(NodeId{id});
  Writer w;
  encode_report(report, 10, w);
  Reader in(w.view());
  const auto again = decode_report(in, c);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->step, 7u);
  EXPECT_TRUE(again->asks && again->origins == report.origins);
  Reader fewer(w.view().first(w.view().size() - 1));
  EXPECT_FALSE(decode_report(fewer, c));
  std::vector<std::byte> beyond = w.take();
  beyond.back() |= std::byte{0x80};  // node 15
  Reader other(beyond);
  EXPECT_FALSE(decode_report(other, c));
}

class Nodes {
 public:
  Nodes(std::uint32_t rounds, bool witnesses)
      : net(4, [=](NodeId id) {
          Node::Config config;
          config.self = id;
          config.rounds = rounds;
          config.witnesses = witnesses;
          return Node(config);
        }) {
    net.delivered = [this](std::uint16_t i, const approximate::Estimate& e) {
      const auto [it, fresh] = output[i].emplace(e.instance, e.values.front());
      EXPECT_TRUE(fresh || it->second == e.values.front())
          << "a restarted node said something else";
    };
  }
  void approach(std::uint16_t i, std::uint64_t instance, std::int64_t value) {
    net.feed(i, Requested<approximate::Approach>{{instance, {value}}});
  }
  std::int64_t spread(std::uint64_t instance) const {
    std::int64_t low = output[0].at(instance);
    std::int64_t high = low;
    for (const auto& of_node : output) {
      low = std::min(low, of_node.at(instance));
      high = std::max(high, of_node.at(instance));
    }
    return high - low;
  }

  Timed<Node> net;
  std::array<std::map<std::uint64_t, std::int64_t>, 4> output;
};

TEST(ApproximateAgreement, GivesNearNumbersInstanceAfterInstance) {
  Nodes run(10, true);
  for (std::uint64_t k = 0; k < 3; ++k) {
    for (std::uint16_t i = 0; i < 4; ++i) run.approach(i, k, 1000 * i);
  }
  run.net.run_until(400 * kDelta);
  for (std::uint64_t k = 0; k < 3; ++k) EXPECT_LE(run.spread(k), 3000 / 1024 + 1);
}

TEST(ApproximateAgreement, ARestartAtAnyTimeChangesNoOutput) {
  for (std::uint64_t at = 100; at < 9000; at += 450) {
    Nodes run(6, true);
    for (std::uint16_t i = 0; i < 4; ++i) run.approach(i, 0, 640 * i);
    run.net.run_until(at);
    run.net.restart(2);
    if (!run.net.node(2).result(0)) run.approach(2, 0, 640 * 2);  // its owner asks again
    run.net.run_until(at + 400 * kDelta);
    for (const auto& of_node : run.output) ASSERT_TRUE(of_node.contains(0)) << "at " << at;
    EXPECT_LE(run.spread(0), 3 * 640 / 64 + 1);
  }
}

// Node 0 reports {0, 1, 2} and restarts; its report is back, and what it had of node 1 is not. It
// counted itself as a witness all the same, so a liar that told each of two nodes what fits was
// enough: they had no value in common that counts, and 0 and 1000 stayed 1000 apart.
TEST(ApproximateAgreement, WhoRestartsIsAWitnessOfWhatItHas) {
  Timed<Node> net(4, [](NodeId id) {
    Node::Config config;
    config.self = id;
    config.rounds = 1;
    return Node(config);
  });
  bool restarted = false;
  bool healed = false;
  // Of origin 1 nothing comes to node 2, nor to node 0 once it is back; of origin 3 node 0 hears
  // late, and node 1 later.
  net.link = [&](std::uint16_t from, std::uint16_t to, const Node::Message& m) -> std::int64_t {
    if (healed) return 300;
    if (std::holds_alternative<approximate::Report>(m)) return from == 3 ? kLost : 300;
    const auto& b = std::get<Bracha::Message>(m);
    if (const auto* s = std::get_if<bracha::Statement>(&b)) {
      const bool last = s->counter == bracha::kReadied || from == 2;
      if (s->instance.origin == NodeId{1} && (to == 2 || (restarted && to == 0))) return kLost;
      if (s->instance.origin == NodeId{3} && last && (to == 1 || (to == 0 && !restarted)))
        return kLost;
    }
    const auto* init = std::get_if<bracha::Init>(&b);
    return init != nullptr && init->instance.origin == NodeId{1} && to == 2 ? kLost : 300;
  };
  const auto lies = [&](std::uint16_t to, std::initializer_list<std::uint16_t> origins) {
    approximate::Report report{0, NodeSet(4), false};
    for (const std::uint16_t id : origins) report.origins.insert(NodeId{id});
    healed = true;  // for this one
    net.say(3, to, report);
    healed = false;
  };
  const std::int64_t inputs[] = {0, 0, 1000, 1000};
  for (std::uint16_t i = 0; i < 4; ++i)
    net.feed(i, Requested<approximate::Approach>{{0, {inputs[i]}}});
  net.at(1600, [&] { lies(1, {0, 1, 2}); });
  net.run_until(2500);
  restarted = true;
  net.restart(0);
  net.at(2600, [&] { lies(0, {0, 2, 3}); });
  net.run_until(30 * kDelta);
  healed = true;
  net.run_until(200 * kDelta);
  std::vector<std::int64_t> out;
  for (std::uint16_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(net.node(i).result(0)) << i;
    out.push_back(net.node(i).result(0)->front());
  }
  const auto [least, most] = std::ranges::minmax(out);
  EXPECT_LE(most - least, 1000 / 2 + 1);
}

TEST(ApproximateAgreement, WhoWasAwayCatchesUpWithoutAnInput) {
  Nodes run(6, true);
  run.net.run_until(kDelta);
  run.net.kill(3);
  for (std::uint64_t k = 0; k < 3; ++k) {
    for (std::uint16_t i = 0; i < 3; ++i) run.approach(i, k, 640 * i);
  }
  run.net.run_until(100 * kDelta);
  EXPECT_EQ(run.net.node(0).current(), 3u);
  run.net.restart(3);
  run.net.run_until(200 * kDelta);
  for (std::uint64_t k = 0; k < 3; ++k) EXPECT_LE(run.spread(k), 2 * 640 / 64 + 1);
}

// An input without followers would wait for this for ever.
TEST(ApproximateAgreement, WhoGivesNoInputOutputsWithTheOthers) {
  Nodes run(4, true);
  for (std::uint16_t i = 0; i < 3; ++i) run.approach(i, 0, 160 * i);
  run.net.run_until(100 * kDelta);
  EXPECT_LE(run.spread(0), 2 * 160 / 16 + 1);
  run.approach(3, 0, 5);
  EXPECT_EQ(run.net.node(3).refused(), 1u);  // too late
}

// 0 has all values and no report; 1 to 3 have three values and the reports.
TEST(ApproximateAgreement, AllValuesNeedNoWitness) {
  Nodes run(1, true);
  run.net.link = [](std::uint16_t, std::uint16_t to, const Node::Message& m) -> std::int64_t {
    return to == 0 && std::holds_alternative<approximate::Report>(m) ? kLost : 300;
  };
  for (std::uint16_t i = 0; i < 4; ++i) run.approach(i, 0, 300 * i);
  run.net.run_until(100 * kDelta);
  EXPECT_LE(run.spread(0), 3 * 300 / 2 + 1);
}

// Nodes 0 and 1 deliver the value of 3 late, 2 and 3 that of 0. Echoes of 1 and 2 take longer than
// others, or all four would be enough for a delivery without readies.
std::int64_t two_views(std::uint16_t from, std::uint16_t to, const Node::Message& m) {
  const auto* b = std::get_if<Bracha::Message>(&m);
  const auto* s = b == nullptr ? nullptr : std::get_if<bracha::Statement>(b);
  if (s == nullptr) return 300;
  if (s->counter == bracha::kEcho) return from == 1 || from == 2 ? 1500 : 300;
  return s->instance.origin.value == (to < 2 ? 3 : 0) ? 20 * kDelta : 300;
}

// 0 0 1000 and 0 1000 1000 have different middles: two values in common halve nothing.
TEST(ApproximateAgreement, WithoutWitnessesNothingIsHalved) {
  for (const bool witnesses : {true, false}) {
    Nodes run(1, witnesses);
    run.net.link = two_views;
    for (std::uint16_t i = 0; i < 4; ++i) run.approach(i, 0, i < 2 ? 0 : 1000);
    run.net.run_until(100 * kDelta);
    EXPECT_EQ(run.spread(0) <= 1000 / 2 + 1, witnesses) << run.spread(0);
  }
}

TEST(ApproximateAgreement, WhoAsksWithoutEndIsAnsweredSoOften) {
  Nodes run(40, true);
  std::size_t told = 0;
  run.net.link = [&](std::uint16_t from, std::uint16_t to, const Node::Message& m) -> std::int64_t {
    const auto* report = std::get_if<approximate::Report>(&m);
    told += report != nullptr && !report->asks && from == 0 && to == 3 ? 1 : 0;
    return 300;
  };
  for (std::uint64_t k = 0; k < 3; ++k) {
    for (std::uint16_t i = 0; i < 4; ++i) run.approach(i, k, 1000 * i);
  }
  run.net.run_until(500 * kDelta);
  ASSERT_EQ(run.net.node(0).current(), 3u);
  for (const std::uint64_t spell : {0u, 1u}) {
    told = 0;
    for (int k = 0; k < 100; ++k) run.net.say(3, 0, approximate::Report{0, NodeSet(4), true});
    run.net.run_until((501 + 5 * spell) * kDelta);
    EXPECT_EQ(told, approximate::kAnswers);
    run.net.run_until((505 + 5 * spell) * kDelta);
  }
}

TEST(ApproximateAgreement, RefusesWhatIsOutOfReach) {
  Nodes run(2, true);
  run.approach(0, 4, 1);
  run.approach(0, 0, std::int64_t{1} << 62);
  EXPECT_EQ(run.net.node(0).refused(), 2u);
  run.net.say(3, 0, approximate::Report{0, NodeSet(4), false});  // of nothing
  run.net.say(3, 0, approximate::Report{1000, NodeSet(4), false});
  run.net.run_until(kDelta);
  EXPECT_EQ(run.net.node(0).refused(), 4u);
  EXPECT_EQ(run.net.node(0).reports(), 0u);
}

}  // namespace
}  // namespace thresher
