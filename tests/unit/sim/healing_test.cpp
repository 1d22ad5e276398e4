// Runs that were disturbed go on until they have healed, and what a healed run owes is judged:
// decisions, the requests of each node, acceptance by all, and that nobody holds more than its
// bound.
#include "thresher/sim/healing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "../../how_many.hpp"
#include "thresher/sim/fuzz.hpp"
#include "thresher/sim/run.hpp"
#include "thresher/sim/shrink.hpp"

namespace thresher::sim {
namespace {

/// Each node tells all what it is asked to, and accepts and outputs what it hears. It vouches for
/// all that it accepted, so others must come to accept it: they do if everything is told again.
struct Notes {
  enum Wrong {
    kNothing,
    kForgets,  // nothing is told again
    kStops,    // a node that comes back from a crash does nothing more
    kIgnores,  // node 1 drops what it is asked for once it has done it three times
    kLazy,     // what it said is in a record that is durable some time later
  };
  using Message = std::pair<NodeId, std::uint64_t>;
  struct Output {
    Message note;
    Bytes payload;
  };
  struct Request {
    Bytes payload;
  };
  using Fx = Effects<Message, Output>;

  NodeId self{};
  Wrong wrong = kNothing;
  std::uint64_t said = 0;
  bool back = false;
  std::set<Message> accepted{};
  std::map<std::uint64_t, Bytes> own{};

  void on(const Restored& r, Fx&) {
    back = true;
    said = Reader(r.value.view()).u64();
  }
  void on(const Start&, Fx& fx) { fx.push(ArmTimer{{}, Delay{1000}}); }
  void on(const Expired&, Fx& fx) {
    if (stopped()) return;
    if (wrong != kForgets) {
      for (const Message& note : accepted) fx.broadcast(note);
    }
    fx.push(ArmTimer{{}, Delay{1000}});
  }
  void on(const Requested<Request>& r, Fx& fx) {
    if (stopped() || (wrong == kIgnores && self.value == 1 && said >= 3)) return;
    const Message note{self, ++said};
    own[said] = r.request.payload;
    fx.push(Persist{1, {}, Bytes::from(Writer().u64(said).take()), {}, wrong == kLazy});
    fx.broadcast(note);
    take(note, fx);
  }
  void on(const Received<Message>& m, Fx& fx) {
    if (!stopped()) take(m.message, fx);
  }

 private:
  bool stopped() const { return wrong == kStops && back; }
  void take(const Message& note, Fx& fx) {
    if (accepted.insert(note).second)
      fx.deliver({note, note.first == self ? own[note.second] : Bytes{}});
  }
};

struct NotesSubject {
  using Node = Notes;
  static constexpr bool kOrdered = false;
  static constexpr bool kIncludes = true;
  Notes::Wrong wrong = Notes::kNothing;
  std::uint64_t most = ~std::uint64_t{0};

  Notes make(NodeId id) const { return {id, wrong}; }
  Notes::Request request(const Bytes& payload) const { return {payload}; }
  MessageFacts facts_of(const Notes::Message& m) const { return {"note", m.second, 10}; }
  OutputFacts facts_of(const Notes::Output& o) const {
    return {.key = o.note.second * 100 + o.note.first.value};
  }
  template <class F>
  void payloads(const Notes::Output& o, std::optional<NodeId>, F visit) const {
    if (!o.payload.empty()) visit(o.payload.view(), o.note.first);
  }
  bool mutate(Notes::Message&, NodeId, std::string_view, std::uint64_t) const { return false; }
  std::uint64_t round(const Notes&) const { return 0; }
  std::uint64_t refused(const Notes&) const { return 0; }
  std::vector<Notes::Message> vouched(const Notes& node) const {
    return {node.accepted.begin(), node.accepted.end()};
  }
  bool accepts(const Notes& node, const Notes::Message& note) const {
    return node.accepted.contains(note);
  }
  std::string text_of(const Notes::Message& note) const {
    return "note " + std::to_string(note.second) + " of node " + std::to_string(note.first.value);
  }
  std::vector<Bound> bounds(const Notes& node) const {
    return {{"notes", node.accepted.size(), most}};
  }
};

/// Node 0 is cut off for a while in which messages across vanish; ten requests a node.
Experiment disturbed() {
  Experiment e;
  e.network.delta = kUnit;
  e.network.loss_ppm = 400'000;
  e.network.gst = 12 * kUnit;
  e.workload.kind = Workload::Kind::kOpen;
  e.stop.time = 10 * kUnit;
  e.oracles.totality = false;
  return e;
}

Outcome with(Notes::Wrong wrong, const Experiment& e) {
  return run(NotesSubject{wrong}, e, {});
}

/// A node that is away from 30 until `back`.
Outcome with_an_absence(const char* protocol, FaultKind what, std::uint64_t back, Stop stop,
                        const char* parameter = nullptr, std::int64_t kept = 0) {
  Experiment e;
  e.protocol = protocol;
  e.stop = stop;
  if (parameter != nullptr) e.parameters[parameter] = kept;
  e.faults = {{.who = {NodeId{0}}, .what = what, .from = 30 * kUnit, .to = back * kUnit}};
  return simulate(e, {});
}

// The verdict spoke of a network that left it alone, and of nothing that could be done.
TEST(Healing, WhoWasAwayForLongerThanOthersRememberIsToldSo) {
  const struct {
    const char* protocol;
    std::uint64_t back;
    const char* parameter;
    std::int64_t enough;
  } cases[] = {{"thresher", 600, "gc_depth", 4000},
               {"mysticeti", 600, "gc_depth", 4000},
               {"mahi-mahi", 1000, "gc_depth", 4000},
               {"bullshark", 600, "gc_depth", 4000},
               {"anchored-bullshark", 600, "gc_depth", 4000},
               {"bullshark-async", 600, "gc_depth", 4000},
               {"pbft", 3000, "history", 1 << 14},
               {"simplex", 9000, "history", 1 << 14},
               {"raft", 9000, "history", 1 << 14},
               {"honeybadger", 9000, "history", 1 << 14},
               {"approximate-agreement", 3000, "window", 256},
               {"common-subset", 600, "window", 256},
               {"mvba", 3000, "window", 256}};
  for (std::size_t k = 0; k < std::size(cases); k += how_many(2, 1)) {
    const auto& [protocol, back, parameter, enough] = cases[k];
    const Outcome o = with_an_absence(protocol, FaultKind::kRestart, back, {.rounds = 40});
    EXPECT_EQ(o.verdict, Verdict::kNoProgress) << protocol;
    EXPECT_EQ(o.why.find("node 0 was away for longer than the others remember: it goes on at "), 0U)
        << protocol << ": " << o.why;
    EXPECT_NE(o.why.find("more with protocol." + std::string(parameter)), std::string::npos)
        << protocol << ": " << o.why;
    const Outcome kept =
        with_an_absence(protocol, FaultKind::kRestart, back, {.rounds = 40}, parameter, enough);
    EXPECT_EQ(kept.why.find("longer than the others remember"), std::string::npos) << protocol;
  }
}

// A node that is slow for another reason is not excused by this.
TEST(Healing, WhoCanStillBeHelpedIsNotCalledForgotten) {
  const Outcome o = with_an_absence("thresher", FaultKind::kCrash, 500, {.rounds = 40});
  EXPECT_EQ(o.verdict, Verdict::kPass) << o.why;
  const Outcome late = with_an_absence("thresher", FaultKind::kCrash, 1500, {.rounds = 40});
  EXPECT_NE(late.why.find("node 0 was away"), std::string::npos) << late.why;
}

// It went on until 116,256, with a million messages, for a round that nobody could bring it to.
TEST(Healing, ANodeThatNobodyCanHelpEndsARun) {
  const Outcome o = with_an_absence("thresher", FaultKind::kRestart, 800, {.rounds = 900});
  EXPECT_EQ(o.verdict, Verdict::kNoProgress);
  EXPECT_NE(o.why.find("node 0 was away"), std::string::npos) << o.why;
  EXPECT_LT(o.time, 2500 * kUnit);
  EXPECT_LT(o.messages, 40'000U);
  // A run that asked for a time gets it.
  EXPECT_EQ(with_an_absence("thresher", FaultKind::kRestart, 800, {.time = 5000 * kUnit}).time,
            5000 * kUnit);
}

TEST(Healing, WhatWasLostIsAcceptedByAllInTheEnd) {
  const Experiment e = disturbed();
  const Outcome right = with(Notes::kNothing, e);
  EXPECT_EQ(right.verdict, Verdict::kPass) << right.oracle << ": " << right.why;
  EXPECT_TRUE(right.healed);
  const Outcome wrong = with(Notes::kForgets, e);
  EXPECT_EQ(wrong.verdict, Verdict::kNoProgress);
  EXPECT_EQ(wrong.oracle, "acceptance") << wrong.why;
  EXPECT_NE(wrong.why.find("did not accept note "), std::string::npos) << wrong.why;
  Experiment unasked = e;
  unasked.oracles.acceptance = false;
  EXPECT_EQ(with(Notes::kForgets, unasked).verdict, Verdict::kPass);
}

// The stop comes long before the end of the disturbance, and the run is judged all the same.
TEST(Healing, WhatIsMeasuredIsMeasuredAtTheStop) {
  Experiment e = disturbed();
  const Outcome o = with(Notes::kNothing, e);
  EXPECT_EQ(o.time, *e.stop.time);
  e.network.gst = 0;
  e.network.loss_ppm = 0;
  const Outcome calm = with(Notes::kNothing, e);
  EXPECT_FALSE(calm.healed);  // there was nothing to heal from
  EXPECT_EQ(calm.verdict, Verdict::kPass);
}

// Node 6 hears nothing for 190 rounds, and then two others fall silent, so that nobody decides
// before it has all that it missed; an answer holds one block. Found by the nightly fuzz: seed
// 207850000143.
TEST(Healing, WhoIsFarBehindMayFetchWhatItMissed) {
  Experiment e;
  e.protocol = "mahi-mahi";
  e.n = 7;
  e.f = 2;
  e.parameters["answer_bytes"] = 4096;
  e.workload.bytes = 4096;
  e.stop.rounds = 220;
  Partition away;
  away.groups = {{NodeId{6}}, {NodeId{0}, NodeId{1}, NodeId{2}, NodeId{3}, NodeId{4}, NodeId{5}}};
  away.from = 10 * kUnit;
  away.to = 200 * kUnit;
  away.loses = true;
  e.network.partitions = {away};
  e.faults = {{.who = {NodeId{4}, NodeId{5}}, .what = FaultKind::kSilent, .from = 198 * kUnit}};
  const Outcome o = simulate(e, {});
  EXPECT_EQ(o.verdict, Verdict::kPass) << o.oracle << ": " << o.why;
}

// It was said to make no progress after 78 Delta, the bound of nodes that lack nothing.
TEST(Healing, WhoLacksSlotsMayFetchThem) {
  for (const char* protocol : {"simplex", "hotstuff2", "pbft"}) {
    Experiment e;
    e.protocol = protocol;
    e.n = 4;
    e.f = 1;
    e.network.delta = kUnit;
    e.workload.kind = Workload::Kind::kOpen;
    e.stop.rounds = 330;
    FaultAction away{.who = {NodeId{3}}, .what = FaultKind::kRestart, .from = 20 * kUnit};
    away.to = 320 * kUnit;
    e.faults = {away};
    const Outcome o = simulate(e, {});
    EXPECT_EQ(o.verdict, Verdict::kPass) << protocol << ": " << o.oracle << ": " << o.why;
  }
}

// A bound that is too short for decisions was one for all that a broadcast owes, too: what was on
// its way was said to violate totality.
TEST(Healing, AShortBoundOnLivenessIsNoneOnTotality) {
  Experiment base;
  base.protocol = "bracha";
  base.stop.rounds = 100;
  base.oracles.liveness = kUnit;
  std::uint64_t slow = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Outcome o = simulate(draw_schedule(base, seed, menu_of("bracha")), {});
    EXPECT_NE(o.verdict, Verdict::kViolated) << seed << ": " << o.oracle << ": " << o.why;
    slow += o.verdict == Verdict::kNoProgress ? 1 : 0;
  }
  EXPECT_GT(slow, 30U);
}

TEST(Healing, ANodeThatIsBackMustDecideAgain) {
  Experiment e = disturbed();
  e.faults = {
      {.who = {NodeId{2}}, .what = FaultKind::kRestart, .from = 4 * kUnit, .to = 6 * kUnit}};
  const Outcome right = with(Notes::kNothing, e);
  EXPECT_EQ(right.verdict, Verdict::kPass) << right.oracle << ": " << right.why;
  EXPECT_EQ(right.restarts, 1U);
  EXPECT_FALSE(right.nodes[2].faulty);
  const Outcome wrong = with(Notes::kStops, e);
  EXPECT_EQ(wrong.oracle, "liveness") << wrong.why;
  EXPECT_NE(wrong.why.find("node 2 decided nothing between"), std::string::npos) << wrong.why;
}

// In the rounds engine a node that comes back between two rounds comes back with the next. All were
// taken for well before, without that node, and nobody waited for it.
TEST(Healing, ANodeThatIsBackBetweenTwoRoundsMustDecideAgain) {
  Experiment e = disturbed();
  e.network.gst = 0;
  e.network.loss_ppm = 0;
  e.stop.time = 24 * kUnit;
  for (const Ticks back : {25'000U, 25'001U, 25'500U, 25'999U}) {
    e.faults = {{.who = {NodeId{2}}, .what = FaultKind::kRestart, .from = 20 * kUnit, .to = back}};
    const Outcome wrong = with(Notes::kStops, e);
    EXPECT_EQ(wrong.oracle, "liveness") << back << ": " << wrong.why;
    EXPECT_EQ(with(Notes::kNothing, e).verdict, Verdict::kPass) << back;
  }
  EXPECT_EQ(FaultPlan(e).quiet_from(), 26 * kUnit);
  e.engine = Engine::kEvents;
  EXPECT_EQ(FaultPlan(e).quiet_from(), 25'999U);
}

TEST(Healing, NobodyIsLeftOutWhileOthersAreServed) {
  const Outcome wrong = with(Notes::kIgnores, disturbed());
  EXPECT_EQ(wrong.oracle, "inclusion") << wrong.why;
  EXPECT_NE(wrong.why.find("node 1 got no request of its own back"), std::string::npos);
}

// A lazy record is lost with what comes after it, so the node uses a number twice.
TEST(Restart, LosesLazyRecords) {
  Experiment e = disturbed();
  e.network.loss_ppm = 0;
  e.oracles.agreement = e.oracles.integrity = true;
  e.faults = {
      {.who = {NodeId{2}}, .what = FaultKind::kRestart, .from = 4 * kUnit, .to = 6 * kUnit}};
  const auto highest = [&](Notes::Wrong wrong) { return with(wrong, e).nodes[2].decisions; };
  EXPECT_GT(highest(Notes::kNothing), highest(Notes::kLazy));
}

TEST(Footprint, AboveItsBoundIsFound) {
  const Experiment e = disturbed();
  EXPECT_EQ(run(NotesSubject{Notes::kNothing, 1000}, e, {}).verdict, Verdict::kPass);
  const Outcome o = run(NotesSubject{Notes::kNothing, 20}, e, {});
  EXPECT_EQ(o.verdict, Verdict::kViolated);
  EXPECT_EQ(o.oracle, "footprint");
  EXPECT_NE(o.why.find(" notes, more than 20"), std::string::npos) << o.why;
}

// "probability": 0.670761 tells a reader nothing that 0.7 does not.
TEST(Shrink, RoundsTheNumbersThatAreLeft) {
  Experiment e = disturbed();
  e.network.loss_ppm = 0;
  e.faults = {{.who = {NodeId{3}}, .what = FaultKind::kDrop, .probability_ppm = 670'761}};
  const Runner needs_some_chance = [](const Experiment& x) {
    Outcome o;
    const bool fails = !x.faults.empty() && x.faults[0].what == FaultKind::kDrop &&
                       x.faults[0].probability_ppm > 550'000 &&
                       x.faults[0].probability_ppm < 900'000;
    o.verdict = fails ? Verdict::kViolated : Verdict::kPass;
    return o;
  };
  const Shrunk small = shrink(e, needs_some_chance, {});
  ASSERT_EQ(small.experiment.faults.size(), 1U);
  EXPECT_EQ(small.experiment.faults[0].probability_ppm, 700'000U);
}

// The first candidate whose run broke off took the failure that had been found with it.
TEST(Shrink, ARunThatBreaksOffIsNoSmallerOne) {
  Experiment e;
  for (std::uint16_t i = 1; i < 4; ++i)
    e.faults.push_back({.who = {NodeId{i}}, .what = FaultKind::kDrop});
  const Runner breaks_off = [](const Experiment& x) {
    if (x.faults.size() == 2) throw std::runtime_error("no memory");
    Outcome o;
    o.oracle = x.faults.empty() ? "" : "agreement";
    o.verdict = x.faults.empty() ? Verdict::kPass : Verdict::kViolated;
    return o;
  };
  const Shrunk small = shrink(e, breaks_off, {});
  EXPECT_EQ(small.outcome.oracle, "agreement");
  EXPECT_NE(small.experiment.faults.size(), 2U);
  e.faults.pop_back();
  EXPECT_THROW((void)shrink(e, breaks_off, {}), std::runtime_error);
}

// If an experiment shows two defects, the small file shows the one that was found.
TEST(Shrink, KeepsTheOracle) {
  Experiment e;
  e.faults = {{.who = {NodeId{2}}, .what = FaultKind::kDrop, .numbers = {7}},
              {.who = {NodeId{3}}, .what = FaultKind::kDelay, .amount = 3 * kUnit}};
  const auto has = [](const Experiment& x, FaultKind kind) {
    return std::any_of(x.faults.begin(), x.faults.end(),
                       [kind](const FaultAction& a) { return a.what == kind; });
  };
  const Runner two_defects = [&](const Experiment& x) {
    Outcome o;
    if (has(x, FaultKind::kDrop) && has(x, FaultKind::kDelay)) {
      o.oracle = "agreement";
    } else if (!x.faults.empty()) {
      o.oracle = "integrity";
    }
    o.verdict = o.oracle.empty() ? Verdict::kPass : Verdict::kViolated;
    return o;
  };
  const Shrunk small = shrink(e, two_defects, {});
  EXPECT_EQ(small.outcome.oracle, "agreement");
  EXPECT_EQ(small.experiment.faults.size(), 2U);
}

// Losses end with GST. Without one they would go on for ever, and another thing would fail.
TEST(Shrink, LossesStillEnd) {
  Experiment e;
  e.network.gst = 40 * kUnit;
  e.network.loss_ppm = 300'000;
  const Runner fails_with_losses = [](const Experiment& x) {
    Outcome o;
    o.verdict = x.network.loss_ppm > 0 ? Verdict::kNoProgress : Verdict::kPass;
    return o;
  };
  const Shrunk small = shrink(e, fails_with_losses, {});
  EXPECT_GT(small.experiment.network.loss_ppm, 0U);
  EXPECT_GT(small.experiment.network.gst, 0U);
}

// A node that crashes for ever once all that ends is over was waited for, and the others blamed.
TEST(Healing, WaitsForNobodyWhoGoesDownForGood) {
  for (const char* protocol : {"pbft", "simplex", "thresher", "bracha"}) {
    for (const Ticks crash : {11U, 12U, 14U}) {
      Experiment e;
      e.protocol = protocol;
      e.n = 4;
      e.f = 1;
      e.stop.time = 8 * kUnit;
      e.faults = {{.who = {NodeId{0}}, .what = FaultKind::kRestart, .from = 5 * kUnit},
                  {.who = {NodeId{3}}, .what = FaultKind::kCrash, .from = crash * kUnit}};
      e.faults[0].to = 10 * kUnit;
      const Outcome out = simulate(e, {});
      EXPECT_EQ(out.verdict, Verdict::kPass) << protocol << ": " << out.why;
      EXPECT_TRUE(out.healed);
    }
  }
}

}  // namespace
}  // namespace thresher::sim
