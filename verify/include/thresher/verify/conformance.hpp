// Was this run a run of the automaton? Rule events of all correct nodes, checked one after another.
//
//   verify::Conformance check(bracha::kTable, committee, faulty);
//   for (const RuleEvent& e : log.events)
//     if (auto taken = check.add(e); !taken) return taken.error();
//   auto steps = check.finish(Conformance::End::kSettled);   // an empty trace is a failure
//
// Guarantees: one pass, constant work an event, no search. A step is accepted only if the node was
// where the rule starts, the tally reached the table's threshold, no more senders were counted than
// correct nodes had spoken plus F faulty ones (`x + F >= c`, the guard of the exported automaton),
// and just the declared statement was sent. Guards are lower bounds, so every causal order of the
// events gives the same answer. With End::kSettled also: no rule whose guard the correct nodes fill
// alone was left untaken (the exported fairness).
// Not checked: that a node's input came from somewhere, and what faulty nodes did. Memory grows
// with instances. Source: docs/verify/automata.md; trace validation as in CCF and etcd-raft.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "thresher/core/error.hpp"
#include "thresher/core/rule.hpp"
#include "thresher/core/rule_trace.hpp"

namespace thresher::verify {

class Conformance {
 public:
  enum class End : std::uint8_t {
    kCut,      ///< the run was stopped somewhere
    kSettled,  ///< every message of a correct node has arrived at every correct node
  };

  /// Pre: well_formed(table), which outlives the checker; at most f faulty nodes.
  Conformance(const RuleTable& table, const Committee& committee, NodeSet faulty);

  /// kRejected: what is wrong with this event; `where` is "event 7". Events of faulty nodes are
  /// skipped.
  Result<Unit, Error> add(const RuleEvent& event);

  /// The number of steps checked. kMissing: there was none; `where` is the table's name. kRejected:
  /// more nodes are faulty than the automaton has, or fairness was broken; `where` is then the node
  /// with its instance and round.
  Result<std::uint64_t, Error> finish(End end) const;

 private:
  struct Node {
    std::uint8_t location = 0;
    bool has_input = false;
    std::uint64_t input = 0;
    std::uint64_t value = 0;
  };
  struct Spoken {
    std::uint64_t value = 0;
    std::vector<std::uint32_t> by_counter;  // correct nodes that said it

    std::uint32_t senders(const Guard& guard) const {
      return by_counter[guard.counter] + (guard.or_counter ? by_counter[*guard.or_counter] : 0);
    }
  };
  struct Instance {
    std::vector<Node> nodes;
    std::vector<Spoken> spoken;

    const Spoken* find(std::uint64_t value) const;
    Spoken& at(std::uint64_t value, std::size_t counters);
  };
  struct Key {
    std::uint64_t instance = 0;
    std::uint64_t round = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& k) const {
      return static_cast<std::size_t>(k.instance * 0x9e3779b97f4a7c15ull ^ k.round);
    }
  };

  std::optional<Error> check_guard(const RuleEvent& e, const thresher::Rule& rule,
                                   const Instance& at, const Node& node) const;
  std::optional<Error> check_said(const RuleEvent& e, const thresher::Rule& rule, Instance& at,
                                  Node& node) const;
  static bool is_silent(const thresher::Rule& rule, const Node& node, std::uint64_t value);
  bool leads_silently(std::uint8_t from, const Node& node) const;
  std::optional<Error> restart(const RuleEvent& e, Node& node) const;
  std::optional<Error> untaken(const Key& key, const Instance& at) const;
  Error problem(const RuleEvent& e, const std::string& what) const;

  const RuleTable& table_;
  Committee committee_;
  NodeSet faulty_;
  std::unordered_map<Key, Instance, KeyHash> instances_;
  std::uint64_t clock_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace thresher::verify
