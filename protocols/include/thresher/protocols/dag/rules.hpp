// A protocol of the uncertified family as data: one committer and one store run every parameter
// set.
//
//   Rules sparse = Rules::thresher();         // votes and claims are fields
//   // Votes and claims are read off the references.
//   Rules dense = Rules::mysticeti();
//   Rules by_a_coin = Rules::mahi_mahi();     // dense, a longer wave, leaders by a coin
//
// Guarantees: thresholds satisfy A1 to A3 of docs/protocols/proof.md for every n >= 3f+1;
// `mahi_mahi` those of docs/protocols/mahi-mahi.md.
#pragma once

#include <string_view>

#include "thresher/core/threshold.hpp"

namespace thresher::dag {

enum class Edges : std::uint8_t {
  kSparse,  ///< leader blocks are dense; votes and claims are explicit fields
  kDense,   ///< every block is dense; votes and claims follow from its references
};

/// Who leads a round. Part of a ledger: a node that goes by another rule expects other
/// leaders.
enum class Leaders {
  kInTurn,  ///< node r mod n leads round r
  kMisses,  ///< who missed its last two slots is passed over: ledgers that name no rule
  kPrompt   ///< who the last committed leaders did not name in time, or missed a slot, is
};

class Policy;
extern const Policy kSound;

struct Rules {
  std::string_view name;
  Edges edges = Edges::kSparse;
  Threshold certify = kQuorum;    ///< v: votes that make a certificate
  Threshold skip = kQuorum;       ///< b: dead votes that skip a slot
  Threshold commit = kQuorum;     ///< c: claims that commit directly
  Threshold dense = kQuorum;      ///< d: parents of a leader block
  Threshold complete = kQuorum;   ///< m: blocks that complete a round
  Threshold amplify = kValidity;  ///< a: claims, or KILLs, that count as evidence
  /// Votes alone may commit, and blocks KILL rounds: docs/protocols/two-delay.md. Set together with
  /// the four below by `with_two_delays` (two_delay.hpp); for sparse rules.
  bool two_delays = false;
  Threshold fast = kQuorum;    ///< F: votes that commit directly
  Threshold seen = kQuorum;    ///< w: votes in an anchor's history that commit
  Threshold blames = kQuorum;  ///< bf: dead votes that skip without KILLs
  Threshold kills = kQuorum;   ///< KILLs, or claims of what is not in the slot, that skip
  /// Rounds from a leader's block to the claims on it, both counted. Votes stand in the last but
  /// one of them, and see the leader through whatever lies between.
  std::uint32_t wave = 3;
  std::uint32_t anchor_distance = 3;  ///< the first round whose leader may decide a slot indirectly
  Leaders leaders = Leaders::kPrompt;
  /// A common coin names the leader of a round when its wave is over; no timer is waited for. For
  /// dense rules whose leaders follow in turn.
  bool coin = false;
  bool bitmap_refs = false;  ///< blocks name their dense parents by a bitmap and one hash (S1)

  /// What is decided, and how (policy.hpp): the rules of the protocol, unless a test takes one
  /// away.
  const Policy* policy = &kSound;

  /// The node whose turn it is may be passed over: any block may be a leader's.
  constexpr bool reputation() const { return leaders != Leaders::kInTurn; }
  /// Rounds from a slot to the votes, and to the claims, on its leader.
  constexpr std::uint64_t votes_after() const { return wave - 2; }
  constexpr std::uint64_t claims_after() const { return wave - 1; }

  static constexpr Rules thresher() { return {.name = "thresher"}; }
  static constexpr Rules mysticeti() { return {.name = "mysticeti", .edges = Edges::kDense}; }
  /// The same DAG with smaller blocks: n/8 + 32 bytes in place of 42 for each parent.
  static constexpr Rules mysticeti_bitmap() {
    return {.name = "mysticeti_bitmap", .edges = Edges::kDense, .bitmap_refs = true};
  }
  /// The asynchronous mode (docs/protocols/mahi-mahi.md). A wave of 4 commits a round earlier; from
  /// 5 on every slot commits with probability (quorum - equivocators)/n whatever the network does.
  static constexpr Rules mahi_mahi(std::uint32_t wave = 5) {
    return {.name = "mahi-mahi",
            .edges = Edges::kDense,
            .wave = wave,
            .anchor_distance = wave,
            .leaders = Leaders::kInTurn,
            .coin = true};
  }
};

}  // namespace thresher::dag
