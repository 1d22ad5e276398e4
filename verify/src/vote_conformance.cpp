#include "thresher/verify/vote_conformance.hpp"

#include <bit>

#include "trace_words.hpp"

namespace thresher::verify {
namespace {

// Whether silent steps lead from one place to the other.
bool leads_silently(const VoteTable& table, std::uint8_t from, std::uint8_t to) {
  if (from == to) return true;
  for (const VoteRule& rule : table.rules) {
    if (rule.from == from && rule.from != rule.to && !rule.says &&
        leads_silently(table, rule.to, to))
      return true;
  }
  return false;
}

// Whether a node can stand there that has told nobody anything.
bool may_stand_at_first(const VoteTable& table, std::uint8_t location) {
  for (std::size_t l = 0; l < table.locations.size(); ++l) {
    const auto start = static_cast<std::uint8_t>(l);
    if ((table.starts >> l & 1) != 0 && leads_silently(table, start, location)) return true;
  }
  return false;
}

}  // namespace

Error VoteConformance::problem(const VoteEvent& e, const std::string& what) const {
  return event_problem(table_of(e), e, what);
}

Result<Unit, Error> VoteConformance::add(const VoteEvent& e) {
  if (e.under && tables_.under == nullptr) {
    return event_problem(*tables_.round, e, "the round stands on no other table");
  }
  if (const auto wrong = order_problem(e, clock_)) return problem(e, *wrong);
  clock_ = e.clock;
  if (!committee_.contains(e.node)) return problem(e, "no member of the committee");
  if (faulty_.contains(e.node)) return Unit{};
  Played& at = played_[{e.instance, e.round}];
  if (at.nodes.empty()) {
    at.nodes.resize(committee_.size());
    at.round.said.resize(tables_.round->counters.size());
    if (tables_.under != nullptr) at.under.said.resize(tables_.under->counters.size());
  }
  Node& node = at.nodes[e.node.value];
  if (e.rule == VoteEvent::kRestart) {
    if (auto wrong = restart(e, node)) return *wrong;
    return Unit{};
  }
  const VoteTable& table = table_of(e);
  if (e.rule >= table.rules.size()) return problem(e, "the table has no such rule");
  const VoteRule& rule = table.rules[e.rule];
  if (auto wrong = check_place(e, rule, at)) return *wrong;
  if (auto wrong = check_guards(e, rule, at)) return *wrong;
  if (auto wrong = check_coin(e, rule, at)) return *wrong;
  if (e.said != rule.says) return problem(e, "did not send just what the rule declares");
  if (rule.says) ++(e.under ? at.under : at.round).said[*rule.says];
  (e.under ? node.under : node.location) = rule.to;
  ++steps_;
  return Unit{};
}

std::optional<Error> VoteConformance::check_place(const VoteEvent& e, const VoteRule& rule,
                                                  const Played& at) const {
  const VoteTable& table = table_of(e);
  const Node& node = at.nodes[e.node.value];
  const std::optional<std::uint8_t>& place = e.under ? node.under : node.location;
  if (!place) {
    if ((table.starts >> rule.from & 1) == 0) return problem(e, "no node begins there");
    return std::nullopt;
  }
  if (*place == rule.from) return std::nullopt;
  return problem(e, "the node is in " + std::string(table.locations[*place]) +
                        ", the rule starts in " + std::string(table.locations[rule.from]));
}

std::optional<Error> VoteConformance::check_guards(const VoteEvent& e, const VoteRule& rule,
                                                   const Played& at) const {
  const Side& side = e.under ? at.under : at.round;
  for (std::size_t g = 0; g < rule.when.size(); ++g) {
    if (!rule.when[g]) continue;
    const SumGuard& guard = *rule.when[g];
    const std::uint32_t needed = committee_.at_least(guard.at_least);
    std::uint32_t correct = 0;
    for (std::size_t c = 0; c < side.said.size(); ++c)
      correct += (guard.counters >> c & 1) != 0 ? side.said[c] : 0;
    if (guard.by == Senders::kCorrect) {
      if (correct < needed) return problem(e, "no correct node said what it relies on");
      const auto value = static_cast<std::size_t>(std::countr_zero(guard.counters));
      const Node& node = at.nodes[e.node.value];
      if (!node.under || (tables_.delivered[value] >> *node.under & 1) == 0)
        return problem(e, "what it relies on was not delivered to the node");
      continue;
    }
    if (const auto wrong = tally_problem(e.tallies[g], needed, correct, faulty_))
      return problem(e, *wrong);
  }
  return std::nullopt;
}

std::optional<Error> VoteConformance::check_coin(const VoteEvent& e, const VoteRule& rule,
                                                 Played& at) const {
  if (!rule.coin) return std::nullopt;
  if (!e.coin || *e.coin != (*rule.coin == 1)) return problem(e, "the coin showed something else");
  if (at.coin && *at.coin != *e.coin) return problem(e, "two nodes saw two sides of one coin");
  at.coin = e.coin;
  return std::nullopt;
}

std::optional<Error> VoteConformance::restart(const VoteEvent& e, Node& node) const {
  std::optional<std::uint8_t>& place = e.under ? node.under : node.location;
  const VoteTable& table = table_of(e);
  if (e.location >= table.locations.size()) return problem(e, "the table has no such place");
  if (!place && !may_stand_at_first(table, e.location)) {
    return problem(e, "no node can stand there that has told nobody anything: " +
                          std::string(table.locations[e.location]));
  }
  if (place && !leads_silently(table, e.location, *place))
    return problem(e, "the node stood in " + std::string(table.locations[*place]) +
                          " and forgot a statement it had sent");
  place = e.location;
  return std::nullopt;
}

Result<std::uint64_t, Error> VoteConformance::finish() const {
  if (auto wrong = trace_problem(tables_.round->name, committee_, faulty_, steps_))
    return std::move(*wrong);
  return steps_;
}

}  // namespace thresher::verify
