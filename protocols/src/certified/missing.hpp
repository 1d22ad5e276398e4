// Vertices that are referred to and not held: whom to ask for them when. Rules R8 and R10.
//
//   MissingVertices missing(committee, self, limits.missing_per_peer);
//   if (!missing.need(ref, who, certified)) refuse();     // too many are on `who`'s account
//   missing.tick(now, [&](NodeId author) { late(author); },
//                [&](NodeId peer, const Ref& ref) { ask(peer, ref); });
//   missing.full_answer(peer, now);                       // there is more where it came from
//   missing.pushed(ref);                                  // its author sends it by itself
//   missing.found(ref);                                   // it is held now
//
// Guarantees: what a certified vertex names exists and is asked for until it is found. What only a
// header names may not: it is on the account of who named it first, which is bounded, and is asked
// for as long as kTicksForProposals says each time it is named. Whoever stays silent, a correct
// node that has a vertex is asked in the end: who needed it, its author, then everybody in turn,
// more of them each time; besides, some of those that named it, for the first may be the liar that
// keeps it from others. An author is late whose vertex was found after somebody was asked for it,
// and that did not send it, nor does so within a tick: rule R11. What only a header names shows
// nothing of its author before that, for it may not exist. Sends nothing.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "thresher/protocols/certified/vertex.hpp"

namespace thresher::certified {

class MissingVertices {
 public:
  MissingVertices(const Committee& committee, NodeId self, std::uint32_t most);

  /// `certified`: a certified vertex names it. False: not taken.
  bool need(const Ref& ref, NodeId who, bool certified);
  /// It is missing no more. What was asked for is on trial for one tick and part of another.
  void found(const Ref& ref);
  /// Its author sends all of it by itself.
  void pushed(const Ref& ref);
  /// Vertices were found whose authors may send them yet: tick() is to be called.
  bool on_trial() const { return !on_trial_.empty() || !longer_.empty(); }
  /// Rounds up to the floor count as accepted.
  void forget(Round floor);
  bool contains(const Ref& ref) const { return missing_.contains(ref); }
  /// It is missing, and a certified vertex names it.
  bool exists(const Ref& ref) const;
  bool empty() const { return missing_.empty(); }
  std::size_t size() const { return missing_.size(); }

  /// A peer's answer in tick `now` was cut.
  void full_answer(NodeId peer, std::uint32_t now) { filled_at_[peer.value] = now; }
  /// One tick, the `now`-th. Calls `late(NodeId author)` once for each author of vertices whose
  /// trial is over, and `ask(NodeId peer, const Ref&)` for each question.
  template <class Late, class Ask>
  void tick(std::uint32_t now, Late late, Ask ask) {
    NodeSet authors(members_);
    for (const Ref& ref : std::exchange(longer_, std::exchange(on_trial_, {})))
      authors.insert(ref.author);
    authors.for_each(late);
    for (auto it = missing_.begin(); it != missing_.end();) {
      const Ref ref = it->first;
      Missing& one = it->second;
      ++it;
      if (given_up(one)) {
        drop(ref);
        continue;
      }
      for (const NodeId peer : asked_now(ref, one, now)) ask(peer, ref);
    }
  }

 private:
  struct Missing {
    NodeId needed_by;
    bool certified = false;          // a certified vertex needs it, so it exists
    bool pushed = false;             // its author sent it after all
    std::uint32_t ticks = 0;         // since it is missing
    std::uint32_t turn = 0;          // of questions
    std::vector<NodeId> namers{};    // others that named it, not asked yet
    std::uint32_t named_by = 0;      // so many of them so far
    std::uint32_t next_namer = 0;    // the tick at which one of them is asked
    std::uint32_t forgotten_at = 0;  // in such ticks, unless certified or named again
  };
  void note_namer(const Ref& ref, Missing& known, NodeId who) const;
  static bool given_up(Missing& one);
  std::vector<NodeId> asked_now(const Ref& ref, Missing& one, std::uint32_t now) const;
  void discharge(NodeId who);
  void drop(const Ref& ref);

  NodeId self_;
  std::uint32_t members_;
  std::uint32_t most_;        // on one account
  std::uint32_t most_asked_;  // in a turn: enough to have a correct one among them
  std::map<Ref, Missing> missing_;
  // What was asked for and found since the last tick, and between that and the one before.
  std::set<Ref> on_trial_;
  std::set<Ref> longer_;
  std::vector<std::uint32_t> charged_;    // by who named it first, not certified
  std::vector<std::uint32_t> filled_at_;  // by peer: the tick of its last full answer
};

}  // namespace thresher::certified
