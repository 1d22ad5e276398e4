#include "stable_link.hpp"

namespace thresher::sim {

SubjectEntry subject_stable_link() {
  ProtocolInfo info = link_info(
      "stable_link", "model: links of two labels over channels that lose, repeat and reorder",
      StableLink::kTimeout);
  info.parameters.push_back(
      {"capacity", StableLink::kCapacity, 0, 1000, "old messages that a channel may hold"});
  return {info, [](const Experiment& e, const RunOptions& o) {
            return run(LinkSubject<StableLink>{&e}, e, o);
          }};
}

}  // namespace thresher::sim
