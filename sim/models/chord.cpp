#include "chord.hpp"

namespace thresher::sim {

SubjectEntry subject_chord() {
  ProtocolInfo info;
  info.name = "chord";
  info.help = "model: lookups on Chord's circle of identifiers with finger tables";
  info.nodes_per_fault = 2;
  info.unjudged = {"agreement", "prefix", "totality"};
  info.parameters = LookupSubject<ChordRouter>::parameters();
  return {info, [](const Experiment& e, const RunOptions& o) {
            return run(LookupSubject<ChordRouter>(e), e, o);
          }};
}

}  // namespace thresher::sim
