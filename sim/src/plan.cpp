#include "thresher/sim/plan.hpp"

namespace thresher::sim {

Experiment Plan::experiment() const {
  Experiment e;
  e.n = committee.size();
  e.f = committee.faults();
  e.seed = seed;
  e.network.delay = {
      .kind = delay_max > delay_min ? DelayLaw::Kind::kUniform : DelayLaw::Kind::kConstant,
      .mean = delay_min * kUnit,
      .min = (delay_min - 1) * kUnit + 1,
      .max = delay_max * kUnit};
  e.network.loss_ppm = gst > 0 ? loss_ppm : 0;
  e.network.cut_ppm = cut_ppm;
  e.network.gst = gst * kUnit;
  e.network.delta = delta * kUnit;
  for (const auto& [id, fault] : faults) {
    FaultAction action{.who = {id}, .what = fault.kind};
    if (fault.kind == FaultKind::kCrash) {
      action.from = fault.at * kUnit;
      if (fault.back > fault.at) action.to = fault.back * kUnit;
    }
    e.faults.push_back(action);
  }
  return e;
}

}  // namespace thresher::sim
