// Blocks of which a node keeps the header and not the payload, because their author's payloads are
// more than it may keep. Rules H2, H3, X1 and X2 of docs/protocols/thresher.md, section "What a
// peer can fill".
//
//   HeaderOnly lean;
//   lean.add(edge);                    // its payload was dropped
//   lean.wait_till_near(edge);         // it could be accepted, but it is far
//   lean.take_near(is_near, ready);    // it is not any more: appends it
//   lean.hold_back(edge);              // it could be accepted, but perhaps nobody needs it
//   lean.complete(edge);               // its payload came
//
// Guarantees: of what is held back each is there until it is released or leaves memory. Why a
// payload was dropped, and who may be asked for it, is not its business. Memory: held blocks.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "thresher/protocols/dag/block.hpp"

namespace thresher::dag {

class HeaderOnly {
 public:
  void add(const Edge& edge) { all_.insert(edge); }
  bool contains(const Edge& edge) const { return all_.contains(edge); }
  void complete(const Edge& edge) { all_.erase(edge); }
  /// It leaves memory, or the host has its payload. True when it was here.
  bool forget(const Edge& edge) {
    held_back_.erase(edge);
    return all_.erase(edge) > 0;
  }

  /// H3. Pre: contains(edge).
  void wait_till_near(const Edge& edge) { far_[edge.round].insert(edge); }
  /// Appends what waits in rounds for which `is_near(Round)` is true, from the lowest on.
  template <class F>
  void take_near(F is_near, std::vector<Edge>& ready) {
    while (!far_.empty() && is_near(far_.begin()->first)) {
      ready.insert(ready.end(), far_.begin()->second.begin(), far_.begin()->second.end());
      far_.erase(far_.begin());
    }
  }

  /// X1. Pre: contains(edge).
  void hold_back(const Edge& edge) { held_back_.insert(edge); }
  /// X2: somebody pays for its payload.
  void release(const Edge& edge) { held_back_.erase(edge); }
  const std::set<Edge>& held_back() const { return held_back_; }

 private:
  std::set<Edge> all_;  // not accepted
  std::map<Round, std::set<Edge>>
      far_;                   // of those, what is acceptable but for its payload, and far
  std::set<Edge> held_back_;  // likewise, but nobody may need it
};

}  // namespace thresher::dag
