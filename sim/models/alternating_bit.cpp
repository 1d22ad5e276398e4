#include "alternating_bit.hpp"

namespace thresher::sim {

SubjectEntry subject_alternating_bit() {
  ProtocolInfo info = link_info(
      "alternating_bit", "model: stop-and-wait links from each node to the next, an item at a time",
      AlternatingBit::kTimeout);
  info.parameters.push_back(
      {"labels", AlternatingBit::kLabels, 0, 1 << 20,
       "labels used in turn; 2 is the bit (links must not reorder), 0 counts without end"});
  return {info, [](const Experiment& e, const RunOptions& o) {
            return run(LinkSubject<AlternatingBit>{&e}, e, o);
          }};
}

}  // namespace thresher::sim
