// Was this run a run of the automaton that is proved? Steps of rounds that run from vote tables.
//
//   verify::VoteConformance check(agreement::kBcaRounds, committee, faulty);
//   for (const VoteEvent& e : log.events)
//     if (auto taken = check.add(e); !taken) return taken.error();
//   auto steps = check.finish();                  // an empty trace is a failure
//
// Guarantees: one pass, constant work an event. A step is accepted only if the node was where the
// rule starts, each guard's tally reached the table's threshold and counted no more senders than
// correct nodes had spoken plus F faulty ones, "some correct node said it" was true in the round
// and was delivered to the node by the table below, the coin was the one that everybody saw, and
// just the declared statement was sent. A restart may take back steps that told nobody anything,
// and one that is a node's first event leaves it where such steps lead from where nodes begin. Not
// checked: that nodes go on, since a node leaves a round when it knows the decision. Source:
// docs/verify/automata.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/core/error.hpp"
#include "thresher/core/rule_trace.hpp"
#include "thresher/core/rule_votes.hpp"

namespace thresher::verify {

class VoteConformance {
 public:
  /// Pre: `tables` outlives the checker; at most f faulty nodes.
  VoteConformance(const RoundTables& tables, const Committee& committee, NodeSet faulty)
      : tables_(tables), committee_(committee), faulty_(std::move(faulty)) {}

  /// kRejected: what is wrong with this event; `where` is "event 7". Events of faulty nodes are
  /// skipped.
  Result<Unit, Error> add(const VoteEvent& event);

  /// The number of steps checked. kMissing: there was none. kRejected: more nodes are faulty than
  /// the automaton has. `where` is the table's name.
  Result<std::uint64_t, Error> finish() const;

 private:
  struct Node {
    std::optional<std::uint8_t> location;
    std::optional<std::uint8_t> under;
  };
  struct Side {                       // the round's table, or the one below
    std::vector<std::uint32_t> said;  // correct nodes that did, by counter
  };
  struct Played {
    std::vector<Node> nodes;
    Side round;
    Side under;
    std::optional<bool> coin;
  };

  std::optional<Error> check_guards(const VoteEvent& e, const VoteRule& rule,
                                    const Played& at) const;
  std::optional<Error> check_coin(const VoteEvent& e, const VoteRule& rule, Played& at) const;
  std::optional<Error> check_place(const VoteEvent& e, const VoteRule& rule,
                                   const Played& at) const;
  std::optional<Error> restart(const VoteEvent& e, Node& node) const;
  Error problem(const VoteEvent& e, const std::string& what) const;
  const VoteTable& table_of(const VoteEvent& e) const {
    return e.under ? *tables_.under : *tables_.round;
  }

  RoundTables tables_;
  Committee committee_;
  NodeSet faulty_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Played> played_;
  std::uint64_t clock_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace thresher::verify
