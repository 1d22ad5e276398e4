#include "stable_link.hpp"

namespace thresher::sim {

SubjectEntry subject_stable_link() {
  ProtocolInfo info;
  info.name = "stable_link";
  info.help = "model: links of two labels over channels that lose, repeat and reorder";
  info.byzantine = false;
  info.least_nodes = 2;
  info.unjudged = {"prefix", "totality"};
  info.parameters = {
      {"timeout", StableLink::kTimeout, 1, 1'000'000, "rounds or ms before an item is resent"},
      {"capacity", StableLink::kCapacity, 0, 1000, "old messages that a channel may hold"},
  };
  return {info, [](const Experiment& e, const RunOptions& o) {
            return run(LinkSubject<StableLink>{&e}, e, o);
          }};
}

}  // namespace thresher::sim
