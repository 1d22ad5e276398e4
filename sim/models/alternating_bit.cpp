#include "alternating_bit.hpp"

namespace thresher::sim {

SubjectEntry subject_alternating_bit() {
  ProtocolInfo info;
  info.name = "alternating_bit";
  info.help = "model: stop-and-wait links from each node to the next, an item at a time";
  info.byzantine = false;
  info.least_nodes = 2;
  info.unjudged = {"prefix", "totality"};
  info.parameters = {
      {"timeout", AlternatingBit::kTimeout, 1, 1'000'000, "rounds or ms before an item is resent"},
      {"labels", AlternatingBit::kLabels, 0, 1 << 20,
       "labels used in turn; 2 is the bit (links must not reorder), 0 counts without end"},
  };
  return {info, [](const Experiment& e, const RunOptions& o) {
            return run(LinkSubject<AlternatingBit>{&e}, e, o);
          }};
}

}  // namespace thresher::sim
