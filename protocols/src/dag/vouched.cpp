// What is asked before a block that came with the log of peers is shown to others. Rules V1 and V2
// of docs/protocols/thresher.md, "What came with the log".
#include "state.hpp"

namespace thresher::dag {

// V1. A peer that asked will ask again, or ask another node.
bool Dag::State::may_show(const BlockPtr& block, Fx& fx) {
  const Edge edge = block->edge();
  if (vouched.may_be_shown(edge)) return true;
  if (vouched.begins_look(edge))
    awaited.ask({.block = block, .from = config.self, .vouched = true}, stats, fx);
  return false;
}

}  // namespace thresher::dag
