// A journal of inputs: replays a node bit for bit.
//
//   Journal<Dag> journal;
//   journal.record(input);  step(node, input, fx);            // at each input
//   journal.replay(Dag(config), [&](const auto& again) { ... });   // the same effects in order
//
// Guarantees: a protocol reads nothing but its inputs, so the replayed copy makes the same effects.
// Keeps every input in memory: a host that records for long cuts it at a snapshot (protocols are
// copyable) and starts a new one. Does not write files.
#pragma once

#include <utility>
#include <vector>

#include "thresher/core/protocol.hpp"

namespace thresher::testing {

template <Protocol P>
class Journal {
 public:
  void record(InputOf<P> input) { inputs_.push_back(std::move(input)); }
  const std::vector<InputOf<P>>& inputs() const { return inputs_; }

  /// Steps `protocol` through every input; `visit(effects)` after each. Returns its last state.
  template <class F>
  P replay(P protocol, F visit) const {
    EffectsOf<P> effects;
    for (const InputOf<P>& input : inputs_) {
      effects.clear();
      step(protocol, input, effects);
      visit(effects);
    }
    return protocol;
  }

 private:
  std::vector<InputOf<P>> inputs_;
};

}  // namespace thresher::testing
