#include "thresher/sim/plan.hpp"

namespace thresher::sim {

std::optional<FaultKind> fault_from_name(std::string_view name) {
  if (name == "silent") return FaultKind::kSilent;
  if (name == "twins" || name == "equivocate") return FaultKind::kTwins;
  if (name == "crash") return FaultKind::kCrash;
  return std::nullopt;
}

}  // namespace thresher::sim
