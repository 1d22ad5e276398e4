// One round of a binary agreement, run from the tables that `thresher verify` proves.
//
//   Round round(kBcaRounds, committee);
//   round.enter(estimate);
//   round.hear(from, statements);               // counters that a peer said, one bit each
//   round.advance(self, traced);                // ... round.asks_coin(), round.ended()
//
// Guarantees: a step is taken only if a rule of the table allows it, the first in table order; a
// peer counts once for each counter and once for each sum of counters, whatever it says and how
// often. `said()` only grows, and is all that others have to hear. Where a table stands on another
// one (bv-broadcast), "some correct node said it" is the delivery of that one. A round keeps a set
// of senders for each counter and nothing else that peers can fill.
// Sends nothing and stores nothing: rounds.hpp does. Source: docs/verify/automata.md.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/core/rule_trace.hpp"
#include "thresher/core/rule_votes.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/protocols/agreement/tables.hpp"

namespace thresher::agreement {

inline constexpr RoundTables kBcaRounds{&kBca, &kBvBroadcast, bv::kDelivered};
inline constexpr RoundTables kGradedRounds{&kGraded, &kBvBroadcast, bv::kDelivered};
inline constexpr RoundTables kMmr14Rounds{&kMmr14, &kBvBroadcast, bv::kDelivered};
inline constexpr RoundTables kCobaltRounds{&kCobalt, &kBvBroadcast, bv::kDelivered};
inline constexpr RoundTables kBenOrRounds{&kBenOr, nullptr, {}};

/// Where steps are logged.
struct Trace {
  VoteLog* log = nullptr;  ///< null: nowhere
  std::uint64_t instance = 0;
  std::uint64_t round = 0;
};

class Round {
 public:
  /// Pre: `tables` outlives the round; its tables are well formed and have `Rounds`.
  Round(const RoundTables& tables, const Committee& committee);

  /// Begins with this estimate. Pre: not entered yet.
  void enter(bool estimate);
  bool entered() const { return entered_; }

  /// Counts what `from` said; true when something of it is new. Counters that the tables do not
  /// have are ignored.
  bool hear(NodeId from, BitSet counters);
  /// What the coin of the round shows. Pre: asks_coin().
  void show(bool coin) { coin_ = coin; }
  /// Takes enabled steps until none is left. Nothing happens before enter().
  void advance(NodeId self, const Trace& trace);

  /// Counters that this node said, one bit each.
  BitSet said() const { return said_; }
  /// Whether the node stands where the round's coin is read and does not know what it shows.
  bool asks_coin() const;
  /// The value that the node ends the round with.
  std::optional<bool> ended() const;
  /// Whether it has decided that value. Pre: ended().
  bool decides() const;

  /// Counts nothing any more and knows what it said. Pre: it says no more.
  void leave() { heard_.clear(); }
  bool left() const { return heard_.empty(); }

  /// What a restart has to know, and the mirror. A malformed record leaves the round not entered.
  Bytes record() const;
  void restore(NodeId self, const Bytes& record, const Trace& trace);

 private:
  bool step_once(NodeId self, bool under, const Trace& trace);
  std::uint32_t tally(const SumGuard& guard) const;
  bool holds(const SumGuard& guard) const;

  const RoundTables* tables_;
  Committee committee_;
  std::vector<NodeSet> heard_;  // by counter
  BitSet said_ = 0;
  std::uint8_t location_ = 0;
  std::uint8_t under_ = 0;
  bool entered_ = false;
  std::optional<bool> coin_;
};

}  // namespace thresher::agreement
