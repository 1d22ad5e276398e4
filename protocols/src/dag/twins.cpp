#include "twins.hpp"

#include "thresher/core/assert.hpp"

namespace thresher::dag {

void Twins::hold(const Edge& edge, NodeId payer) {
  const bool fresh = twins_.emplace(edge, Twin{payer, std::nullopt}).second;
  THRESHER_ASSERT(fresh, "a twin is held for the sake of one peer");
  ++accounts_[payer.value].held;
}

void Twins::charge(const Edge& edge, NodeId payer, std::uint64_t bytes) {
  Twin& twin = twins_.at(edge);
  THRESHER_ASSERT(!twin.charged, "a payload is charged once");
  twin.charged = payer;
  accounts_[payer.value].bytes += bytes;
}

void Twins::forget(const Block& block) {
  const auto it = twins_.find(block.edge());
  if (it == twins_.end()) return;
  const Twin& twin = it->second;
  --accounts_[twin.payer.value].held;
  if (twin.charged) accounts_[twin.charged->value].bytes -= block.header.payload_bytes;
  twins_.erase(it);
}

bool Twins::uncharged(const Edge& edge) const {
  const auto it = twins_.find(edge);
  return it != twins_.end() && !it->second.charged;
}

std::optional<NodeId> Twins::payer(const Edge& edge) const {
  const auto it = twins_.find(edge);
  return it == twins_.end() ? std::nullopt : std::optional(it->second.payer);
}

}  // namespace thresher::dag
