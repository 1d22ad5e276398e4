#include "deliveries.hpp"

#include <memory>
#include <span>
#include <utility>

namespace thresher::dag {

// D4
std::vector<Place> Deliveries::collect(const Edge& leader) {
  const std::uint64_t depth = config_.gc_depth;
  const Round lowest{leader.round.value > depth ? leader.round.value - depth : 0};
  std::vector<Place> out = store_.deliver_history(std::span(&leader, 1), lowest);
  for (const Place& place : out) undelivered_.remove(*store_.entry(place).block);
  return out;
}

Committed Deliveries::of(Round slot, const Edge& leader) {
  const std::vector<Place> places = collect(leader);
  Committed out{slot, leader.digest, {}};
  out.blocks.reserve(places.size());
  for (const Place& place : places) {
    BlockPtr& held = store_.entry(place).block;
    out.blocks.push_back(held);
    if (!config_.evict_delivered || held->payload.bytes.empty()) continue;
    auto slim = std::make_shared<Block>(*held);
    slim->payload.bytes = {};
    held = std::move(slim);
  }
  return out;
}

}  // namespace thresher::dag
