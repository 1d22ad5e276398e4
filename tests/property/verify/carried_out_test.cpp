// From the solver to the nodes: the run that refutes a broken table of Bracha's broadcast is
// written as a schedule, read again, and carried out by real nodes that run from that table. They
// do what the property forbids. Nodes with the right table, treated the same way, do not.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <string>

#include "thresher/protocols/broadcast/bracha.hpp"
#include "thresher/verify/checker.hpp"
#include "thresher/verify/export.hpp"
#include "thresher/verify/schedule.hpp"

namespace thresher::verify {
namespace {

using Table = thresher::RuleTable;
using TableRule = thresher::Rule;
constexpr bracha::Instance instance_of(std::uint16_t origin) {
  return {NodeId{origin}, 0};
}

Bytes payload(int value) {
  return Bytes::copy_of(as_view(value == 0 ? "zero" : "one"));
}

/// What a rule of the exported automaton is in the table: the export goes through a table's rules,
/// inputs and values in this order.
struct Origin {
  const TableRule* rule = nullptr;
  int input = 0;
  int value = 0;
};
std::vector<Origin> origins(const Table& table) {
  std::vector<Origin> out;
  for (const TableRule& rule : table.rules) {
    const LocationInfo& from = table.locations[rule.from];
    const bool value = from.holds_value || table.locations[rule.to].holds_value || rule.when;
    for (int x = 0; x < (from.holds_input ? 2 : 1); ++x) {
      for (int w = 0; w < (value ? 2 : 1); ++w) out.push_back({&rule, x, w});
    }
  }
  return out;
}

/// Correct nodes, and a network that delivers just what a schedule needs. The faulty ones, the
/// origin among them, say to each node what suits.
class World {
 public:
  World(const Table& table, const Automaton& ta, const Execution& run)
      : table_(table), ta_(ta), origins_(origins(table)) {
    const auto at = [&](const char* name) {
      const auto found = std::find(ta.parameters.begin(), ta.parameters.end(), name);
      return run.parameters[static_cast<std::size_t>(found - ta.parameters.begin())];
    };
    size_ = static_cast<std::uint16_t>(at("N"));
    const auto correct = static_cast<std::uint16_t>(size_ - at("F"));
    const auto committee = Committee::make(size_, static_cast<std::uint32_t>(at("T")));
    for (std::uint16_t i = 0; i < correct; ++i) {
      Member& m = members_.emplace_back();
      m.node =
          Bracha({.committee = *committee, .self = NodeId{i}, .table = &table, .trace = &m.log});
    }
    std::size_t next = 0;
    for (std::uint32_t l = 0; l < ta.locations.size(); ++l) {
      for (auto k = run.start.processes[l]; k > 0; --k) members_.at(next++).planned = l;
    }
  }

  /// How many of the run's steps a node could not be brought to.
  int carry_out(const Execution& run) {
    int refused = 0;
    for (const Step& step : run.steps) {
      for (auto k = step.times; k > 0; --k) refused += fire(step.rule) ? 0 : 1;
    }
    for (Member& m : members_) {
      for (const int v : {0, 1}) {
        if (!m.delivered) receive(m, faulty(), bracha::Give{instance(), payload(v)});
      }
    }
    return refused;
  }

  std::set<int> delivered() const {
    std::set<int> out;
    for (const Member& m : members_) {
      if (m.delivered) out.insert(*m.delivered);
    }
    return out;
  }
  const std::set<int>& inputs() const { return inputs_; }

 private:
  struct Member {
    Bracha node{{}};
    RuleLog log;
    std::uint32_t planned = 0;                                 ///< where the schedule has it
    std::map<std::uint8_t, int> said;                          ///< by counter
    std::set<std::pair<std::uint8_t, std::uint16_t>> counted;  ///< counter and sender
    std::optional<int> delivered;
  };

  std::uint16_t faulty() const { return static_cast<std::uint16_t>(size_ - 1); }
  bracha::Instance instance() const { return instance_of(faulty()); }

  bool fire(std::uint32_t index) {
    const Origin& origin = origins_.at(index);
    const auto from = ta_.rules[index].from;
    const auto who = std::find_if(members_.begin(), members_.end(),
                                  [&](const Member& m) { return m.planned == from; });
    if (who == members_.end()) return false;
    who->planned = ta_.rules[index].to;
    if (!origin.rule->when) {
      inputs_.insert(origin.input);
      receive(*who, faulty(), bracha::Init{instance(), payload(origin.input)});
    } else {
      persuade(*who, *origin.rule, origin.value);
    }
    return took(*who, *origin.rule);
  }
  // It may have gone that way before: a node takes every step that it can.
  bool took(const Member& m, const TableRule& rule) const {
    return std::any_of(m.log.events.begin(), m.log.events.end(), [&](const RuleEvent& e) {
      return table_.rules[e.rule].from == rule.from && table_.rules[e.rule].to == rule.to;
    });
  }
  // Statements of those who made them, then of the faulty, until the step is taken.
  void persuade(Member& m, const TableRule& rule, int value) {
    const std::uint8_t counter = rule.when->counter;
    for (std::uint16_t from = 0; from < size_ && !took(m, rule); ++from) {
      if (from < members_.size()) {
        const auto said = members_[from].said.find(counter);
        const bool so = said != members_[from].said.end() && said->second == value;
        if (&members_[from] == &m || !so) continue;
      }
      if (!m.counted.emplace(counter, from).second) continue;
      receive(m, from,
              bracha::Statement{instance(), static_cast<bracha::Counter>(counter),
                                hash(payload(value).view())});
    }
  }

  void receive(Member& m, std::uint16_t from, Bracha::Message message) {
    Bracha::Fx fx;
    m.node.on(Received<Bracha::Message>{NodeId{from}, std::move(message)}, fx);
    for (auto& effect : fx.list()) {
      if (const auto* out = std::get_if<Broadcast<Bracha::Message>>(&effect)) note(m, out->message);
      if (const auto* out = std::get_if<Deliver<bracha::Delivery>>(&effect)) {
        m.delivered = hash(out->output.payload.view()) == hash(payload(1).view()) ? 1 : 0;
      }
    }
  }
  static void note(Member& m, const Bracha::Message& message) {
    const auto* statement = std::get_if<bracha::Statement>(&message);
    if (statement == nullptr) return;
    m.said[statement->counter] = statement->digest == hash(payload(1).view()) ? 1 : 0;
  }

  const Table& table_;
  const Automaton& ta_;
  std::vector<Origin> origins_;
  std::uint16_t size_ = 0;
  std::deque<Member> members_;
  std::set<int> inputs_;
};

bool breaks(const std::string& property, const World& world) {
  if (property == "agreement") return world.delivered().size() == 2;
  const int value = property.back() - '0';
  return world.delivered().contains(value) && !world.inputs().contains(value);
}

/// Bracha's rules with one threshold lowered by one wherever it stands.
std::vector<TableRule> lowered(const Guard& guard) {
  std::vector<TableRule> rules(std::begin(bracha::kRules), std::end(bracha::kRules));
  for (TableRule& rule : rules) {
    if (!rule.when || rule.when->counter != guard.counter) continue;
    if (rule.when->at_least == guard.at_least) rule.when->at_least.c -= guard.at_least.d;
  }
  return rules;
}

/// The runs that refute a safety property of the mutant, with a faulty origin.
std::vector<NamedRun> refutations(Automaton& ta) {
  const auto f = std::find(ta.parameters.begin(), ta.parameters.end(), "F");
  const Symbol faulty{Symbol::Kind::kParameter,
                      static_cast<std::uint32_t>(f - ta.parameters.begin())};
  ta.resilience.push_back(compare(Formula::Kind::kAtLeast, {{{faulty, 1}}, -1}));
  std::vector<NamedRun> out;
  for (const Property& p : ta.properties) {
    if (p.category() != "safety") continue;
    const auto outcome = check_all(ta, {.only = {p.name}}).front();
    if (outcome.verdict == Safety::kViolated) out.push_back({p.name, *outcome.witness});
  }
  return out;
}

TEST(CarriedOut, WhatRefutesABrokenTableBreaksItsNodes) {
  constexpr Guard kGuards[] = {{bracha::kEcho, kQuorum}, {bracha::kReadied, kValidity}};
  for (const Guard& guard : kGuards) {
    const std::vector<TableRule> rules = lowered(guard);
    const Table mutant{"bracha", bracha::kLocations, bracha::kCounters, rules};
    Automaton ta = export_broadcast(mutant);
    const auto found = refutations(ta);
    ASSERT_FALSE(found.empty());
    const auto runs = parse_schedule(print_schedule(ta, found), "run.json", ta);
    ASSERT_TRUE(runs) << runs.error();
    for (const NamedRun& named : *runs) {
      World broken(mutant, ta, named.run);
      EXPECT_EQ(broken.carry_out(named.run), 0) << named.property;
      EXPECT_TRUE(breaks(named.property, broken)) << describe(ta, named.run);
      World right(bracha::kTable, ta, named.run);
      EXPECT_GT(right.carry_out(named.run), 0) << named.property;
      EXPECT_FALSE(breaks(named.property, right)) << describe(ta, named.run);
    }
  }
}

}  // namespace
}  // namespace thresher::verify
