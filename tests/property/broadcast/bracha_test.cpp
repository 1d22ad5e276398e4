// The broadcasts that run from rule tables under the harness: silent, two-faced and crashing nodes,
// loss and reordering; agreement, integrity, validity and totality, and every step a step of the
// automaton that is proved.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "../../how_many.hpp"
#include "thresher/protocols/broadcast/imbs_raynal.hpp"
#include "thresher/testing/check.hpp"
#include "thresher/testing/draw.hpp"
#include "thresher/verify/conformance.hpp"
#include "thresher/verify/export.hpp"
#include "thresher/verify/replay.hpp"

namespace thresher {
namespace {

// One instance as a run of the exported automaton, which knows two values. The export lists, for
// each rule of the table, inputs before counted values, as far as the rule speaks of them.
class Replay {
 public:
  Replay(const RuleTable& table, const Committee& committee, const NodeSet& faulty,
         std::vector<RuleEvent> events)
      : table_(table), committee_(committee), faulty_(faulty), events_(std::move(events)) {}

  /// What is not a step of the automaton, or breaks agreement; empty: nothing. Three values: not
  /// judged.
  std::string judge(const verify::Automaton& ta) {
    for (const RuleEvent& e : events_) {
      const Rule& rule = table_.rules[e.rule];
      if (e.said && rule.says->value == Value::kInput) input_[e.node.value] = code(*e.said);
      if (rule.when) (void)code(e.value);
    }
    if (codes_.size() > 2) return {};
    const std::int64_t n = committee_.size();
    verify::Execution run{{n, committee_.faults(), faulty_.size()}, {}, {}};
    run.start.processes.resize(ta.locations.size());
    run.start.shared.resize(ta.shared.size());
    for (std::uint16_t i = 0; i < n; ++i) {
      if (!faulty_.contains(NodeId{i})) ++run.start.processes[input_[i]];
    }
    for (const RuleEvent& e : events_) run.steps.push_back({exported(e), 1});
    const auto reached = verify::replay(ta, run);
    if (!reached) return reached.error().text();
    return verify::holds(ta.properties[0].formula, run.parameters, *reached) ? "" : "no agreement";
  }

 private:
  std::uint32_t code(std::uint64_t value) {
    return codes_.emplace(value, static_cast<std::uint32_t>(codes_.size())).first->second;
  }
  std::uint32_t exported(const RuleEvent& e) {
    std::uint32_t base = 0;
    for (std::uint8_t r = 0;; ++r) {
      const Rule& rule = table_.rules[r];
      const LocationInfo& from = table_.locations[rule.from];
      const std::uint32_t inputs = from.holds_input ? 2 : 1;
      const bool counts =
          from.holds_value || table_.locations[rule.to].holds_value || rule.when.has_value();
      if (r == e.rule) {
        if (rule.when) value_[e.node.value] = code(e.value);
        const std::uint32_t x = from.holds_input ? input_[e.node.value] : 0;
        return base + (counts ? 2 * x + value_[e.node.value] : x);
      }
      base += inputs * (counts ? 2 : 1);
    }
  }

  const RuleTable& table_;
  Committee committee_;
  const NodeSet& faulty_;
  std::vector<RuleEvent> events_;
  std::map<std::uint64_t, std::uint32_t> codes_;
  std::map<std::uint16_t, std::uint32_t> input_;  // of nodes that got none: any, 0
  std::map<std::uint16_t, std::uint32_t> value_;
};

// The same log, instance by instance, on the automaton that the export makes of the table.
std::string replay_on_export(const RuleTable& table, const Committee& committee,
                             const NodeSet& faulty, const RuleLog& log) {
  const verify::Automaton ta = verify::export_broadcast(table);
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<RuleEvent>> by_instance;
  for (const RuleEvent& e : log.events) {
    if (faulty.contains(e.node)) continue;
    auto& events = by_instance[{e.instance, e.round}];
    if (e.rule != RuleEvent::kRestart) {
      events.push_back(e);
      continue;
    }
    // Silent steps that the restart took back told nobody anything: as a run, they were not there.
    for (;;) {
      const auto last = std::find_if(events.rbegin(), events.rend(),
                                     [&](const RuleEvent& o) { return o.node == e.node; });
      if (last == events.rend() || table.rules[last->rule].to == e.location) break;
      events.erase(std::next(last).base());
    }
  }
  for (auto& [instance, events] : by_instance) {
    std::string problem = Replay(table, committee, faulty, std::move(events)).judge(ta);
    if (!problem.empty()) return "on the exported automaton: " + problem;
  }
  return {};
}

// A broadcast that runs from `table`, its steps judged against the table that is `proved`.
struct TracedBracha : testing::SubjectBase<Bracha> {
  using SubjectBase::facts_of;
  static constexpr bool kOrdered = false;

  TracedBracha(const sim::Experiment& e, const RuleTable& rules, const RuleTable& right)
      : SubjectBase(e), table(&rules), proved(&right), faulty(e.n) {
    for (const sim::FaultAction& a : e.faults) {
      if (!sim::byzantine(a.what)) continue;
      for (const NodeId id : a.who) faulty.insert(id);
    }
  }

  Bracha make(NodeId id) const {
    Bracha::Config config;
    config.committee = committee;
    config.self = id;
    config.table = table;
    config.trace = log.get();
    return Bracha(config);
  }
  sim::OutputFacts facts_of(const bracha::Delivery& d) const {
    const std::uint64_t key = (std::uint64_t{d.instance.origin.value} << 48) | d.instance.number;
    return {.key = key, .digest = hash(d.payload.view()), .round = d.instance.number};
  }
  template <class F>
  void payloads(const bracha::Delivery& d, std::optional<NodeId>, F visit) const {
    visit(d.payload.view(), d.instance.origin);
  }
  std::optional<sim::Finding> audit() const {
    verify::Conformance check(*proved, committee, faulty);
    for (const RuleEvent& e : log->events) {
      if (const auto step = check.add(e); !step) return sim::Finding{"table", step.error().text()};
    }
    const auto end = check.finish(verify::Conformance::End::kSettled);
    if (!end) return sim::Finding{"table", end.error().text()};
    const std::string problem = replay_on_export(*proved, committee, faulty, *log);
    if (problem.empty()) return std::nullopt;
    return sim::Finding{"export", problem};
  }
  /// How often correct nodes took each rule, by its number; restarts are one more.
  std::vector<sim::Measure> measures(const std::vector<const Bracha*>&) const {
    std::map<std::uint8_t, std::uint64_t> taken;
    for (const RuleEvent& e : log->events) taken[e.rule] += faulty.contains(e.node) ? 0 : 1;
    std::vector<sim::Measure> out;
    for (const auto& [rule, times] : taken)
      out.push_back({std::to_string(rule), static_cast<double>(times)});
    return out;
  }

  const RuleTable* table;
  const RuleTable* proved;
  NodeSet faulty;
  std::shared_ptr<RuleLog> log = std::make_shared<RuleLog>();
};

testing::TracedRunner on_table(const RuleTable& table, const RuleTable& proved) {
  return [&](const sim::Experiment& e, const sim::RunOptions& o) {
    return sim::run(TracedBracha(e, table, proved), e, o);
  };
}

constexpr std::uint64_t kPayloads = 3;  // of each node
constexpr std::uint64_t kRounds = 300;

// The network and up to f nodes that are silent, two-faced or crash, drawn.
sim::Experiment drawn(const sim::Experiment& base, std::uint64_t seed) {
  sim::Experiment e = base;
  Prng random(seed);
  e.seed = seed;
  e.network = testing::uneven_links(1 + random.below(8));
  e.network.gst = random.below(60) * sim::kUnit;
  if (e.network.gst > 0) e.network.loss_ppm = random.below(500'000);
  e.network.cut_ppm = random.below(300'000);
  e.workload.clients = kPayloads;
  e.workload.requests = kPayloads * e.n;
  const std::uint64_t faulty = random.below(e.f + std::uint64_t{1});
  for (std::uint64_t k = 0; k < faulty; ++k) {
    const NodeId id{static_cast<std::uint16_t>(random.below(e.n))};
    const std::uint64_t what = random.below(3);
    if (what == 0) e.faults.push_back({.who = {id}, .what = sim::FaultKind::kSilent});
    if (what == 1) e.faults.push_back({.who = {id}, .what = sim::FaultKind::kTwins});
    if (what != 2) continue;
    const std::uint64_t at = 1 + random.below(40);
    e.faults.push_back(testing::crash_of(id, at, at + 1 + random.below(40)));
  }
  return e;
}

testing::Options schedules(std::uint64_t runs, std::vector<std::uint32_t> sizes) {
  testing::Options options;
  options.runs = runs;
  options.sizes = std::move(sizes);
  options.base.stop.time = kRounds * sim::kUnit;
  options.draw = drawn;
  options.folder = ::testing::TempDir();
  return options;
}

// Every rule of the table and restarts must be seen, or they were not checked.
void holds_under_drawn_schedules(const RuleTable& table, std::vector<std::uint32_t> sizes) {
  testing::Options options = schedules(how_many(100, 300), std::move(sizes));
  std::set<std::string> rules;
  options.observe = [&](const sim::Experiment&, const sim::Outcome& o) {
    for (const sim::Measure& m : o.measures) {
      if (m.value > 0) rules.insert(m.name);
    }
  };
  const auto report =
      testing::check(std::string(table.name), on_table(table, table),
                     {testing::agreement(), testing::integrity(), testing::validity(),
                      testing::totality(), testing::once(), testing::inclusion(kRounds)},
                     options, testing::this_test(testing::this_program()));
  EXPECT_TRUE(report.passed) << report.text;
  EXPECT_EQ(rules.size(), table.rules.size() + 1);
}
TEST(BrachaSchedules, HoldUnderEveryDrawnSchedule) {
  holds_under_drawn_schedules(bracha::kTable, {4, 5, 6, 7, 10});
}
TEST(ImbsRaynalSchedules, HoldUnderEveryDrawnSchedule) {
  holds_under_drawn_schedules(imbs_raynal::kTable, {6, 7, 8, 11});
}

// What the first schedule that breaks something breaks, with `table` in the executor: `properties`,
// or without any the table that is proved.
std::string caught_with(const RuleTable& table, const RuleTable& proved,
                        const std::vector<testing::Property>& properties) {
  testing::Options options = schedules(60, {proved.nodes_per_fault + 1u});
  options.jobs = 1;
  options.shrink_runs = 1;
  options.draw = [by_the_table = properties.empty()](const sim::Experiment& base,
                                                     std::uint64_t seed) {
    sim::Experiment e = drawn(base, seed);
    e.oracles.lemmas = by_the_table;
    return e;
  };
  std::string caught;
  options.observe = [&](const sim::Experiment&, const sim::Outcome& o) {
    if (caught.empty() && o.verdict == sim::Verdict::kViolated) caught = o.oracle + ": " + o.why;
  };
  const auto report = testing::check(std::string(proved.name), on_table(table, proved), properties,
                                     options, "property_broadcast");
  EXPECT_EQ(report.passed, caught.empty()) << report.text;
  return caught;
}

// One threshold changed in the executor only: the steps are not steps of the automaton any more.
// One lower is caught at the first early step, one higher when a step is never taken. Higher ones
// before the input do no harm in these runs: the input comes, and the rules after it serve. Without
// the fast rules the slow ones serve, and without a join the witnesses of all nodes do.
void a_changed_threshold_is_caught(const RuleTable& proved, std::set<std::string_view> spared) {
  for (std::size_t k = 0; k < proved.rules.size(); ++k) {
    if (!proved.rules[k].when) continue;
    const std::string_view name = proved.rules[k].name;
    for (const int shift : {-1, 1}) {
      if (shift > 0 && spared.contains(name)) continue;
      std::vector<Rule> rules(proved.rules.begin(), proved.rules.end());
      Threshold& t = rules[k].when->at_least;
      t.c += shift * t.d;
      RuleTable mutant = proved;
      mutant.rules = rules;
      const std::string caught = caught_with(mutant, proved, {});
      EXPECT_NE(caught.find(name), std::string::npos)
          << name << " by " << shift << ": '" << caught << "'";
    }
  }
}
TEST(BrachaMutants, OneChangedThresholdInTheExecutorIsCaught) {
  a_changed_threshold_is_caught(
      bracha::kTable, {"ready before input", "amplify before input", "deliver before input",
                       "deliver fast", "deliver fast before input"});
}
TEST(ImbsRaynalMutants, OneChangedThresholdInTheExecutorIsCaught) {
  a_changed_threshold_is_caught(imbs_raynal::kTable, {"join", "join before input"});
}

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

// Twins tell two halves of a committee two things; that is all it takes.
TEST(BrachaMutants, WeakThresholdsFork) {
  const auto echo = weakened(bracha::kRules, bracha::kEcho);
  const auto ready = weakened(bracha::kRules, bracha::kReadied);
  auto both = echo;
  for (std::size_t i = 0; i < both.size(); ++i) {
    if (ready[i].when && ready[i].when->counter == bracha::kReadied) both[i] = ready[i];
  }
  const RuleTable table{"both", bracha::kLocations, bracha::kCounters, both};
  const std::string caught = caught_with(table, bracha::kTable, {testing::agreement()});
  EXPECT_TRUE(caught.starts_with("agreement: ")) << caught;
}

}  // namespace
}  // namespace thresher
