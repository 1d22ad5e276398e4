#include "frontier.hpp"

#include <algorithm>
#include <functional>

#include "thresher/core/assert.hpp"

namespace thresher::chassis {

Frontier::Frontier(const Committee& committee, NodeId self)
    : self_(self), enough_(committee.at_least(kValidity)), seen_(committee.size()) {}

void Frontier::note(NodeId peer, Round round) {
  Round& seen = seen_[peer.value];
  if (round <= seen) return;
  if (seen <= reached_ && round > reached_) ++beyond_;
  seen = round;
  highest_ = std::max(highest_, round);
  if (beyond_ < enough_) return;
  // The highest round that so many peers have reached.
  std::vector<Round> others;
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    if (i != self_.value) others.push_back(seen_[i]);
  }
  const auto rank = others.begin() + static_cast<std::ptrdiff_t>(enough_) - 1;
  std::nth_element(others.begin(), rank, others.end(), std::greater<>());
  THRESHER_ASSERT(*rank > reached_, "what a correct node reached never falls");
  reached_ = *rank;
  beyond_ = static_cast<std::uint32_t>(
      std::count_if(others.begin(), others.end(), [&](Round r) { return r > reached_; }));
}

}  // namespace thresher::chassis
