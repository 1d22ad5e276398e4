// Held blocks that wait for others before they can be accepted.
//
//   Waits<Edge> waits;
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

#include "thresher/core/assert.hpp"
#include "thresher/core/ids.hpp"

namespace thresher::chassis {

/// `Name`: of a block, with its `round`.
template <class Name>
class Waits {
 public:
  /// Pre: `child` is of a later round than `parent`.
  void add(const Name& parent, const Name& child) {
    THRESHER_ASSERT(parent.round < child.round, "a block waits for older ones");
    waiting_[parent].push_back(child);
    ++size_;
  }
  void wake(const Name& parent, std::vector<Name>& ready) {
    if (waiting_.empty()) return;
    const auto it = waiting_.find(parent);
    if (it == waiting_.end()) return;
    size_ -= it->second.size();
    ready.insert(ready.end(), it->second.begin(), it->second.end());
    waiting_.erase(it);
  }
  void forget(Round floor, std::vector<Name>& ready) {
    std::erase_if(waiting_, [&](const auto& one) {
      if (one.first.round > floor) return false;
      size_ -= one.second.size();
      ready.insert(ready.end(), one.second.begin(), one.second.end());
      return true;
    });
  }

  /// The blocks that wait for this one.
  std::span<const Name> of(const Name& parent) const {
    const auto it = waiting_.find(parent);
    return it == waiting_.end() ? std::span<const Name>() : std::span<const Name>(it->second);
  }
  /// All who wait.
  std::size_t size() const { return size_; }

 private:
  std::map<Name, std::vector<Name>> waiting_;  // by what is waited for
  std::size_t size_ = 0;
};

}  // namespace thresher::chassis
