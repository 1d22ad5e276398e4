// Headers that are evidence for a KILL of a round: whether they suffice, and few that do.
//
//   KillEvidence evidence(round, committee, rules);
//   for (const BlockPtr& b : held) evidence.add(b);          // of the two rounds above
//   if (evidence.proves()) answer(evidence.few());
//
// Guarantees: what proves a KILL still does when more is added (docs/protocols/two-delay.md, T1 and
// T2). few() has at most two headers of an author. Checks no signature.
#pragma once

#include <map>
#include <vector>

#include "thresher/protocols/dag/block.hpp"
#include "thresher/protocols/dag/rules.hpp"

namespace thresher::dag {

/// In questions for evidence, in place of a leader block: a KILL of the round is asked about.
inline constexpr Digest kAboutKill{};

class KillEvidence {
 public:
  KillEvidence(Round round, const Committee& committee, const Rules& rules)
      : round_(round), committee_(committee), rules_(rules) {}

  /// Whether a header can speak for the KILL of `round` at all.
  static bool concerns(const Header& header, Round round) {
    return header.round.value == round.value + 1 ||
           (header.round.value == round.value + 2 && header.kill);
  }

  /// Takes in a header that concerns the round; others are ignored.
  void add(const BlockPtr& block);
  /// T2: enough authors without a vote for any voted block, or enough that KILL.
  bool proves() const { return dead() || killed(); }
  /// Some of those added that prove it by themselves, in the order in which they were added where
  /// there is a choice. Pre: proves().
  std::vector<BlockPtr> few() const;

 private:
  using Vote = std::optional<Edge>;
  /// One block of an author for each way to vote.
  using Votes = std::vector<BlockPtr>;

  Vote vote_of(const BlockPtr& block) const;
  bool dead() const;
  bool killed() const { return kills_.size() >= committee_.at_least(rules_.amplify); }

  Round round_;
  Committee committee_;
  Rules rules_;
  std::map<NodeId, Votes> voters_;
  std::vector<BlockPtr> kills_;  // of distinct authors
  std::vector<NodeId> order_;    // of the voters
};

}  // namespace thresher::dag
