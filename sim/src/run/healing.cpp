#include "thresher/sim/healing.hpp"

namespace thresher::sim {

Healing::Healing(const Insight& insight, const Judge& judge, const Oracles& on,
                 const std::vector<NodeId>& nodes, Ticks now)
    : judge_(judge), on_(on), includes_(insight.traits().includes), since_(now) {
  for (const NodeId id : nodes) waits_.push_back({id, judge.length(id), {}});
  if (!insight.traits().accepts || !on_.acceptance) return;
  vouched_ = insight.vouched(nodes);
  for (Waiting& w : waits_) {
    for (std::size_t at = 0; at < vouched_->size(); ++at) {
      if (!vouched_->accepted(w.id, at)) w.unaccepted.push_back(at);
    }
  }
}

bool Healing::outputs(const Waiting& w) const {
  return !on_.liveness_on || judge_.length(w.id) > w.length;
}
bool Healing::included(const Waiting& w) const {
  return !includes_ || !on_.liveness_on || judge_.served(w.id, since_);
}

void Healing::left(NodeId id) {
  std::erase_if(waits_, [id](const Waiting& w) { return w.id == id; });
}

bool Healing::done() {
  std::erase_if(waits_, [this](Waiting& w) {
    std::erase_if(w.unaccepted, [&](std::size_t at) { return vouched_->accepted(w.id, at); });
    return outputs(w) && included(w) && w.unaccepted.empty();
  });
  return waits_.empty();
}

std::optional<Finding> Healing::missing(Ticks now) {
  if (done()) return std::nullopt;
  const Waiting& w = waits_.front();
  const std::string node = "node " + std::to_string(w.id.value);
  const std::string span = " between " + in_units(since_) + " and " + in_units(now) +
                           ", though the network and the faults left it alone";
  if (!outputs(w)) return Finding{"liveness", node + " decided nothing" + span};
  if (!included(w)) return Finding{"inclusion", node + " got no request of its own back" + span};
  return Finding{"acceptance", node + " did not accept " + vouched_->text_of(w.unaccepted.front()) +
                                   ", which another correct node had accepted and named by " +
                                   in_units(since_) + ", until " + in_units(now)};
}

}  // namespace thresher::sim
