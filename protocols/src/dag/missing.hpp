// Blocks that held ones refer to and that are not held: which peers are asked, on whose
// account.
//
//   MissingBlocks missing(committee);
//   missing.need(edge, child, from);                    // `child` refers to it; `from` sent that
//   if (missing.of(author) >= limits.missing_per_peer) ...   // no more of its blocks are held
//   missing.found(edge);                                // it came, from whomever
//   missing.each_late([&](NodeId author) { ... });      // whose blocks had to be asked for
//
// Guarantees: a block that is missing is charged to the author of the first block that refers to
// it, until it is found or forgotten, so a liar that refers to what does not exist uses up its own
// quota alone. At most kValidity of those that refer to it are remembered, of different authors:
// one of them is correct. Does not ask: the searches say whom.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "in_turn.hpp"
#include "search.hpp"
#include "thresher/protocols/dag/block.hpp"

namespace thresher::dag {

class MissingBlocks {
 public:
  struct Missing {
    NodeId charged;  ///< who wrote the first block that refers to it
    Search search;
    std::vector<Edge> children;  ///< some that refer to it, of different authors; one at least
    bool pushed = false;         ///< its author sent it after all
  };

  explicit MissingBlocks(const Committee& committee);

  void need(const Edge& edge, const Edge& child, NodeId from);
  /// Its author sends it by itself.
  void pushed(const Edge& edge);
  /// Missing no more. What was asked for is on trial until the next call but one of each_late().
  void found(const Edge& edge);
  /// Blocks were found whose authors may send them yet: each_late() is to be called.
  bool on_trial() const { return !on_trial_.empty() || !longer_.empty(); }
  /// Calls `visit(NodeId author)` once for each author of blocks that were found before the last
  /// call, had been asked for, and were not pushed: who was silent for long is missed at once, and
  /// not once for each round. A large block takes its author a while to push, and others name it
  /// before all have it.
  template <class F>
  void each_late(F visit) {
    NodeSet late(static_cast<std::uint32_t>(charged_.size()));
    for (const Edge& edge : std::exchange(longer_, std::exchange(on_trial_, {})))
      late.insert(edge.author);
    late.for_each(visit);
  }
  /// Drops what is at the floor or below it: that counts as accepted.
  void forget(Round floor);

  bool contains(const Edge& edge) const { return missing_.contains(edge); }
  /// Null: not missing.
  const Missing* find(const Edge& edge) const;
  /// How many are charged to `author`.
  std::uint32_t of(NodeId author) const { return charged_[author.value]; }
  bool empty() const { return missing_.empty(); }
  std::size_t size() const { return missing_.size(); }
  /// Calls `visit(const Edge&, Missing&)` for all; false from it: there was no room for this one,
  /// which is the first the next time. See in_turn().
  template <class F>
  void each(F visit) {
    fresh_.clear();
    in_turn(missing_, begin_, visit);
  }
  /// The same for those that have become missing since the last of either calls, as they came.
  template <class F>
  void each_fresh(F visit) {
    for (const Edge& edge : std::exchange(fresh_, {})) {
      if (const auto it = missing_.find(edge); it != missing_.end()) (void)visit(edge, it->second);
    }
  }

 private:
  void discharge(NodeId author);

  std::size_t remembered_;
  std::map<Edge, Missing> missing_;
  std::optional<Edge> begin_;
  std::vector<Edge> fresh_;
  // What was asked for and found since the last call of each_late(), and between that and the one
  // before: as much as is asked for meanwhile, which has its quotas.
  std::set<Edge> on_trial_;
  std::set<Edge> longer_;
  std::vector<std::uint32_t> charged_;  // by author
};

}  // namespace thresher::dag
