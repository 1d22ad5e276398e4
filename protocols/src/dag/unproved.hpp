// Claims, and KILLs, of held blocks for which there is no evidence here: who waits for it, and whom
// to ask. Rules E2 and E3 of docs/protocols/thresher.md, section "Evidence travels".
//
//   Unproved unproved;
//   unproved.add(leader, claimer);                   // `claimer` waits for evidence of `leader`
//   unproved.each([&](Unproved::OpenClaim& claim) { return ask(claim); });   // once in a tick
//   if (!unproved.answered(slot, digest, peer)) refuse();   // it was not asked, or has answered
//   unproved.wake(slot, digest, ready);              // it is proved: appends who waited for it
//
// Guarantees: a claimer that was woken waits no more, and is named once for each time it was added,
// in that order. Each question is answered once. What found no room in one tick comes first in the
// next. Asks nobody itself, and does not judge evidence. Memory: held blocks, each in one place.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "in_turn.hpp"
#include "search.hpp"
#include "thresher/protocols/dag/block.hpp"

namespace thresher::dag {

class Unproved {
 public:
  struct OpenClaim {
    Edge leader;  ///< the claimed block, or the round that is to be skipped
    Search search{};
    std::vector<Edge> claimers{};  ///< that wait; one at least
    NodeSet asked{};               ///< and did not answer yet
  };

  void add(const Edge& leader, const Edge& claimer);
  void wake(Round slot, const Digest& leader, std::vector<Edge>& ready);
  /// Slots up to the floor count as decided: appends who waited for evidence of them.
  void forget(Round floor, std::vector<Edge>& ready);

  /// What is claimed; null: nothing waits for evidence of it.
  const Edge* find(Round slot, const Digest& leader) const;
  /// A peer's answer came. False: it was not asked since the last one. Pre: find() is not null.
  bool answered(Round slot, const Digest& leader, NodeId peer);
  /// Calls `visit(OpenClaim&)` for all; false from it: there was no room for this one, which is the
  /// first the next time. See in_turn().
  template <class F>
  void each(F visit) {
    in_turn(claims_, begin_, [&](const Name&, OpenClaim& claim) { return visit(claim); });
  }

  bool empty() const { return claims_.empty(); }
  /// All claimers that wait.
  std::size_t waiting() const;

 private:
  using Name = std::pair<Round, Digest>;
  std::map<Name, OpenClaim> claims_;
  std::optional<Name> begin_;  // where the next tick begins
};

}  // namespace thresher::dag
