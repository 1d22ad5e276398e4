// Every oracle fails where it must: wrong protocols, lost work, slander.
#include "thresher/sim/oracles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "thresher/core/assert.hpp"
#include "thresher/sim/run.hpp"
#include "thresher/sim/told.hpp"

namespace thresher::sim {
namespace {

/// A broadcast as naive as can be, with one thing wrong: each node numbers and sends what is
/// submitted, and outputs what it hears.
struct Naive {
  enum Wrong {
    kNothing,
    kFork,          // node 2 outputs other bytes
    kTwice,         // node 2 outputs everything twice
    kInvents,       // node 2 outputs what nobody submitted
    kDeaf,          // node 2 outputs nothing
    kSlander,       // node 2 accuses node 1
    kSwaps,         // node 2 outputs the second before the first
    kNumbersTwice,  // every node outputs everything under two keys
    kMiscounts,     // node 2 finds that an invariant of its own does not hold
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
    const Message m{std::uint64_t{self.value} * 100 + ++sent, r.request.value};
    fx.broadcast(m);
    take(m, fx);
  }
  void on(const Received<Message>& m, Fx& fx) { take(m.message, fx); }

 private:
  void take(const Message& m, Fx& fx) {
    const bool bad = self.value == 2;
    if (bad && wrong == kSlander) fx.push(Accuse{NodeId{1}, {}});
    if (bad && wrong == kDeaf) return;
    THRESHER_ASSERT(!(bad && wrong == kMiscounts), "node 2 counts right");
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
    if (wrong == kNumbersTwice) fx.deliver({m.number + 1000, m.value});
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

// A Byzantine node owes nobody an invariant: it stops, and the others go on.
TEST(Oracles, ALiarsBrokenInvariantIsNobodysFault) {
  Experiment e = alone();
  e.faults.push_back({.who = {NodeId{2}}, .what = FaultKind::kSilent});
  const Outcome o = with<false>(Naive::kMiscounts, e);
  EXPECT_EQ(o.verdict, Verdict::kPass) << o.why;
  EXPECT_EQ(o.decisions, 5U);
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
                    Case{Naive::kMiscounts, true, Verdict::kViolated, "invariant"},
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
  e.oracles.totality = false;
  EXPECT_EQ(simulate(e, {}).verdict, Verdict::kPass);  // nothing is promised before it
  e.network.gst = 0;
  e.oracles.liveness = 10 * kUnit;
  const Outcome o = simulate(e, {});
  EXPECT_EQ(o.verdict, Verdict::kNoProgress);
  EXPECT_EQ(o.oracle, "liveness");
  e.oracles.liveness_on = false;
  EXPECT_EQ(simulate(e, {}).verdict, Verdict::kPass);
}

// Nobody may call it too slow yet, and it has not passed either.
TEST(Oracles, WhereNothingWasDecidedNothingPasses) {
  Experiment e;
  e.n = 4;
  e.f = 1;
  e.network.loss_ppm = 1'000'000;
  for (const char* protocol : {"pbft", "raft", "simplex", "bracha", "honeybadger", "hotstuff2"}) {
    e.protocol = protocol;
    e.stop.rounds = 60;
    const Outcome early = simulate(e, {});
    EXPECT_EQ(told_as(early), "Undecided") << protocol;
    EXPECT_THAT(early.why, testing::HasSubstr("the run stopped at 60")) << protocol;
    EXPECT_EQ(early.verdict, Verdict::kPass) << protocol;  // nothing to fuzz for, or to shrink
    e.stop.rounds = 5000;
    const Outcome late = simulate(e, {});
    EXPECT_EQ(told_as(late), "NoProgress") << protocol;
  }
}

// All that was asked for went to liars, whose requests nobody waits for: that was called a pass.
TEST(Oracles, WhereNobodyCorrectWasAskedNothingPasses) {
  Experiment e;
  e.protocol = "pbft";
  e.n = 4;
  e.f = 1;
  e.beyond_f = true;
  e.workload.requests = 2;
  e.stop.time = 5000 * kUnit;
  e.faults = {{.who = {NodeId{0}, NodeId{1}}, .what = FaultKind::kSilent}};
  const Outcome o = simulate(e, {});
  EXPECT_EQ(told_as(o), "Undecided");
  EXPECT_EQ(o.why, "no correct node was asked for anything");
  e.workload.requests = 3;
  EXPECT_EQ(told_as(simulate(e, {})), "NoProgress");
  e.faults = {};
  EXPECT_EQ(told_as(simulate(e, {})), "Pass");
  EXPECT_EQ(simulate(e, {}).why, "");
}

// With all of them off it was called a pass, of which only liveness had not been judged.
TEST(Oracles, WhereNoOracleIsOnNothingPasses) {
  Experiment e;
  e.protocol = "pbft";
  e.stop.time = 2000 * kUnit;
  e.oracles = {.agreement = false,
               .prefix = false,
               .integrity = false,
               .validity = false,
               .totality = false,
               .accountability = false,
               .lemmas = false,
               .liveness_on = false,
               .acceptance = false};
  const Outcome off = simulate(e, {});
  EXPECT_EQ(told_as(off), "Undecided");
  EXPECT_EQ(off.verdict, Verdict::kPass);
  EXPECT_EQ(off.why, "every oracle is off; leave one on");
  EXPECT_THAT(why_undecided(off), testing::HasSubstr("leave one on"));
  e.oracles.once = true;
  EXPECT_EQ(told_as(simulate(e, {})), "Pass");
}

// It was held against a cluster at rest that it came to no round.
TEST(Oracles, WhereNothingIsAskedForNothingIsOwed) {
  Experiment e;
  e.workload.kind = Workload::Kind::kNone;
  for (const char* protocol : {"thresher", "bullshark", "pbft"}) {
    e.protocol = protocol;
    for (const Stop stop : {Stop{.rounds = 100}, Stop{.decisions = 5}}) {
      e.stop = stop;
      const Outcome o = simulate(e, {});
      EXPECT_EQ(told_as(o), "Pass") << protocol << ": " << o.why;
    }
  }
}

TEST(Oracles, ARunThatEndsBeforeTheBoundSaysSo) {
  Experiment e;
  e.protocol = "pbft";
  e.n = 4;
  e.f = 1;
  e.stop.time = kUnit;
  const Outcome none = simulate(e, {});
  EXPECT_EQ(told_as(none), "Undecided");
  e.stop.time = 20 * kUnit;
  const Outcome some = simulate(e, {});
  EXPECT_EQ(told_as(some), "Pass");
  EXPECT_GT(some.decisions, 0U);
  EXPECT_THAT(some.why, testing::HasSubstr("the run stopped at 20"));
  e.stop.time = 2000 * kUnit;
  EXPECT_EQ(simulate(e, {}).why, "");
  e.oracles.liveness_on = false;
  EXPECT_EQ(simulate(e, {}).why, "the oracle is off");
  e.oracles.liveness_on = true;
  e.stop = {.decisions = 5};
  EXPECT_EQ(simulate(e, {}).why, "");  // who gets there was fast enough
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

// --- restarts
// -------------------------------------------------------------------------------------

OutputFacts commit(std::uint64_t key, int digest, int lead) {
  const auto of = [](int k) { return hash(std::vector<std::byte>{std::byte(k)}); };
  return {.key = key, .digest = of(digest), .lead = lead == 0 ? Digest{} : of(lead)};
}

// What stood at another place was held against nothing, because the order was not to be judged.
TEST(Oracles, WithoutTheOrderWhatAKeyStandsForIsJudged) {
  const Experiment e = [] {
    Experiment out;
    out.oracles.prefix = false;
    return out;
  }();
  const FaultPlan plan(e);
  const auto after = [&](std::uint64_t key, int digest) {
    Judge judge(e, plan, {.ordered = true, .bound = kUnit});
    (void)judge.output(NodeId{0}, commit(10, 1, 0), 1);
    (void)judge.output(NodeId{0}, commit(20, 2, 0), 1);
    (void)judge.output(NodeId{1}, commit(5, 3, 0), 2);  // it has another one first
    (void)judge.output(NodeId{1}, commit(10, 1, 0), 2);
    (void)judge.output(NodeId{1}, commit(key, digest, 0), 2);
    return judge.oracle();
  };
  EXPECT_EQ(after(20, 2), "");
  EXPECT_EQ(after(20, 4), "agreement");
}

/// Keys 10, 20 and 30 were output, with items 1 and 2, 3 and 4, 5 and 6; then node 0 restarts.
class AfterARestart : public testing::Test {
 protected:
  AfterARestart() {
    for (const int k : {1, 2, 3}) {
      (void)judge_.output(NodeId{0}, whole(k), 1);
      judge_.item(item(2 * k - 1));
      judge_.item(item(2 * k));
    }
    judge_.restarted(NodeId{0}, 2);
  }
  static Experiment with_a_crash() {
    Experiment e;
    e.faults.push_back({.who = {NodeId{0}}, .what = FaultKind::kCrash, .to = kUnit});
    return e;
  }
  static OutputFacts whole(int k) { return commit(static_cast<std::uint64_t>(10 * k), k, 10 + k); }
  static Digest item(int k) { return hash(std::vector<std::byte>{std::byte(50), std::byte(k)}); }
  /// Key 10 * k is output again, with less, under the same leader.
  void in_part(int k, const std::vector<int>& items) {
    const OutputFacts part = commit(static_cast<std::uint64_t>(10 * k), 99, 10 + k);
    ASSERT_EQ(judge_.output(NodeId{0}, part, 3), Judge::Novelty::kInPart);
    std::vector<Digest> digests;
    for (const int i : items) digests.push_back(item(i));
    judge_.in_part(NodeId{0}, part.key, digests);
  }

  Experiment e_ = with_a_crash();
  FaultPlan plan_{e_};
  Judge judge_{e_, plan_, {.ordered = true, .bound = kUnit}};
};

TEST_F(AfterARestart, TheOrderMayComeAgainFromAnyPlace) {
  EXPECT_EQ(judge_.output(NodeId{0}, whole(2), 3), Judge::Novelty::kRepeated);
  EXPECT_EQ(judge_.output(NodeId{0}, whole(3), 3), Judge::Novelty::kRepeated);
  EXPECT_EQ(judge_.output(NodeId{0}, commit(40, 4, 14), 3), Judge::Novelty::kFirst);
  EXPECT_FALSE(judge_.failed()) << judge_.why();
  EXPECT_EQ(judge_.length(NodeId{0}), 4U);
}

// Found by the fuzzer of anchored-bullshark: what lies below the floor of the garbage collection is
// not delivered again, so a commit that comes again after a restart may have fewer blocks.
TEST_F(AfterARestart, GarbageMayBeMissing) {
  in_part(1, {2});
  in_part(2, {});
  EXPECT_FALSE(judge_.failed()) << judge_.why();
}

// An application whose log is shorter than what its node had said reads these. Each was let pass
// while only the leader of what came again was compared.
TEST_F(AfterARestart, WhatWasNotThereIsAFork) {
  in_part(1, {2, 7});
  EXPECT_EQ(judge_.oracle(), "agreement") << judge_.why();
}
TEST_F(AfterARestart, AHoleInTheMiddleIsAFork) {
  in_part(1, {1});
  EXPECT_EQ(judge_.oracle(), "agreement") << judge_.why();
}
TEST_F(AfterARestart, AnotherOrderIsAFork) {
  in_part(1, {2, 1});
  EXPECT_EQ(judge_.oracle(), "agreement") << judge_.why();
}
TEST_F(AfterARestart, AnotherLeaderIsAFork) {
  (void)judge_.output(NodeId{0}, commit(10, 99, 98), 3);
  EXPECT_EQ(judge_.oracle(), "agreement") << judge_.why();
}
TEST_F(AfterARestart, AKeyThatNobodyHasIsAFork) {
  (void)judge_.output(NodeId{0}, commit(15, 1, 11), 3);
  EXPECT_EQ(judge_.oracle(), "prefix") << judge_.why();
}
TEST_F(AfterARestart, APlaceLeftOutIsAFork) {
  (void)judge_.output(NodeId{0}, whole(1), 3);
  (void)judge_.output(NodeId{0}, whole(3), 3);
  EXPECT_EQ(judge_.oracle(), "prefix") << judge_.why();
}
TEST_F(AfterARestart, GoingOnTooEarlyIsAFork) {
  (void)judge_.output(NodeId{0}, whole(1), 3);
  (void)judge_.output(NodeId{0}, commit(40, 4, 14), 3);
  EXPECT_EQ(judge_.oracle(), "prefix") << judge_.why();
}
TEST_F(AfterARestart, EachRestartBeginsAnew) {
  (void)judge_.output(NodeId{0}, whole(1), 3);
  judge_.restarted(NodeId{0}, 4);
  (void)judge_.output(NodeId{0}, whole(3), 5);
  EXPECT_FALSE(judge_.failed()) << judge_.why();
}

// For a node that had restarted once nothing was a repetition any more.
TEST_F(AfterARestart, WhatIsNewSinceMayNotComeTwice) {
  (void)judge_.output(NodeId{0}, commit(40, 4, 14), 3);
  EXPECT_FALSE(judge_.failed()) << judge_.why();
  (void)judge_.output(NodeId{0}, commit(40, 4, 14), 3);
  EXPECT_EQ(judge_.oracle(), "integrity") << judge_.why();
}
TEST_F(AfterARestart, WhatWasNewMayComeAgainAfterTheNextOne) {
  (void)judge_.output(NodeId{0}, commit(40, 4, 14), 3);
  judge_.restarted(NodeId{0}, 4);
  EXPECT_EQ(judge_.output(NodeId{0}, commit(40, 4, 14), 5), Judge::Novelty::kRepeated);
  EXPECT_FALSE(judge_.failed()) << judge_.why();
}
TEST(Restart, WithoutAnOrderEachOutputMayComeAgainOnce) {
  Experiment e;
  e.faults.push_back({.who = {NodeId{0}}, .what = FaultKind::kCrash, .to = kUnit});
  const FaultPlan plan(e);
  Judge judge(e, plan, {.ordered = false, .bound = kUnit});
  const auto say = [&](std::uint64_t key) { return judge.output(NodeId{0}, commit(key, 1, 0), 1); };
  for (const std::uint64_t key : {7U, 3U}) EXPECT_EQ(say(key), Judge::Novelty::kFirst);
  judge.restarted(NodeId{0}, 2);
  EXPECT_EQ(say(9), Judge::Novelty::kFirst);
  for (const std::uint64_t key : {3U, 7U}) EXPECT_EQ(say(key), Judge::Novelty::kRepeated);
  EXPECT_FALSE(judge.failed()) << judge.why();
  (void)say(3);
  EXPECT_EQ(judge.oracle(), "integrity") << judge.why();
}

/// A log of its own: each node outputs the rounds that it hears of, and what it says again after a
/// restart is not what it had said.
struct Forgetful {
  enum Wrong { kNothing, kLeavesOut, kInvents };
  using Message = std::uint64_t;
  struct Output {
    std::uint64_t round = 0;
    std::uint64_t item = 0;
  };
  struct Request {};
  using Fx = EffectsOf<Forgetful>;

  NodeId self{};
  Wrong wrong = kNothing;
  std::uint64_t round = 0;
  std::uint64_t heard = 0;
  std::uint64_t restored = 0;

  void on(const Requested<Request>&, Fx&) {}
  void on(const Restored& r, Fx&) { restored = Reader(r.value.view()).u64(); }
  void on(const Start&, Fx& fx) {
    for (heard = 1; heard <= restored; ++heard) {
      if (wrong == kLeavesOut && heard == restored / 2) continue;
      fx.deliver({heard, wrong == kInvents && heard == restored / 2 ? heard + 1000 : heard});
    }
    heard = restored;
    round = restored;
    fx.push(ArmTimer{{}, Delay{1000}});
  }
  void on(const Expired&, Fx& fx) {
    if (self.value == 0) fx.broadcast(++round);
    fx.push(ArmTimer{{}, Delay{1000}});
    if (self.value == 0) take(round, fx);
  }
  void on(const Received<Message>& m, Fx& fx) { take(m.message, fx); }

 private:
  void take(std::uint64_t number, Fx& fx) {
    if (number != heard + 1) return;
    heard = number;
    fx.push(Persist{1, {}, Bytes::from(Writer().u64(number).take()), {}, false});
    fx.deliver({number, number});
  }
};
struct ForgetfulSubject {
  using Node = Forgetful;
  static constexpr bool kOrdered = true;
  Forgetful::Wrong wrong;

  Node make(NodeId id) const { return {id, id.value == 0 ? wrong : Forgetful::kNothing}; }
  Forgetful::Request request(const Bytes&) const { return {}; }
  MessageFacts facts_of(const std::uint64_t& m) const { return {"round", m, 8}; }
  OutputFacts facts_of(const Forgetful::Output& o) const {
    const Digest round = hash(Writer().u64(o.round).view());
    return {o.round, hash(Writer().u64(o.item).view()), o.round, "round", round};
  }
  template <class F>
  void items(const Forgetful::Output& o, F visit) const {
    visit(hash(Writer().u64(o.item).view()));
  }
  template <class F>
  void payloads(const Forgetful::Output&, std::optional<NodeId>, F) const {}
  bool mutate(std::uint64_t&, NodeId, std::string_view, std::uint64_t) const { return false; }
  std::uint64_t round(const Node& node) const { return node.heard; }
  std::uint64_t refused(const Node&) const { return 0; }
};

// Both mutants keep the leaders, and were judged right while nothing else was compared.
TEST(Restart, AForkOfWhatIsSaidAgainIsFound) {
  Experiment e;
  e.workload.kind = Workload::Kind::kNone;
  e.stop.time = 60 * kUnit;
  e.oracles.totality = false;
  e.faults.push_back(
      {.who = {NodeId{0}}, .what = FaultKind::kCrash, .from = 40 * kUnit, .to = 44 * kUnit});
  const Outcome right = run(ForgetfulSubject{Forgetful::kNothing}, e, {});
  EXPECT_EQ(right.verdict, Verdict::kPass) << right.why;
  EXPECT_GT(right.nodes[0].decisions, 20U);
  EXPECT_EQ(run(ForgetfulSubject{Forgetful::kLeavesOut}, e, {}).oracle, "prefix");
  EXPECT_EQ(run(ForgetfulSubject{Forgetful::kInvents}, e, {}).oracle, "agreement");
}

// --- what is asked for
// --------------------------------------------------------------------------------

TEST(Oracles, ARequestThatWaitsTooLongIsFound) {
  Experiment e = alone();
  e.oracles.inclusion = 4 * kUnit;
  e.oracles.totality = false;
  e.workload.one_at_a_time = false;
  EXPECT_EQ(with<false>(Naive::kNothing, e).verdict, Verdict::kPass);
  const Outcome o = with<false>(Naive::kDeaf, e);  // node 2 never hears of its own
  EXPECT_EQ(o.verdict, Verdict::kNoProgress);
  EXPECT_EQ(o.oracle, "inclusion");
  EXPECT_NE(o.why.find("of node 2 waited"), std::string::npos) << o.why;
}

// "Within 4" was less than 4 here, and at most the bound where decisions are judged.
TEST(Oracles, ARequestThatComesAtTheBoundIsInTime) {
  Experiment e;
  e.oracles.inclusion = 4 * kUnit;
  const FaultPlan plan(e);
  const auto waits = [&](Ticks wait) {
    Judge judge(e, plan, {.ordered = true, .bound = 9 * kUnit});
    const PayloadId id{NodeId{1}, 1};
    judge.submitted(id, kUnit);
    EXPECT_TRUE(judge.settled(id, kUnit + wait));
    return judge.oracle();
  };
  EXPECT_EQ(waits(4 * kUnit), "");
  EXPECT_EQ(waits(4 * kUnit + 1), "inclusion");
  Judge never(e, plan, {.ordered = true, .bound = 9 * kUnit});
  never.submitted({NodeId{1}, 1}, kUnit);
  never.check_inclusion(5 * kUnit - 1);
  EXPECT_EQ(never.oracle(), "");
  never.check_inclusion(5 * kUnit);
  EXPECT_EQ(never.oracle(), "inclusion");
}

TEST(Oracles, ARequestUnderTwoKeysIsFound) {
  Experiment e = alone();
  EXPECT_EQ(with<false>(Naive::kNumbersTwice, e).verdict, Verdict::kPass);
  e.oracles.once = true;
  EXPECT_EQ(with<false>(Naive::kNothing, e).verdict, Verdict::kPass);
  const Outcome o = with<false>(Naive::kNumbersTwice, e);
  EXPECT_EQ(o.oracle, "once") << o.why;
}

}  // namespace
}  // namespace thresher::sim
