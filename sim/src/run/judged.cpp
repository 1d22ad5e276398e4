// Whether a run would have gone on, which it does not show itself.
#include "run/run.hpp"

namespace thresher::sim {

std::string Run::why_unjudged() const {
  if (!experiment_.oracles.any()) return "every oracle is off; leave one on";
  const bool decided = judge_.known() > 0;
  if (submitted_ == 0) return {};
  if (all_done()) return decided ? "" : "no correct node was asked for anything";
  if (!experiment_.oracles.liveness_on) return "the oracle is off";
  // A run that reaches a stop other than a time went on until then.
  if (!timed() && decided) return {};
  const std::string end = "the run stopped at " + in_units(now_);
  const Ticks quiet = quiet_from();
  if (now_ < quiet)
    return end + ", and the network and the faults leave it alone only from " + in_units(quiet);
  if (now_ - quiet <= judge_.bound())
    return end + ", and a correct node may take " + in_units(judge_.bound()) + " to decide, from " +
           in_units(quiet);
  return decided ? "" : "no correct node that was up had a request waiting for so long";
}

}  // namespace thresher::sim
