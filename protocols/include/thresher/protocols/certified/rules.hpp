// A protocol of the certified family as data: one store and one committer run every parameter set.
//
//   Rules anchored = Rules::anchored_bullshark(6);    // D = 6 sampled parents, certain safety
//   Rules published = Rules::sparse_bullshark(50);    // safety is probable
//
// Guarantees: `bullshark` and `anchored_bullshark` commit one sequence at every n >= 3f+1 and every
// sample size (docs/protocols/anchored.md). `sparse_bullshark` does so only with the probability
// computed on that page.
#pragma once

#include <cstdint>
#include <string_view>

#include "thresher/core/threshold.hpp"

namespace thresher::certified {

/// Which vertices of the round before an ordinary vertex refers to.
enum class Parents : std::uint8_t {
  kDense,       ///< at least kAvailability of them, all that are held
  kLocal,       ///< D drawn by the author's private seed
  kVerifiable,  ///< D drawn by a seed that everybody computes from the author's committed set
};

/// The author of a round's anchor (leaders.hpp). Part of a ledger: nodes that go by different rules
/// order different anchors.
enum class Turns : std::uint8_t {
  kInOrder,  ///< everybody's in turn, whatever they did: ledgers that name no rule
  kPrompt    ///< but for those not named in time by the last ordered anchors, or that lost one
};

class Policy;
extern const Policy kSound;

struct Rules {
  std::string_view name;
  Parents parents = Parents::kDense;
  std::uint32_t sample = 0;            ///< D: sampled parents of a vertex; unused by dense rules
  bool dense_anchor = true;            ///< anchors refer to `dense` parents whatever the others do
  Threshold commit = kValidity;        ///< votes that commit an anchor directly
  Threshold dense = kAvailability;     ///< q: parents of a dense vertex
  Threshold complete = kAvailability;  ///< vertices that complete a round, and open it for votes
  Threshold certify = kQuorum;         ///< signatures of a certificate
  std::uint32_t stragglers = 64;       ///< W: older vertices that a vertex may refer to

  /// For rules with sparse vertices and dense anchors.
  Turns turns = Turns::kInOrder;

  /// No timer is waited for; every second anchor has a rival that a common coin names afterwards
  /// (docs/protocols/anchored.md, "`bullshark-async`").
  bool asynchronous = false;

  /// A certificate carries one signature that stands for all of its signers; needs
  /// Config::joint. Otherwise it lists theirs.
  bool one_signature = false;

  /// An anchor commits directly only once the next anchor is there: Algorithm 2 of arXiv
  /// 2209.05633 and the simulator of arXiv 2506.13998 look for votes when that arrives. A round
  /// later than needed.
  bool late_commit = false;

  /// A dense vertex refers to `dense` parents and no more: the own one, the anchor, others by
  /// chance. The throughput and the use of NICs in arXiv 2506.13998 give that number of edges.
  bool fewest_parents = false;

  /// What is decided, and how (policy.hpp): the rules of the protocol, unless a test takes one
  /// away.
  const Policy* policy = &kSound;

  static constexpr Rules bullshark() { return {.name = "bullshark"}; }
  /// Bullshark with its asynchronous fallback (arXiv 2201.05677).
  static constexpr Rules bullshark_async() {
    return {.name = "bullshark-async", .commit = kAvailability, .asynchronous = true};
  }
  /// "DAGs for the Masses" (arXiv 2506.13998): D samples, the own vertex, the anchor. `verifiable`:
  /// voters draw the sample again; else it is the author's word.
  static constexpr Rules sparse_bullshark(std::uint32_t sample, bool verifiable = false) {
    return {.name = "sparse-bullshark",
            .parents = verifiable ? Parents::kVerifiable : Parents::kLocal,
            .sample = sample,
            .dense_anchor = false,
            .commit = kAvailability,
            .stragglers = 0};
  }
  /// docs/protocols/anchored.md, "Why `anchored-bullshark` is safe at any D".
  static constexpr Rules anchored_bullshark(std::uint32_t sample = 6) {
    return {.name = "anchored-bullshark",
            .parents = Parents::kLocal,
            .sample = sample,
            .commit = kAvailability,
            .turns = Turns::kPrompt};
  }
  /// Ledgers that name no rule for leaders.
  static constexpr Rules anchored_in_order(std::uint32_t sample = 6) {
    Rules rules = anchored_bullshark(sample);
    rules.turns = Turns::kInOrder;
    return rules;
  }
};

}  // namespace thresher::certified
