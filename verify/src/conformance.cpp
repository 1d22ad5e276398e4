#include "thresher/verify/conformance.hpp"

#include <utility>

#include "thresher/core/node_ids.hpp"
#include "trace_words.hpp"

namespace thresher::verify {

const Conformance::Spoken* Conformance::Instance::find(std::uint64_t value) const {
  for (const Spoken& s : spoken) {
    if (s.value == value) return &s;
  }
  return nullptr;
}

// Correct nodes speak of one value, or of a few when the origin lies: a list is the fastest map.
Conformance::Spoken& Conformance::Instance::at(std::uint64_t value, std::size_t counters) {
  for (Spoken& s : spoken) {
    if (s.value == value) return s;
  }
  return spoken.emplace_back(Spoken{value, std::vector<std::uint32_t>(counters)});
}

Conformance::Conformance(const RuleTable& table, const Committee& committee, NodeSet faulty)
    : table_(table), committee_(committee), faulty_(std::move(faulty)) {}

Error Conformance::problem(const RuleEvent& e, const std::string& what) const {
  return event_problem(table_, e, what);
}

Result<Unit, Error> Conformance::add(const RuleEvent& e) {
  if (const auto wrong = order_problem(e, clock_)) return problem(e, *wrong);
  clock_ = e.clock;
  if (!committee_.contains(e.node)) return problem(e, "no member of the committee");
  if (faulty_.contains(e.node)) return Unit{};
  Instance& at = instances_[{e.instance, e.round}];
  if (at.nodes.empty()) at.nodes.resize(committee_.size());
  Node& node = at.nodes[e.node.value];
  if (e.rule == RuleEvent::kRestart) {
    if (auto wrong = restart(e, node)) return *wrong;
    return Unit{};
  }
  if (e.rule >= table_.rules.size()) return problem(e, "the table has no such rule");
  const thresher::Rule& rule = table_.rules[e.rule];
  if (node.location != rule.from) {
    return problem(e, "the node is in " + std::string(table_.locations[node.location].name) +
                          ", the rule starts in " + std::string(table_.locations[rule.from].name));
  }
  if (auto wrong = check_guard(e, rule, at, node)) return *wrong;
  if (auto wrong = check_said(e, rule, at, node)) return *wrong;
  if (rule.when && table_.locations[rule.to].holds_value) node.value = e.value;
  node.location = rule.to;
  ++steps_;
  return Unit{};
}

std::optional<Error> Conformance::check_guard(const RuleEvent& e, const thresher::Rule& rule,
                                              const Instance& at, const Node& node) const {
  if (!rule.when) return std::nullopt;
  const std::uint32_t needed = committee_.at_least(rule.when->at_least);
  const Spoken* spoken = at.find(e.value);
  const std::uint32_t correct = spoken == nullptr ? 0 : spoken->senders(*rule.when);
  if (const auto wrong = tally_problem(e.tally, needed, correct, faulty_))
    return problem(e, *wrong);
  if (table_.locations[rule.from].holds_value && e.value != node.value) {
    return problem(e, "counts a value other than the one the node is committed to");
  }
  return std::nullopt;
}

std::optional<Error> Conformance::check_said(const RuleEvent& e, const thresher::Rule& rule,
                                             Instance& at, Node& node) const {
  if (!rule.says) {
    if (e.said) return problem(e, "sent a statement that the rule does not declare");
    return std::nullopt;
  }
  if (is_silent(rule, node, e.value)) {
    if (e.said) return problem(e, "sent again what it had said before, which the rule forbids");
    return std::nullopt;
  }
  if (!e.said) return problem(e, "did not send the statement that the rule declares");
  if (rule.says->value == Value::kCounted) {
    const std::uint64_t meant = rule.when ? e.value : node.value;
    if (*e.said != meant) return problem(e, "sent a value other than the one it counted");
  } else {
    if (node.has_input && node.input != *e.said) {
      return problem(e, "sent a value other than its input");
    }
    node.has_input = true;
    node.input = *e.said;
  }
  ++at.at(*e.said, table_.counters.size()).by_counter[rule.says->counter];
  return std::nullopt;
}

// Whether the rule tells nobody anything when `value` is the one it counts.
bool Conformance::is_silent(const thresher::Rule& rule, const Node& node, std::uint64_t value) {
  return !rule.says || (rule.says->unless_said && node.has_input && node.input == value);
}

bool Conformance::leads_silently(std::uint8_t from, const Node& node) const {
  if (from == node.location) return true;
  for (const thresher::Rule& rule : table_.rules) {
    if (rule.from == from && is_silent(rule, node, node.value) && leads_silently(rule.to, node))
      return true;
  }
  return false;
}

// A restart may take back steps that told nobody anything, and no others.
std::optional<Error> Conformance::restart(const RuleEvent& e, Node& node) const {
  if (leads_silently(e.location, node)) {
    node.location = e.location;
    return std::nullopt;
  }
  return problem(e, "the node stood in " + std::string(table_.locations[node.location].name) +
                        " and forgot a statement it had sent");
}

std::optional<Error> Conformance::untaken(const Key& key, const Instance& at) const {
  for (const NodeId i : node_ids(committee_.size())) {
    const Node& node = at.nodes[i.value];
    if (faulty_.contains(i)) continue;
    for (const thresher::Rule& rule : table_.rules) {
      if (rule.from != node.location || !rule.when) continue;
      const bool bound = table_.locations[rule.from].holds_value;
      for (const Spoken& s : at.spoken) {
        if (bound && s.value != node.value) continue;
        if (s.senders(*rule.when) < committee_.at_least(rule.when->at_least)) continue;
        const std::string where = "node " + std::to_string(i.value) + ", instance " +
                                  std::to_string(key.instance) + ", round " +
                                  std::to_string(key.round);
        return Error{ErrorCode::kRejected,
                     where + " of " + std::string(table_.name) + ": rule '" +
                         std::string(rule.name) + "' was never taken, although " +
                         std::to_string(s.senders(*rule.when)) + " correct nodes fill its guard",
                     where};
      }
    }
  }
  return std::nullopt;
}

Result<std::uint64_t, Error> Conformance::finish(End end) const {
  if (auto wrong = trace_problem(table_.name, committee_, faulty_, steps_))
    return std::move(*wrong);
  if (end == End::kSettled) {
    for (const auto& [key, at] : instances_) {
      if (auto wrong = untaken(key, at)) return std::move(*wrong);
    }
  }
  return steps_;
}

}  // namespace thresher::verify
