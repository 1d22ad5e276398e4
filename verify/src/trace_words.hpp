// What both checkers of traces say of an event that is none of the automaton, and of a whole trace.
// Private to verify/.
#pragma once

#include <optional>
#include <string>

#include "thresher/core/committee.hpp"
#include "thresher/core/error.hpp"
#include "thresher/core/rule_trace.hpp"

namespace thresher::verify {

/// Which step of which node it was, and what is wrong with it. `Table`: RuleTable or VoteTable.
template <class Table, class Event>
Error event_problem(const Table& table, const Event& e, const std::string& what) {
  const std::string rule = e.rule < table.rules.size()
                               ? "rule '" + std::string(table.rules[e.rule].name) + "'"
                           : e.rule == Event::kRestart ? "a restart"
                                                       : "rule " + std::to_string(e.rule);
  const std::string where = "event " + std::to_string(e.clock);
  return {ErrorCode::kRejected,
          where + ", node " + std::to_string(e.node.value) + ", instance " +
              std::to_string(e.instance) + ", round " + std::to_string(e.round) + ", " + rule +
              " of " + std::string(table.name) + ": " + what,
          where};
}

/// Why an event stands in the wrong place of its trace, the last one having had the clock `last`.
template <class Event>
std::optional<std::string> order_problem(const Event& e, std::uint64_t last) {
  if (e.clock > last) return std::nullopt;
  return "out of causal order, after event " + std::to_string(last) + "; sort the trace by clock";
}

/// Why a trace of so many steps of correct nodes shows nothing of the table with this name.
inline std::optional<Error> trace_problem(std::string_view table, const Committee& committee,
                                          const NodeSet& faulty, std::uint64_t steps) {
  const std::string name(table);
  if (faulty.size() > committee.faults()) {
    return Error{ErrorCode::kRejected,
                 std::to_string(faulty.size()) + " nodes are faulty, the automaton of " + name +
                     " has at most " + std::to_string(committee.faults()),
                 name};
  }
  if (steps == 0) {
    return Error{ErrorCode::kMissing, "the trace of " + name + " has no step of a correct node",
                 name, "switch the log on (Config::trace) before the run"};
  }
  return std::nullopt;
}

/// Why a guard of so many senders cannot have been filled by `counted` of them, when `correct`
/// correct nodes had spoken.
inline std::optional<std::string> tally_problem(std::uint32_t counted, std::uint32_t needed,
                                                std::uint32_t correct, const NodeSet& faulty) {
  if (counted < needed) {
    return "taken with " + std::to_string(counted) + " senders, needs " + std::to_string(needed);
  }
  if (counted > correct + faulty.size()) {
    return "counted " + std::to_string(counted) + " senders, but only " + std::to_string(correct) +
           " correct nodes and " + std::to_string(faulty.size()) + " faulty ones can have spoken";
  }
  return std::nullopt;
}

}  // namespace thresher::verify
