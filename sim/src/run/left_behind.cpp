// The nodes that were away for longer than the others remember.
#include <algorithm>
#include <string>

#include "run/run.hpp"

namespace thresher::sim {

std::string Run::left_behind() const {
  const std::vector<NodeId> ids = correct_and_up();
  for (const NodeId id : ids) {
    const auto own = insight_.reach(id);
    if (!own) return {};
    std::uint64_t first = kNone;
    for (const NodeId other : ids) {
      if (other != id) first = std::min(first, insight_.reach(other)->gives);
    }
    if (first == kNone || first <= own->needs) continue;
    const auto at = [&](std::uint64_t number) {
      return std::string(own->unit).append(" ").append(std::to_string(number));
    };
    return "node " + std::to_string(id.value) +
           " was away for longer than the others remember: it goes on at " + at(own->needs) +
           ", and they have nothing before " + at(first) +
           " any more; let them keep more with protocol." + std::string(own->parameter) +
           ", or let it be away for less (on a network its host fetches the log from peers, which "
           "the simulator lacks)";
  }
  return {};
}

}  // namespace thresher::sim
