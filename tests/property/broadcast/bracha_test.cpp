// Bracha's broadcast in the simulated world: silent, two-faced and crashing nodes, loss and
// reordering; agreement, integrity and validity at every delivery, totality at the end.
#include "thresher/protocols/broadcast/bracha.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "thresher/sim/world.hpp"
#include "thresher/verify/conformance.hpp"
#include "thresher/verify/export.hpp"
#include "thresher/verify/replay.hpp"

namespace thresher {
namespace {

struct Verdicts {
  bool agreement = true;
  bool twice = false;
  bool forged = false;
  bool total = true;    ///< every correct node delivered what one did, and all of correct origins
  std::string strange;  ///< what is no step of the automaton; empty: all were
  std::uint64_t steps = 0;       ///< of correct nodes, checked against the automaton
  std::set<std::uint8_t> rules;  ///< taken by correct nodes
  bool ok() const { return agreement && !twice && !forged && total && strange.empty(); }
};

std::string text_of(std::uint32_t origin, std::uint64_t number, int side) {
  return "payload " + std::to_string(number) + " of " + std::to_string(origin) + " side " +
         std::to_string(side);
}

struct Run {
  sim::Plan plan;
  std::uint64_t payloads = 3;
  const RuleTable* table = &bracha::kTable;
  std::uint64_t ticks = 600;
};

// One instance as a run of the exported automaton, which knows two values. The export lists, for
// each rule of the table, inputs before counted values, as far as the rule speaks of them.
class Replay {
 public:
  Replay(const Committee& committee, const NodeSet& faulty, std::vector<RuleEvent> events)
      : committee_(committee), faulty_(faulty), events_(std::move(events)) {}

  /// What is no step of the automaton or no agreement; empty: neither. Three values: not judged.
  std::string judge(const verify::Automaton& ta) {
    for (const RuleEvent& e : events_) {
      const Rule& rule = bracha::kRules[e.rule];
      if (e.said && rule.says->value == Value::kInput) input_[e.node.value] = code(*e.said);
      if (rule.when) (void)code(e.value);
    }
    if (codes_.size() > 2) return {};
    const std::int64_t n = committee_.size();
    verify::Run run{{n, committee_.faults(), faulty_.size()}, {}, {}};
    run.start.processes.resize(ta.locations.size());
    run.start.shared.resize(ta.shared.size());
    for (std::uint16_t i = 0; i < n; ++i) {
      if (!faulty_.contains(NodeId{i})) ++run.start.processes[input_[i]];
    }
    for (const RuleEvent& e : events_) run.steps.push_back({exported(e), 1});
    const auto reached = verify::replay(ta, run);
    if (!reached) return reached.error();
    return verify::holds(ta.properties[0].formula, run.parameters, *reached) ? "" : "no agreement";
  }

 private:
  std::uint32_t code(std::uint64_t value) {
    return codes_.emplace(value, static_cast<std::uint32_t>(codes_.size())).first->second;
  }
  std::uint32_t exported(const RuleEvent& e) {
    std::uint32_t base = 0;
    for (std::uint8_t r = 0;; ++r) {
      const Rule& rule = bracha::kRules[r];
      const LocationInfo& from = bracha::kLocations[rule.from];
      const std::uint32_t inputs = from.holds_input ? 2 : 1;
      const bool counts =
          from.holds_value || bracha::kLocations[rule.to].holds_value || rule.when.has_value();
      if (r == e.rule) {
        if (rule.when) value_[e.node.value] = code(e.value);
        const std::uint32_t x = from.holds_input ? input_[e.node.value] : 0;
        return base + (counts ? 2 * x + value_[e.node.value] : x);
      }
      base += inputs * (counts ? 2 : 1);
    }
  }

  Committee committee_;
  const NodeSet& faulty_;
  std::vector<RuleEvent> events_;
  std::map<std::uint64_t, std::uint32_t> codes_;
  std::map<std::uint16_t, std::uint32_t> input_;  // of nodes that got none: any, 0
  std::map<std::uint16_t, std::uint32_t> value_;
};

// The same log, instance by instance, on the automaton that the export makes of the table.
std::string replay_on_export(const Committee& committee, const NodeSet& faulty,
                             const RuleLog& log) {
  static const verify::Automaton kExport = verify::export_broadcast(bracha::kTable);
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<RuleEvent>> by_instance;
  for (const RuleEvent& e : log.events) {
    if (faulty.contains(e.node)) continue;
    auto& events = by_instance[{e.instance, e.round}];
    if (e.rule != RuleEvent::kRestart) {
      events.push_back(e);
      continue;
    }
    // A silent step that the restart took back told nobody anything: as a run, it was not there.
    const auto last = std::find_if(events.rbegin(), events.rend(),
                                   [&](const RuleEvent& o) { return o.node == e.node; });
    if (last != events.rend() && bracha::kRules[last->rule].to != e.location) {
      events.erase(std::next(last).base());
    }
  }
  for (auto& [instance, events] : by_instance) {
    std::string problem = Replay(committee, faulty, std::move(events)).judge(kExport);
    if (!problem.empty()) return "on the exported automaton: " + problem;
  }
  return {};
}

// The steps of all correct nodes against the table that is proved, whatever table ran.
void judge_trace(const sim::Plan& plan, const RuleLog& log, Verdicts& v) {
  NodeSet faulty(plan.committee.size());
  for (const auto& [id, fault] : plan.faults) {
    if (fault.kind != sim::FaultKind::kCrash) faulty.insert(id);
  }
  verify::Conformance check(bracha::kTable, plan.committee, faulty);
  for (const RuleEvent& e : log.events) {
    if (!faulty.contains(e.node)) v.rules.insert(e.rule);
    if (const auto problem = check.add(e)) {
      v.strange = *problem;
      return;
    }
  }
  const auto end = check.finish(verify::Conformance::End::kSettled);
  if (end) v.steps = *end;
  if (!end) v.strange = end.error();
  if (end) v.strange = replay_on_export(plan.committee, faulty, log);
}

Verdicts play(const Run& run) {
  using bracha::Instance;
  const std::uint32_t n = run.plan.committee.size();
  RuleLog log;
  sim::World<Bracha> world(run.plan, [&](NodeId id) {
    Bracha::Config config;
    config.committee = run.plan.committee;
    config.self = id;
    config.table = run.table;
    config.trace = &log;
    return Bracha(config);
  });
  Verdicts v;
  std::map<Instance, std::string> agreed;
  std::map<std::pair<std::uint16_t, Instance>, int> seen;
  world.on_deliver = [&](NodeId id, const bracha::Delivery& d) {
    const std::string text(as_text(d.payload.view()));
    v.twice |= ++seen[{id.value, d.instance}] > 1 && !run.plan.faults.contains(id);
    v.agreement &= agreed.emplace(d.instance, text).first->second == text;
    const bool honest = world.correct(d.instance.origin);
    v.forged |= honest && text != text_of(d.instance.origin.value, d.instance.number, 0);
  };
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint64_t k = 0; k < run.payloads; ++k) {
      // A two-faced node says one thing to one half and another to the other.
      for (const int side : {0, 1}) {
        world.request(NodeId{static_cast<std::uint16_t>(i)},
                      {Bytes::copy_of(as_view(text_of(i, k, side)))}, side);
      }
    }
  }
  world.run_until([&] { return world.now() >= run.ticks; });
  for (const auto& [instance, text] : agreed) {
    for (std::uint16_t i = 0; i < n; ++i) {
      const NodeId id{i};
      if (world.correct(id) && world.up(id)) v.total &= seen.contains({i, instance});
    }
  }
  for (std::uint16_t o = 0; o < n; ++o) {
    if (!world.correct(NodeId{o}) || run.plan.faults.contains(NodeId{o})) continue;
    for (std::uint64_t k = 0; k < run.payloads; ++k) {
      v.total &= agreed.contains({NodeId{o}, k});
    }
  }
  judge_trace(run.plan, log, v);
  return v;
}

sim::Plan drawn(std::uint32_t n, std::uint64_t seed) {
  Prng random(seed);
  sim::Plan plan;
  plan.committee = *Committee::of(n);
  plan.seed = seed;
  plan.delay_max = 1 + random.below(8);
  plan.delta = plan.delay_max;
  plan.gst = random.below(60);
  plan.loss_ppm = static_cast<std::uint64_t>(random.below(500'000));
  plan.cut_ppm = static_cast<std::uint64_t>(random.below(300'000));
  const std::uint64_t faulty = random.below(plan.committee.faults() + 1);
  for (std::uint64_t k = 0; k < faulty; ++k) {
    const NodeId id{static_cast<std::uint16_t>(random.below(n))};
    switch (random.below(3)) {
      case 0:
        plan.faults[id] = {sim::FaultKind::kSilent};
        break;
      case 1:
        plan.faults[id] = {sim::FaultKind::kTwins};
        break;
      default: {
        const std::uint64_t at = 1 + random.below(40);
        plan.faults[id] = {sim::FaultKind::kCrash, at, at + 1 + random.below(40)};
      }
    }
  }
  return plan;
}

TEST(BrachaSchedules, HoldUnderEveryDrawnSchedule) {
  std::set<std::uint8_t> rules;
  for (const std::uint32_t n : {4u, 5u, 6u, 7u, 10u}) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      const Verdicts v = play({.plan = drawn(n, seed * 100 + n)});
      ASSERT_TRUE(v.ok()) << "n " << n << " seed " << seed * 100 + n << ": agreement "
                          << v.agreement << " twice " << v.twice << " forged " << v.forged
                          << " total " << v.total << " " << v.strange;
      rules.insert(v.rules.begin(), v.rules.end());
    }
  }
  // Every rule of the table and restarts were seen, so each was really checked.
  EXPECT_EQ(rules.size(), std::size(bracha::kRules) + 1);
}

// One threshold changed in the executor only: the steps are no steps of the automaton any more.
// One lower is caught at the first early step, one higher when a step is never taken. Higher ones
// before the input are no fault in these runs: the input comes, and the rules after it serve.
TEST(BrachaSchedules, OneChangedThresholdInTheExecutorIsCaught) {
  for (std::size_t k = 0; k < std::size(bracha::kRules); ++k) {
    if (!bracha::kRules[k].when) continue;
    const bool waits =
        bracha::kRules[k].from == bracha::kIdle || bracha::kRules[k].from == bracha::kReadyFirst;
    for (const int shift : {-1, 1}) {
      if (waits && shift > 0) continue;
      auto rules = std::to_array(bracha::kRules);
      Threshold& t = rules[k].when->at_least;
      t.c += shift * t.d;
      const RuleTable mutant{"mutant", bracha::kLocations, bracha::kCounters, rules};
      std::string caught;
      for (std::uint64_t seed = 1; seed <= 60 && caught.empty(); ++seed) {
        caught = play({.plan = drawn(4, seed * 100 + 4), .table = &mutant}).strange;
      }
      EXPECT_NE(caught.find(bracha::kRules[k].name), std::string::npos)
          << bracha::kRules[k].name << " by " << shift << ": '" << caught << "'";
    }
  }
}

// Two committees that only hear one half each, driven by a table whose thresholds are one too low,
// must be caught; the unbroken table survives the same attack.
class Equivocation {
 public:
  // Node 3 is Byzantine: it tells nodes 0 and 1 "a", node 2 "b", and echoes and readies likewise.
  static bool forks(const RuleTable& table) {
    using namespace bracha;  // NOLINT: the test speaks the protocol's language
    const Committee committee = *Committee::of(4);
    std::vector<Bracha> nodes;
    for (std::uint16_t i = 0; i < 3; ++i) {
      nodes.emplace_back(Bracha::Config{committee, NodeId{i}, 64, 1 << 20, &table});
    }
    struct Letter {
      std::uint16_t to;
      NodeId from;
      Bracha::Message message;
    };
    std::deque<Letter> letters;
    std::map<std::uint16_t, std::string> delivered;
    const Instance instance{NodeId{3}, 0};
    const auto lie = [&](std::uint16_t to, const std::string& text) {
      const Bytes payload = Bytes::copy_of(as_view(text));
      letters.push_back({to, NodeId{3}, Init{instance, payload}});
      for (const Counter c : {kEcho, kReadied}) {
        letters.push_back({to, NodeId{3}, Statement{instance, c, hash(payload.view())}});
      }
    };
    lie(0, "a");
    lie(1, "a");
    lie(2, "b");
    while (!letters.empty()) {
      const Letter l = letters.front();
      letters.pop_front();
      Bracha::Fx fx;
      step(nodes[l.to], InputOf<Bracha>{Received<Bracha::Message>{l.from, l.message}}, fx);
      for (auto& effect : fx.list()) {
        if (auto* b = std::get_if<Broadcast<Bracha::Message>>(&effect)) {
          for (std::uint16_t to = 0; to < 3; ++to) {
            if (to != l.to) letters.push_back({to, NodeId{l.to}, b->message});
          }
        } else if (auto* d = std::get_if<Deliver<Delivery>>(&effect)) {
          delivered[l.to] = std::string(as_text(d->output.payload.view()));
        }
      }
    }
    std::set<std::string> values;
    for (const auto& [node, text] : delivered) values.insert(text);
    return values.size() > 1;
  }
};

// Every rule's threshold set to "one is enough".
template <std::size_t N>
std::array<Rule, N> weakened(const Rule (&rules)[N], std::uint8_t counter) {
  std::array<Rule, N> out{};
  for (std::size_t i = 0; i < N; ++i) {
    out[i] = rules[i];
    if (out[i].when && out[i].when->counter == counter) out[i].when->at_least = kAny;
  }
  return out;
}

TEST(BrachaMutants, WeakThresholdsForkAndTheRealOnesDoNot) {
  EXPECT_FALSE(Equivocation::forks(bracha::kTable));
  const auto echo = weakened(bracha::kRules, bracha::kEcho);
  const auto ready = weakened(bracha::kRules, bracha::kReadied);
  auto both = echo;
  for (std::size_t i = 0; i < both.size(); ++i) {
    if (ready[i].when && ready[i].when->counter == bracha::kReadied) both[i] = ready[i];
  }
  EXPECT_TRUE(Equivocation::forks({"both", bracha::kLocations, bracha::kCounters, both}));
}

TEST(Bracha, RefusesWhatIsOutOfBounds) {
  Bracha node(
      {.committee = *Committee::of(4), .self = NodeId{0}, .window = 4, .payload_bytes = 10});
  Bracha::Fx fx;
  const auto receive = [&](NodeId from, Bracha::Message m) {
    step(node, InputOf<Bracha>{Received<Bracha::Message>{from, std::move(m)}}, fx);
  };
  const bracha::Instance far{NodeId{1}, 1'000'000};
  receive(NodeId{1}, bracha::Statement{far, bracha::kEcho, {}});
  receive(NodeId{1}, bracha::Init{{NodeId{1}, 8}, {}});
  receive(NodeId{1}, bracha::Init{{NodeId{2}, 0}, {}});  // in another's name
  receive(NodeId{1}, bracha::Init{{NodeId{1}, 0}, Bytes::copy_of(as_view("eleven char"))});
  receive(NodeId{9}, bracha::Init{{NodeId{9}, 0}, {}});
  receive(NodeId{1}, bracha::Statement{{NodeId{9}, 0}, bracha::kEcho, {}});
  receive(NodeId{1}, bracha::Give{{NodeId{1}, 0}, Bytes::copy_of(as_view("forged"))});
  EXPECT_EQ(node.refused(), 6u);
  // A flood of digests from one peer opens one instance and counts once.
  for (int i = 0; i < 1000; ++i) {
    Writer w;
    w.u64(static_cast<std::uint64_t>(i));
    receive(NodeId{1}, bracha::Statement{{NodeId{1}, 1}, bracha::kEcho, hash(w.view())});
  }
  EXPECT_LE(node.open(), 2u);
}

// The table's checks are worth something: each broken table is refused.
TEST(RuleTables, BrokenOnesAreNotWellFormed) {
  constexpr LocationInfo kPlaces[] = {{"A", true, false}, {"B", false, true}};
  constexpr std::string_view kCounters[] = {"c"};
  constexpr Rule kCycle[] = {{"go", 0, 1, Guard{0, kAny}, {}}, {"back", 1, 0, Guard{0, kAny}, {}}};
  constexpr Rule kSame[] = {{"go", 0, 1, Guard{0, kAny}, {}}, {"go", 0, 1, Guard{0, kQuorum}, {}}};
  constexpr Rule kUnbound[] = {{"go", 0, 1, {}, {}}};
  constexpr Rule kNowhere[] = {{"go", 0, 2, Guard{0, kAny}, {}}};
  constexpr Rule kUnknown[] = {{"go", 0, 1, Guard{1, kAny}, {}}};
  constexpr Rule kGood[] = {{"go", 0, 1, Guard{0, kAny}, Say{0, Value::kCounted}}};
  static_assert(!well_formed({"cycle", kPlaces, kCounters, kCycle}));
  static_assert(!well_formed({"same", kPlaces, kCounters, kSame}));
  static_assert(!well_formed({"unbound", kPlaces, kCounters, kUnbound}));
  static_assert(!well_formed({"nowhere", kPlaces, kCounters, kNowhere}));
  static_assert(!well_formed({"unknown", kPlaces, kCounters, kUnknown}));
  static_assert(well_formed({"good", kPlaces, kCounters, kGood}));
  constexpr LocationInfo kThree[] = {{"A", true, false}, {"B", true, true}, {"C", false, true}};
  constexpr Rule kTwice[] = {{"one", 0, 1, Guard{0, kAny}, Say{0, Value::kCounted}},
                             {"two", 1, 2, Guard{0, kAny}, Say{0, Value::kCounted}}};
  static_assert(!well_formed({"twice", kThree, kCounters, kTwice}));
  SUCCEED();
}

}  // namespace
}  // namespace thresher
