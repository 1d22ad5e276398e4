// Every oracle fails where it must: wrong protocols, lost work, slander.
#include "thresher/sim/oracles.hpp"

#include <gtest/gtest.h>

#include "thresher/sim/run.hpp"

namespace thresher::sim {
namespace {

/// A broadcast as naive as can be, with one thing wrong: each node numbers and sends what is
/// submitted, and outputs what it hears.
struct Naive {
  enum Wrong {
    kNothing,
    kFork,     // node 2 outputs other bytes
    kTwice,    // node 2 outputs everything twice
    kInvents,  // node 2 outputs what nobody submitted
    kDeaf,     // node 2 outputs nothing
    kSlander,  // node 2 accuses node 1
    kSwaps,    // node 2 outputs the second before the first
  };
  struct Message {
    std::uint64_t number = 0;
    Bytes value;
  };
  struct Output {
    std::uint64_t key = 0;
    Bytes value;
  };
  struct Request {
    Bytes value;
  };
  using Fx = EffectsOf<Naive>;

  NodeId self{};
  Wrong wrong = kNothing;
  std::uint64_t sent = 0;
  std::optional<Output> held{};

  void on(const Requested<Request>& r, Fx& fx) {
    const Message m{++sent, r.request.value};
    fx.broadcast(m);
    take(m, fx);
  }
  void on(const Received<Message>& m, Fx& fx) { take(m.message, fx); }

 private:
  void take(const Message& m, Fx& fx) {
    const bool bad = self.value == 2;
    if (bad && wrong == kSlander) fx.push(Accuse{NodeId{1}, {}});
    if (bad && wrong == kDeaf) return;
    if (bad && wrong == kFork) return fx.deliver({m.number, Bytes::copy_of(as_view("other"))});
    if (bad && wrong == kInvents)
      return fx.deliver({m.number + 100, make_payload({NodeId{1}, 77}, 16)});
    if (bad && wrong == kSwaps && m.number < 3) {
      if (!held) {
        held = Output{m.number, m.value};
        return;
      }
      fx.deliver({m.number, m.value});
      return fx.deliver(*std::exchange(held, std::nullopt));
    }
    fx.deliver({m.number, m.value});
    if (bad && wrong == kTwice) fx.deliver({m.number, m.value});
  }
};

template <bool kTotal>
struct NaiveSubject {
  using Node = Naive;
  static constexpr bool kOrdered = kTotal;
  Naive::Wrong wrong;

  Naive make(NodeId id) const { return {id, wrong}; }
  Naive::Request request(const Bytes& payload) const { return {payload}; }
  MessageFacts facts_of(const Naive::Message& m) const { return {"value", m.number, 24}; }
  OutputFacts facts_of(const Naive::Output& o) const {
    return {.key = o.key, .digest = hash(o.value.view())};
  }
  template <class F>
  void payloads(const Naive::Output& o, std::optional<NodeId>, F visit) const {
    visit(o.value.view(), std::nullopt);
  }
  bool mutate(Naive::Message&, NodeId, std::string_view, std::uint64_t) const { return false; }
  std::uint64_t round(const Naive& node) const { return node.sent; }
  std::uint64_t refused(const Naive&) const { return 0; }
};

Experiment alone() {
  Experiment e;
  e.workload.one_at_a_time = true;
  e.workload.requests = 5;
  e.stop.time = 20 * kUnit;
  return e;
}

template <bool kTotal>
Outcome with(Naive::Wrong wrong, const Experiment& e = alone()) {
  return run(NaiveSubject<kTotal>{wrong}, e, {});
}

TEST(Oracles, PassWhatIsRight) {
  for (const Outcome& o : {with<true>(Naive::kNothing), with<false>(Naive::kNothing)}) {
    EXPECT_EQ(o.verdict, Verdict::kPass) << o.why;
    EXPECT_EQ(o.decisions, 5U);
    EXPECT_EQ(o.latencies.size(), 5U);
    EXPECT_TRUE(o.oracle.empty());
  }
}

struct Case {
  Naive::Wrong wrong;
  bool ordered;
  Verdict verdict;
  std::string oracle;
};
class Catches : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(
    Each, Catches,
    testing::Values(Case{Naive::kFork, true, Verdict::kViolated, "agreement"},
                    Case{Naive::kFork, false, Verdict::kViolated, "agreement"},
                    Case{Naive::kTwice, true, Verdict::kViolated, "integrity"},
                    Case{Naive::kTwice, false, Verdict::kViolated, "integrity"},
                    Case{Naive::kInvents, false, Verdict::kViolated, "validity"},
                    Case{Naive::kSwaps, true, Verdict::kViolated, "prefix"},
                    Case{Naive::kSlander, true, Verdict::kViolated, "accountability"},
                    Case{Naive::kDeaf, false, Verdict::kViolated, "totality"},
                    Case{Naive::kDeaf, true, Verdict::kNoProgress, "totality"}),
    [](const auto& suite) {
      return suite.param.oracle + std::to_string(suite.param.wrong) +
             (suite.param.ordered ? "ordered" : "free");
    });

TEST_P(Catches, ByNameWithAReason) {
  const Case& c = GetParam();
  const Outcome o = c.ordered ? with<true>(c.wrong) : with<false>(c.wrong);
  EXPECT_EQ(o.verdict, c.verdict) << o.why;
  EXPECT_EQ(o.oracle, c.oracle);
  EXPECT_NE(o.why, "");
}

TEST(Oracles, OneThatIsOffIsOff) {
  Experiment e = alone();
  e.oracles.agreement = false;
  EXPECT_EQ(with<true>(Naive::kFork, e).verdict, Verdict::kPass);
}

TEST(Oracles, LivenessCountsFromTheEndOfTheFaults) {
  Experiment e = alone();
  e.workload.requests = 0;
  e.protocol = "pbft";
  e.workload.one_at_a_time = false;
  e.network.gst = 50 * kUnit;
  e.network.loss_ppm = 1'000'000;
  e.stop.time = 45 * kUnit;
  e.oracles.liveness = 10 * kUnit;
  e.oracles.totality = false;
  EXPECT_EQ(simulate(e, {}).verdict, Verdict::kPass);  // nothing is promised yet
  e.network.gst = 0;
  const Outcome o = simulate(e, {});
  EXPECT_EQ(o.verdict, Verdict::kNoProgress);
  EXPECT_EQ(o.oracle, "liveness");
  e.oracles.liveness_on = false;
  EXPECT_EQ(simulate(e, {}).verdict, Verdict::kPass);
}

TEST(Oracles, MoreThanTheFaultsIsFound) {
  Experiment e;
  e.protocol = "pbft";
  e.n = 4;
  e.f = 1;
  e.beyond_f = true;
  e.stop.time = 400 * kUnit;
  e.oracles.liveness = 200 * kUnit;
  e.faults = {{.who = {NodeId{1}, NodeId{2}}, .what = FaultKind::kSilent}};
  const Outcome o = simulate(e, {});
  EXPECT_EQ(o.verdict, Verdict::kNoProgress) << o.why;
}

TEST(Payloads, SayWhoseTheyAre) {
  const PayloadId id{NodeId{7}, 12};
  const Bytes payload = make_payload(id, 64);
  EXPECT_EQ(payload.size(), 64U);
  const auto again = read_payload(payload.view());
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->author, id.author);
  EXPECT_EQ(again->number, id.number);
  std::vector<std::byte> bytes(payload.view().begin(), payload.view().end());
  bytes[40] ^= std::byte{1};
  EXPECT_FALSE(read_payload(bytes).has_value());
  EXPECT_EQ(make_payload(id, 1).size(), kLeastPayload);
}

// Found by the fuzzer of anchored-bullshark: what lies below the floor of the garbage collection is
// not delivered again, so a commit that comes again after a restart may have fewer blocks.
TEST(Judge, WhatComesAgainAfterARestartMayComeInPartButNotWithAnotherLeader) {
  const auto digest = [](int k) { return hash(std::vector<std::byte>{std::byte(k)}); };
  Experiment e;
  const FaultPlan plan(e);
  for (const bool other : {false, true}) {
    Judge judge(e, plan, true, 0, kUnit);
    const OutputFacts whole{.key = 12, .digest = digest(1), .lead = digest(9)};
    (void)judge.output(NodeId{0}, whole, 1);
    judge.restarted(NodeId{0}, 2);
    const OutputFacts part{.key = 12, .digest = digest(2), .lead = digest(other ? 8 : 9)};
    EXPECT_EQ(judge.output(NodeId{0}, part, 3), Judge::Novelty::kRepeated);
    EXPECT_EQ(judge.failed(), other);
    EXPECT_EQ(judge.oracle(), other ? "agreement" : "");
  }
}

}  // namespace
}  // namespace thresher::sim
