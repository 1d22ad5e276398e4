// The lemmas of the two-delay path's safety, checked over every block that was signed in a run:
// what no run shows yet as a fork, but the faulty could make one by signing a little more.
//
//   const TwoDelayLemmas lemmas(committee, rules, correct, faults);
//   if (auto finding = lemmas.check(by_round)) ...        // by_round: all blocks, the faulty's too
//
// P2': what a correct node refers to kills no round but one that enough authors did not vote in.
// P3': a round that enough nodes kill is killed in the history of every leader block three rounds
// on or later. PF: such a block sees enough of the votes that may commit a block, and too few of
// any other. P4': what blames alone may skip has too few votes for an anchor. The faulty count on
// either side, for they may still sign. Source: docs/protocols/two-delay.md, "Why it is safe".
//
// Guarantees: silent while the rules are whole and at most f nodes are faulty. Looks a few rounds
// back from a leader block.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "thresher/protocols/dag/block.hpp"
#include "thresher/protocols/dag/rules.hpp"
#include "thresher/sim/subject.hpp"

namespace thresher::sim {

class TwoDelayLemmas {
 public:
  using Blocks = std::vector<dag::BlockPtr>;
  using ByRound = std::map<std::uint64_t, Blocks>;

  /// `faults`: how many may still sign anything.
  TwoDelayLemmas(const Committee& committee, const dag::Rules& rules,
                 std::function<bool(NodeId)> correct, std::uint32_t faults)
      : committee_(committee), rules_(rules), correct_(std::move(correct)), faults_(faults) {}

  /// Nothing for rules without the path.
  std::optional<Finding> check(const ByRound& by_round) const;

 private:
  using Authors = std::set<NodeId>;
  using Known = std::map<Digest, dag::BlockPtr>;
  /// What is said of one round, by whom.
  struct Said {
    std::map<Digest, Authors> votes;
    Authors kills;
  };

  std::optional<Finding> kills_are_proved(const dag::Block& block, const Known& known,
                                          const ByRound& by_round) const;
  std::optional<Finding> blames_leave_few(std::uint64_t round, const Blocks& voters) const;
  std::optional<Finding> anchor_follows(const dag::Block& anchor, const Known& known,
                                        const std::map<std::uint64_t, Said>& said) const;
  bool dead(const Blocks& voters) const;
  std::map<std::uint64_t, Said> of_correct(const ByRound& by_round) const;
  std::map<std::uint64_t, Said> history(const dag::Block& from, const Known& known) const;
  bool leads(const dag::Block& block) const;

  Committee committee_;
  dag::Rules rules_;
  std::function<bool(NodeId)> correct_;
  std::uint32_t faults_;
};

}  // namespace thresher::sim
