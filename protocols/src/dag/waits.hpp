// Held blocks that wait for others before they can be accepted.
//
//   Waits waits;
//   waits.add(parent, child);           // `child` names `parent`, which is not accepted
//   waits.wake(parent, ready);          // it is now: appends who waited for it
//   waits.forget(floor, ready);         // rounds up to the floor count as accepted
//
// Guarantees: a waiter that was woken waits no more, and is named once for each time it was added,
// in that order. Accepting the woken ones is the caller's, who looks at each again: it may wait for
// another. Memory: held blocks, each of which waits in one place.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "thresher/protocols/dag/block.hpp"

namespace thresher::dag {

class Waits {
 public:
  /// Pre: `child` is of a later round than `parent`.
  void add(const Edge& parent, const Edge& child);
  void wake(const Edge& parent, std::vector<Edge>& ready);
  void forget(Round floor, std::vector<Edge>& ready);

  /// The blocks that wait for this one.
  std::span<const Edge> of(const Edge& parent) const;
  /// All who wait.
  std::size_t size() const { return size_; }

 private:
  std::map<Edge, std::vector<Edge>> waiting_;  // by what is waited for
  std::size_t size_ = 0;
};

}  // namespace thresher::dag
