#include "showing.hpp"

namespace thresher::dag {

// V1
bool Showing::may_show(const BlockPtr& block, Dag::Fx& fx) {
  const Edge edge = block->edge();
  if (vouched_.may_be_shown(edge)) return true;
  if (vouched_.begins_look(edge))
    awaited_.ask({.block = block, .from = self_, .vouched = true}, stats_, fx);
  return false;
}

}  // namespace thresher::dag
