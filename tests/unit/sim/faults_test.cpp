// Every kind of fault, shown to fire and to do what it says.
#include "thresher/sim/faults.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <vector>

#include "beacon.hpp"

namespace thresher::sim {
namespace {

constexpr NodeId kFaulty{3};

FaultAction act(FaultKind what) {
  return {.who = {kFaulty}, .what = what};
}
std::vector<std::uint16_t> others() {
  return {0, 1, 2, 4, 5, 6};
}

TEST(Faults, NamesAreThereAndBack) {
  for (std::size_t k = 0; k < kFaultKinds; ++k) {
    const auto kind = static_cast<FaultKind>(k);
    EXPECT_EQ(fault_from_name(to_string(kind)), kind);
  }
  EXPECT_FALSE(fault_from_name("lazy").has_value());
}

// An action of which nothing came looked like one that the protocol had borne.
TEST(Faults, WhatChangedNothingIsNamed) {
  Experiment e;
  e.protocol = "pbft";
  e.stop.time = 30 * kUnit;
  e.faults = {{.who = {NodeId{1}}, .what = FaultKind::kStarve, .field = "prepare"},
              {.who = {NodeId{1}}, .what = FaultKind::kStarve, .field = "nothing"},
              {.who = {NodeId{1}}, .what = FaultKind::kSilent, .from = 3200, .to = 3800}};
  e.network.partitions = {{{{NodeId{0}}, {NodeId{1}}}, 3 * kUnit, 5 * kUnit},
                          {{{NodeId{0}}, {NodeId{1}}}, 3200, 3800}};
  const Outcome o = simulate(e, {});
  EXPECT_EQ(o.idle_faults, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(o.idle_partitions, std::vector<std::size_t>{1});
}

TEST(Faults, WithoutAnyEverythingIsHeardOnce) {
  const Hall run(hall());
  for (const std::uint16_t by : others()) {
    ASSERT_EQ(run.of(by, 3, 5).size(), 1U);
    EXPECT_EQ(run.of(by, 3, 5)[0].at, 5 * kUnit);
  }
  EXPECT_EQ(run.machine.faults().fired(), 0U);
  EXPECT_EQ(run.told.count(TraceEvent::Kind::kFault), 0);
}

TEST(Faults, SilentSaysNothing) {
  const Hall run(hall({act(FaultKind::kSilent)}));
  EXPECT_EQ(run.count_from(3), 0);
  EXPECT_GT(run.count_from(4), 0);
  EXPECT_EQ(run.machine.faults().fired(), 1U);
  EXPECT_GT(run.told.count(TraceEvent::Kind::kDrop), 0);
}

TEST(Faults, AFaultBeginsAndEndsWhenItSays) {
  FaultAction a = act(FaultKind::kSilent);
  a.from = 4 * kUnit;
  a.to = 6 * kUnit;
  const Hall run(hall({a}));
  EXPECT_EQ(run.of(0, 3, 4).size(), 1U);
  EXPECT_EQ(run.of(0, 3, 5).size(), 0U);
  EXPECT_EQ(run.of(0, 3, 6).size(), 0U);
  EXPECT_EQ(run.of(0, 3, 7).size(), 1U);
}

TEST(Faults, OnlyTheNumberedMessages) {
  FaultAction a = act(FaultKind::kDrop);
  a.numbers = {2, 5};
  const Hall run(hall({a}));
  for (std::uint64_t round = 1; round <= 8; ++round)
    EXPECT_EQ(run.of(1, 3, round).size(), round == 2 || round == 5 ? 0U : 1U) << round;
}

TEST(Faults, ProbabilityIsByMessageAndLink) {
  FaultAction a = act(FaultKind::kDrop);
  a.probability_ppm = 500'000;
  const Hall run(hall({a}), 400 * kUnit);
  const double share = static_cast<double>(run.count_from(3)) / (400 * 6);
  EXPECT_NEAR(share, 0.5, 0.05);
}

TEST(Faults, ACrashedNodeGoesOnWhereItsDiskEnds) {
  FaultAction a = act(FaultKind::kCrash);
  a.from = 4 * kUnit;
  a.to = 9 * kUnit;
  const Hall run(hall({a}));
  EXPECT_EQ(run.of(0, 3, 4).size(), 1U);  // said at 3
  ASSERT_EQ(run.of(0, 3, 5).size(), 1U);  // said at 9
  EXPECT_EQ(run.of(0, 3, 5)[0].at, 10 * kUnit);
  EXPECT_EQ(run.of(0, 3, 1).size(), 1U);
  EXPECT_EQ(run.of(3, 0, 6).size(), 0U);  // it hears nothing while it is down
  EXPECT_TRUE(run.machine.correct(kFaulty));
  EXPECT_EQ(run.told.count(TraceEvent::Kind::kCrash), 1);
  EXPECT_EQ(run.told.count(TraceEvent::Kind::kRestart), 1);
}

TEST(Faults, AmnesiaBeginsAgain) {
  FaultAction a = act(FaultKind::kAmnesia);
  a.from = 4 * kUnit;
  a.to = 9 * kUnit;
  const Hall run(hall({a}));
  ASSERT_EQ(run.of(0, 3, 1).size(), 2U);
  EXPECT_EQ(run.of(0, 3, 1)[1].at, 10 * kUnit);
  EXPECT_FALSE(run.machine.correct(kFaulty));
}

TEST(Faults, DelayHoldsBack) {
  FaultAction a = act(FaultKind::kDelay);
  a.amount = 3 * kUnit;
  const Hall run(hall({a}));
  ASSERT_EQ(run.of(0, 3, 2).size(), 1U);
  EXPECT_EQ(run.of(0, 3, 2)[0].at, 5 * kUnit);
}

TEST(Faults, AnEquivocatorHasTwoFacesForTwoGroups) {
  FaultAction a = act(FaultKind::kEquivocate);
  a.group = {NodeId{0}, NodeId{5}};
  a.field = "value";
  const Hall run(hall({a}));
  for (std::uint64_t round = 1; round < 10; ++round) {
    const std::uint64_t honest = run.of(1, 3, round)[0].value;
    for (const std::uint16_t by : std::initializer_list<std::uint16_t>{2, 4, 6})
      EXPECT_EQ(run.of(by, 3, round)[0].value, honest);
    EXPECT_NE(run.of(0, 3, round)[0].value, honest);
    EXPECT_EQ(run.of(0, 3, round)[0].value, run.of(5, 3, round)[0].value);
  }
}

TEST(Faults, AFieldThatAMessageLacksDoesNotFire) {
  FaultAction a = act(FaultKind::kEquivocate);
  a.field = "colour";
  const Hall run(hall({a}));
  EXPECT_EQ(run.of(1, 3, 4)[0].value, run.of(2, 3, 4)[0].value);
  EXPECT_EQ(run.machine.faults().fired(), 0U);
}

TEST(Faults, AMutationDiffersFromLinkToLink) {
  const Hall run(hall({act(FaultKind::kMutate)}));
  std::set<std::uint64_t> values;
  for (const std::uint16_t by : others()) values.insert(run.of(by, 3, 4)[0].value);
  EXPECT_EQ(values.size(), others().size());
}

TEST(Faults, TwinsAreTwoNodesWithOneKey) {
  FaultAction a = act(FaultKind::kTwins);
  a.group = {NodeId{0}, NodeId{1}};
  const Hall run(hall({a}));
  const std::uint64_t first = run.of(2, 3, 4)[0].value;
  const std::uint64_t second = run.of(0, 3, 4)[0].value;
  EXPECT_NE(first, second);  // they were started apart
  EXPECT_EQ(run.of(1, 3, 4)[0].value, second);
  for (const std::uint16_t by : others()) EXPECT_EQ(run.of(by, 3, 4).size(), 1U);
  EXPECT_EQ(run.machine.faults().fired(), 1U);
}

TEST(Faults, WithholdReachesExactlyOneMoreThanTheFaults) {
  const Hall run(hall({act(FaultKind::kWithhold)}));
  std::set<std::set<std::uint16_t>> audiences;
  for (std::uint64_t round = 1; round <= 12; ++round) {
    std::set<std::uint16_t> audience;
    for (const std::uint16_t by : others()) {
      if (!run.of(by, 3, round).empty()) audience.insert(by);
    }
    EXPECT_EQ(audience.size(), 3U) << round;
    audiences.insert(audience);
  }
  EXPECT_GT(audiences.size(), 1U);
}

TEST(Faults, SelectiveReachesItsGroup) {
  FaultAction a = act(FaultKind::kSelective);
  a.group = {NodeId{6}};
  const Hall run(hall({a}));
  for (const std::uint16_t by : others())
    EXPECT_EQ(run.of(by, 3, 4).size(), by == 6 ? 1U : 0U) << by;
}

TEST(Faults, ReplaySaysOldThingsAgain) {
  const Hall run(hall({act(FaultKind::kReplay)}));
  std::size_t again = 0;
  for (std::uint64_t round = 1; round <= 15; ++round) {
    ASSERT_GE(run.of(0, 3, round).size(), 1U);
    again += run.of(0, 3, round).size() - 1;
  }
  EXPECT_GE(again, 10U);
}

TEST(Faults, StaleAnswersWithAnEarlierRound) {
  FaultAction a = act(FaultKind::kStale);
  a.from = 5 * kUnit;
  const Hall run(hall({a}));
  EXPECT_EQ(run.of(0, 3, 4).size(), 1U);
  EXPECT_EQ(run.of(0, 3, 5).size(), 2U);  // number 6 came as number 5
  ASSERT_EQ(run.of(0, 3, 6).size(), 1U);
  EXPECT_EQ(run.of(0, 3, 6)[0].at, 7 * kUnit);
}

TEST(Faults, FloodSendsCopiesAndJunk) {
  FaultAction a = act(FaultKind::kFlood);
  a.amount = 4;
  const Hall run(hall({a}));
  const auto heard = run.of(0, 3, 4);
  EXPECT_EQ(heard.size(), 5U);
  std::set<std::uint64_t> values;
  for (const auto& h : heard) values.insert(h.value);
  EXPECT_EQ(values.size(), 3U);  // the message, and two pieces of junk
}

TEST(Faults, StarveDelaysItsVictims) {
  Experiment e = hall({{.who = {NodeId{2}}, .what = FaultKind::kStarve}});
  e.network.delta = 4 * kUnit;
  const Hall run(e);
  EXPECT_EQ(run.of(0, 2, 1)[0].at, 4 * kUnit);
  EXPECT_EQ(run.of(0, 1, 1)[0].at, kUnit);
  EXPECT_TRUE(run.machine.correct(NodeId{2}));  // the victim is not a culprit
}

// The last one in the file counted, so that a second action could make a message come sooner.
TEST(Faults, OfSeveralStarvationsTheLongestCounts) {
  const auto arrives = [](std::vector<Ticks> amounts) {
    std::vector<FaultAction> actions;
    for (const Ticks amount : amounts)
      actions.push_back({.who = {NodeId{2}}, .what = FaultKind::kStarve, .amount = amount * kUnit});
    Experiment e = hall(std::move(actions));
    e.network.delta = 6 * kUnit;
    const Hall run(e);
    return run.of(0, 2, 1)[0].at / kUnit;
  };
  EXPECT_EQ(arrives({1}), 2U);
  EXPECT_EQ(arrives({3, 1}), 4U);
  EXPECT_EQ(arrives({1, 3}), 4U);
  EXPECT_EQ(arrives({1, 0}), 6U);  // as late as allowed
  EXPECT_EQ(arrives({0, 1}), 6U);
  EXPECT_EQ(arrives({0, 1, 3}), 6U);
}

TEST(Faults, StarveWithoutVictimsDelaysLeaders) {
  Experiment e = hall({{.what = FaultKind::kStarve}});
  e.network.gst = 18 * kUnit;
  e.network.delta = kUnit;
  const Hall run(e);
  EXPECT_EQ(run.of(0, 2, 2)[0].at, 2 * kUnit);
  EXPECT_EQ(run.of(0, 2, 3)[0].at, 19 * kUnit);  // a leader's, as late as allowed
}

TEST(Faults, StarveMayEndAfterADelay) {
  Experiment e = hall({{.who = {NodeId{2}}, .what = FaultKind::kStarve, .amount = 2 * kUnit}});
  e.network.delta = 8 * kUnit;
  EXPECT_EQ(Hall(e).of(0, 2, 1)[0].at, 3 * kUnit);
  e.faults[0].amount = 20 * kUnit;  // no later than allowed
  EXPECT_EQ(Hall(e).of(0, 2, 1)[0].at, 8 * kUnit);
}

TEST(Faults, ForgeSaysWhatTheLiarMadeInsteadOfItsOwn) {
  const Hall run(hall({act(FaultKind::kForge)}));
  std::set<std::uint64_t> made;
  for (const std::uint16_t by : others()) {
    EXPECT_TRUE(run.of(by, 3, 4).empty()) << by;
    for (const auto& h : run.of(by, 3, BeaconSubject::kForged)) made.insert(h.value);
    EXPECT_TRUE(run.of(by, 3, BeaconSubject::kForged + 1).empty()) << by;  // shown to nobody
  }
  EXPECT_GT(made.size(), 50U);
  EXPECT_EQ(run.machine.faults().fired(), 1U);
  EXPECT_FALSE(run.machine.correct(kFaulty));
}

TEST(Faults, ForgeOnChosenChancesForChosenNodes) {
  FaultAction a = act(FaultKind::kForge);
  a.numbers = {2, 9};
  a.group = {NodeId{1}, NodeId{6}};
  const Hall run(hall({a}));
  for (const std::uint16_t by : others())
    EXPECT_EQ(run.of(by, 3, BeaconSubject::kForged).size(), by == 1 || by == 6 ? 2U : 0U) << by;
}

// What a liar makes does not depend on what else is in the file.
TEST(Faults, ForgeryIsTheSameWhenOtherActionsAreDropped) {
  FaultAction slow{.who = {NodeId{5}}, .what = FaultKind::kDelay, .amount = kUnit / 2};
  const auto values = [](const Hall& run) {
    std::vector<std::uint64_t> out;
    for (const auto& h : run.of(0, 3, BeaconSubject::kForged)) out.push_back(h.value);
    return out;
  };
  const FaultAction forge = act(FaultKind::kForge);
  slow.from = 100 * kUnit;
  EXPECT_EQ(values(Hall(hall({slow, forge}))), values(Hall(hall({forge}))));
}

TEST(Faults, NoShareWithholdsSharesOnly) {
  const Hall run(hall({act(FaultKind::kNoShare)}));
  EXPECT_EQ(run.of(0, 3, 4).size(), 0U);
  EXPECT_EQ(run.of(0, 3, 5).size(), 1U);
}

TEST(Faults, DenyKeepsAnswersBack) {
  FaultAction a = act(FaultKind::kDeny);
  a.group = {NodeId{0}};
  const Hall run(hall({a}));
  EXPECT_EQ(run.of(0, 3, 5).size(), 0U);
  EXPECT_EQ(run.of(0, 3, 6).size(), 1U);
  EXPECT_EQ(run.of(1, 3, 5).size(), 1U);
  a.field = "another";
  EXPECT_EQ(Hall(hall({a})).of(0, 3, 5).size(), 1U);
  EXPECT_FALSE(run.machine.correct(kFaulty));
}

TEST(Faults, ADeafNodeDoesNotHearItsGroup) {
  FaultAction a = act(FaultKind::kDeaf);
  a.group = {NodeId{0}};
  a.from = 4 * kUnit;
  const Hall run(hall({a}));
  EXPECT_EQ(run.machine.faults().fired(FaultKind::kDeaf), 1U);
  EXPECT_EQ(run.machine.measures(kFaulty).messages_received,
            Hall(hall()).machine.measures(kFaulty).messages_received - 17);
  EXPECT_EQ(run.of(0, 3, 5).size(), 1U);  // it is heard itself
}

TEST(Faults, ARestartIsNoneOfTheFaulty) {
  FaultAction a = act(FaultKind::kRestart);
  a.from = 4 * kUnit;
  a.to = 9 * kUnit;
  const Hall run(hall({a}));
  EXPECT_TRUE(run.machine.correct(kFaulty));
  EXPECT_TRUE(run.machine.faults().faulty().empty());
  EXPECT_TRUE(run.of(0, 3, 7).empty() || run.of(0, 3, 7)[0].at > 9 * kUnit);
  EXPECT_EQ(run.told.count(TraceEvent::Kind::kRestart), 1);
  EXPECT_EQ(run.machine.faults().quiet_from(), 9 * kUnit);
}

FaultAction down(FaultKind what, Ticks from, std::optional<Ticks> to) {
  FaultAction a = act(what);
  a.from = from * kUnit;
  if (to) a.to = *to * kUnit;
  return a;
}

// The end of one outage brought back a node that another one still kept away, for ever even, and
// what began while the node was away already did nothing.
TEST(Faults, OutagesThatOverlapAreOne) {
  const FaultAction crash = down(FaultKind::kCrash, 4, 15);
  const FaultAction inside = down(FaultKind::kRestart, 6, 9);
  const FaultAction beyond = down(FaultKind::kRestart, 12, 18);
  const FaultAction for_ever = down(FaultKind::kCrash, 5, {});
  struct Case {
    std::vector<FaultAction> outages;
    std::optional<Ticks> back;
  };
  for (const Case& c : {Case{{crash, inside}, 15}, Case{{inside, crash}, 15},
                        Case{{crash, beyond}, 18}, Case{{beyond, inside, crash}, 18},
                        Case{{for_ever, inside}, {}}, Case{{beyond, for_ever, crash}, {}}}) {
    const Hall run(hall(c.outages), 30 * kUnit);
    EXPECT_EQ(run.told.count(TraceEvent::Kind::kCrash), 1);
    EXPECT_EQ(run.told.count(TraceEvent::Kind::kRestart), c.back ? 1 : 0);
    std::set<Ticks> said;  // after it went down
    for (const auto& h : run.heard) {
      if (h.by == NodeId{0} && h.from == kFaulty && h.at > 6 * kUnit) said.insert(h.at);
    }
    ASSERT_EQ(said.empty(), !c.back);
    EXPECT_TRUE(said.empty() || *said.begin() == (*c.back + 1) * kUnit);
  }
}

TEST(Faults, ADiskIsLostWhileItsNodeIsAwayAsWell) {
  const FaultAction crash = down(FaultKind::kCrash, 4, 15);
  const FaultAction amnesia = down(FaultKind::kAmnesia, 6, 9);
  for (const auto& outages : {std::vector{crash, amnesia}, std::vector{amnesia, crash}}) {
    const Hall run(hall(outages));
    ASSERT_EQ(run.of(0, 3, 1).size(), 2U);
    EXPECT_EQ(run.of(0, 3, 1)[1].at, 16 * kUnit);
    EXPECT_EQ(run.machine.faults().fired(FaultKind::kAmnesia), 1U);
  }
}

// Each of its numbers vouches for somebody.
struct Vouching : BeaconSubject {
  using BeaconSubject::facts_of;
  MessageFacts facts_of(const Beacon::Message& m) const {
    MessageFacts facts = BeaconSubject::facts_of(m);
    facts.moment = "word";
    return facts;
  }
};

// A node that chance spared was stopped all the same, and never came back: a correct node too few.
TEST(Faults, AMomentStrikesWhomChanceLetsIt) {
  for (const std::uint64_t chance : {0U, 500'000U, 1'000'000U}) {
    std::int64_t struck = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      FaultAction a = down(FaultKind::kRestart, 4, 9);
      for (const std::uint16_t i : others()) a.who.push_back(NodeId{i});
      a.field = "word";
      a.probability_ppm = chance;
      Experiment e = hall({a});
      e.seed = seed;
      Hall::Told told;
      Machine<Vouching> machine(Vouching{}, e, &told);
      machine.start();
      while (machine.next_time() <= 20 * kUnit) machine.run_instant(machine.next_time());
      EXPECT_EQ(told.count(TraceEvent::Kind::kRestart), told.count(TraceEvent::Kind::kCrash));
      EXPECT_LE(told.count(TraceEvent::Kind::kCrash), 1);
      struck += told.count(TraceEvent::Kind::kCrash);
    }
    EXPECT_EQ(struck == 0, chance == 0) << chance;
    EXPECT_TRUE(chance < 1'000'000 || struck == 40) << struck;
  }
}

struct Stuffing : BeaconSubject {
  explicit Stuffing(bool words) : has_words(words) {}
  std::vector<Beacon::Message> stuff(NodeId, const Beacon::Message&, std::uint64_t salt) const {
    return has_words ? std::vector{Beacon::Message{kForged, salt}} : std::vector<Beacon::Message>{};
  }
  bool has_words;
};

// It had counted as soon as chance let it, and a campaign took it for exercised.
TEST(Faults, StuffHasFiredOnceSomethingWasSaid) {
  for (const bool has_words : {false, true}) {
    Machine<Stuffing> machine(Stuffing{has_words}, hall({act(FaultKind::kStuff)}));
    machine.start();
    while (machine.next_time() <= 5 * kUnit) machine.run_instant(machine.next_time());
    EXPECT_EQ(machine.faults().fired(FaultKind::kStuff), has_words ? 1U : 0U);
  }
}

// Says a word, keeps a record, says more and outputs something: all in one step, once a Delta, the
// node with the highest number first.
struct Wordy {
  using Message = Beacon::Message;
  using Output = Beacon::Output;
  using Request = Beacon::Request;
  using Fx = EffectsOf<Wordy>;
  static constexpr std::uint64_t kWord = 1, kMore = 2;

  NodeId self{};
  std::uint64_t round = 0, restored = 0;

  void on(const Restored& r, Fx&) { restored = Reader(r.value.view()).u64(); }
  void on(const Start&, Fx& fx) { fx.push(ArmTimer{{}, Delay{1000 - 100u * self.value}}); }
  void on(const Expired&, Fx& fx) {
    ++round;
    fx.broadcast({round, kWord});
    fx.push(Persist{
        1, Bytes::copy_of(as_view("round")), Bytes::from(Writer().u64(round).take()), {}, false});
    fx.broadcast({round, kMore});
    fx.deliver({self, {round, kMore}});
    fx.push(ArmTimer{{}, Delay{1000}});
  }
  void on(const Received<Message>& m, Fx& fx) { fx.deliver({m.from, m.message}); }
  void on(const Requested<Request>&, Fx&) {}
};
struct WordySubject {
  using Node = Wordy;
  static constexpr bool kOrdered = false;

  Wordy make(NodeId id) const { return {id}; }
  Wordy::Request request(const Bytes& payload) const { return {payload}; }
  MessageFacts facts_of(const Wordy::Message& m) const {
    MessageFacts facts{"word", m.round, 10};
    if (m.value == Wordy::kWord) facts.moment = "word";
    return facts;
  }
  OutputFacts facts_of(const Wordy::Output& o) const { return {.key = o.said.round}; }
  template <class F>
  void payloads(const Wordy::Output&, std::optional<NodeId>, F) const {}
  bool mutate(Wordy::Message&, NodeId, std::string_view, std::uint64_t) const { return false; }
  std::uint64_t round(const Wordy& node) const { return node.round; }
  std::uint64_t refused(const Wordy&) const { return 0; }
};

Experiment struck_at_its_word(Engine engine, const std::vector<std::uint16_t>& who) {
  FaultAction a = down(FaultKind::kRestart, 0, 40);
  a.who.clear();
  for (const std::uint16_t i : who) a.who.push_back(NodeId{i});
  a.field = "word";
  Experiment e = hall({a});
  e.engine = engine;
  e.network.delay = {DelayLaw::Kind::kConstant, 4 * kUnit, 0, 4 * kUnit, 4 * kUnit};
  e.network.delta = 10 * kUnit;
  return e;
}

// It went on to the end of the instant, which in rounds is all that it says in a round, and what
// it had not kept yet was on its disk.
TEST(Faults, ANodeStopsRightAfterTheMessageOfItsMoment) {
  for (const Engine engine : {Engine::kRounds, Engine::kEvents}) {
    Hall::Told told;
    Machine<WordySubject> machine(WordySubject{}, struck_at_its_word(engine, {3}), &told);
    std::set<std::uint64_t> heard;  // of node 3
    std::uint64_t own = 0;
    machine.on_deliver = [&](NodeId by, const Wordy::Output& o) {
      if (o.from == NodeId{3} && machine.now() < 20 * kUnit) heard.insert(o.said.value);
      own += by == NodeId{3} && o.from == by && machine.now() < 20 * kUnit ? 1 : 0;
    };
    machine.start();
    while (machine.next_time() <= 45 * kUnit) machine.run_instant(machine.next_time());
    EXPECT_EQ(heard, std::set<std::uint64_t>{Wordy::kWord});
    EXPECT_EQ(own, 0U);
    EXPECT_EQ(machine.node(NodeId{3}).restored, 0U);
    EXPECT_EQ(told.count(TraceEvent::Kind::kRestart), 1);
  }
}

// While nodes ran apart, whichever of them ran first was struck, though another had said the word
// before it. Node 4 runs first, for it is asked for something.
TEST(Faults, AMomentStrikesWhoIsTheFirstInTime) {
  for (const bool apart : {false, true}) {
    Machine<WordySubject> machine(WordySubject{}, struck_at_its_word(Engine::kEvents, {1, 4, 5}));
    machine.start();
    machine.request(NodeId{4}, {}, 4 * kUnit + 1);
    while (machine.next_time() <= 9 * kUnit) {
      const Ticks next = machine.next_time();
      apart ? machine.run(next, 10 * kUnit) : machine.run_instant(next);
    }
    EXPECT_TRUE(machine.up(NodeId{1}));
    EXPECT_TRUE(machine.up(NodeId{4}));
    EXPECT_FALSE(machine.up(NodeId{5}));
  }
}

TEST(Faults, SeveralAtOnceActInTheirOrder) {
  FaultAction delay = act(FaultKind::kDelay);
  delay.amount = 2 * kUnit;
  FaultAction selective = act(FaultKind::kSelective);
  selective.group = {NodeId{0}, NodeId{1}};
  FaultAction two_faces = act(FaultKind::kEquivocate);
  two_faces.group = {NodeId{1}};
  const Hall run(hall({delay, selective, two_faces}));
  EXPECT_EQ(run.of(0, 3, 4)[0].at, 6 * kUnit);
  EXPECT_NE(run.of(0, 3, 4)[0].value, run.of(1, 3, 4)[0].value);
  EXPECT_TRUE(run.of(2, 3, 4).empty());
  EXPECT_EQ(run.machine.faults().fired(), 3U);
}

}  // namespace
}  // namespace thresher::sim
