#include "thresher/sim/report.hpp"

namespace thresher::sim {

void TraceRecorder::event(const TraceEvent& event) {
  if (++seen_ > limit_) return;
  Kept kept{event, std::string(event.label), std::string(event.detail)};
  // The texts that the event points to are gone after this call.
  kept.event.label = {};
  kept.event.detail = {};
  events_.push_back(std::move(kept));
}

}  // namespace thresher::sim
