// Blocks that came with the log of peers and that nobody here has looked at. A quorum of hashes
// vouches for their digests, but no hash of the log covers signatures: a liar that hands out the
// log can put false ones in. Rules V1 and V2 of docs/protocols/thresher.md, "What came with the
// log".
//
//   Vouched vouched;
//   vouched.add(edge);                               // it came with the log
//   if (vouched.may_be_shown(edge)) give(block);     // others may see it
//   else if (vouched.begins_look(edge)) ask_for_the_verdict(block);
//   vouched.looked_at(edge, ok);
//
// Guarantees: the verdict is asked for once, when somebody first wants the block: a node that
// catches up takes over far more blocks than it is ever asked for. What was found false is never
// shown. A block that did not come with the log may be shown.
#pragma once

#include <cstdint>
#include <map>

#include "thresher/protocols/dag/block.hpp"

namespace thresher::dag {

class Vouched {
 public:
  /// Changes nothing about a block that is here already.
  void add(const Edge& edge) { looks_.emplace(edge, Look::kNone); }
  /// It leaves memory.
  void forget(const Edge& edge) { looks_.erase(edge); }

  bool may_be_shown(const Edge& edge) const { return !looks_.contains(edge); }
  /// True once. Pre: !may_be_shown(edge).
  bool begins_look(const Edge& edge) {
    Look& look = looks_.at(edge);
    if (look != Look::kNone) return false;
    look = Look::kAsked;
    return true;
  }
  /// The verdict on its signature; nothing happens when it has left memory.
  void looked_at(const Edge& edge, bool ok) {
    const auto it = looks_.find(edge);
    if (it == looks_.end()) return;
    if (!ok) it->second = Look::kFalse;
    if (ok) looks_.erase(it);
  }

 private:
  enum class Look : std::uint8_t { kNone, kAsked, kFalse };
  std::map<Edge, Look> looks_;
};

}  // namespace thresher::dag
