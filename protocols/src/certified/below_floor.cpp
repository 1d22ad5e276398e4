#include "below_floor.hpp"

#include "thresher/protocols/certified/policy.hpp"

namespace thresher::certified {

BelowFloor::BelowFloor(const Config& config, const Own& own, const Records& records)
    : attic_(config.rules.policy->kept_below_floor(config.host_fetches_beyond, config.gc_depth)),
      config_(config),
      own_(own),
      records_(records) {}

// It may be named, so it stays to be handed out. What cannot be, for it came by the log alone, and
// what is further down than the attic goes at once.
void BelowFloor::keep(const VertexPtr& vertex, Fx& fx) {
  const bool servable = !vertex->certificate.signatures.empty();
  if (!servable || vertex->round() <= attic_.bottom()) return erase(vertex, fx);
  attic_.keep(config_->evict_delivered ? without_payload(vertex) : vertex);
}

void BelowFloor::raise(Round floor, Fx& fx) {
  attic_.raise(floor, [&](const VertexPtr& vertex) { erase(vertex, fx); });
}

void BelowFloor::erase(const VertexPtr& vertex, Fx& fx) const {
  const bool own_last = own_->vertex() && vertex->digest == own_->vertex()->digest;
  if (!own_last) records_->erase_vertex(*vertex, fx);
}

}  // namespace thresher::certified
