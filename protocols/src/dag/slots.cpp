#include "slots.hpp"

#include <utility>

#include "thresher/core/assert.hpp"

namespace thresher::dag {

void Slots::decide_next(Round slot) {
  THRESHER_ASSERT(slot == next_, "slots are decided one after another, each once");
  ++next_.value;
}

void Slots::skip(Round slot) {
  decide_next(slot);
  schedule_.note_skip(slot);
}

Slots::Made Slots::commit(Round slot, const NodeSet& named) {
  decide_next(slot);
  const bool changed = schedule_.note_commit(slot, named);
  return {std::exchange(last_commit_, slot), changed};
}

void Slots::restore(Round last_commit, const Schedule& after) {
  next_ = Round{last_commit.value + 1};
  last_commit_ = last_commit;
  schedule_ = after;
}

}  // namespace thresher::dag
