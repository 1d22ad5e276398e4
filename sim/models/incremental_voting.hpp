// Discrete incremental voting: somebody looks at a neighbour and moves one step towards its
// opinion.
//
//   IncrementalVoting voting(random_regular(prng, 400, 8), opinions);
//   const std::uint64_t steps = voting.run(prng, most);
//   voting.consensus()                           // the opinion of all, if they have one
//
// In each step a node drawn at random draws a neighbour. The mean of all opinions, weighted by
// degrees, is a martingale; on graphs that mix well the opinions shrink to two neighbours of it
// first, so they end at its floor or its ceiling, at the ceiling as often as its fraction says.
// Source: arXiv 2409.12615 (the claim and expanders), arXiv 2606.06381 (time and conductance).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "thresher/core/prng.hpp"

namespace thresher::sim {

/// Neighbours by node; a pair may be joined twice.
using Neighbours = std::vector<std::vector<std::uint32_t>>;

inline Neighbours cycle(std::uint32_t n) {
  Neighbours out(n);
  for (std::uint32_t i = 0; i < n; ++i) out[i] = {(i + 1) % n, (i + n - 1) % n};
  return out;
}

/// Cycles through all nodes in drawn orders, laid over each other: an expander but for a chance
/// that vanishes with n. Pre: `degree` is even.
inline Neighbours random_regular(Prng& prng, std::uint32_t n, std::uint32_t degree) {
  Neighbours out(n);
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  for (std::uint32_t layer = 0; layer < degree / 2; ++layer) {
    for (std::uint32_t i = n; i-- > 1;) std::swap(order[i], order[prng.below(i + 1)]);
    for (std::uint32_t i = 0; i < n; ++i) {
      out[order[i]].push_back(order[(i + 1) % n]);
      out[order[(i + 1) % n]].push_back(order[i]);
    }
  }
  return out;
}

class IncrementalVoting {
 public:
  IncrementalVoting(Neighbours graph, std::vector<std::int64_t> opinions)
      : graph_(std::move(graph)), opinions_(std::move(opinions)) {
    for (const std::int64_t opinion : opinions_) ++holders_[opinion];
  }

  /// Steps until all agree, or `most`.
  std::uint64_t run(Prng& prng, std::uint64_t most) {
    std::uint64_t steps = 0;
    for (; steps < most && holders_.size() > 1; ++steps) step(prng);
    return steps;
  }
  std::optional<std::int64_t> consensus() const {
    if (holders_.size() != 1) return std::nullopt;
    return holders_.begin()->first;
  }
  /// Weighted by degrees.
  double mean() const {
    double sum = 0;
    double weight = 0;
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      sum += static_cast<double>(opinions_[i]) * static_cast<double>(graph_[i].size());
      weight += static_cast<double>(graph_[i].size());
    }
    return sum / weight;
  }

 private:
  void step(Prng& prng) {
    const std::size_t who = prng.below(graph_.size());
    const std::int64_t seen = opinions_[graph_[who][prng.below(graph_[who].size())]];
    std::int64_t& own = opinions_[who];
    if (seen == own) return;
    const auto left = holders_.find(own);
    if (--left->second == 0) holders_.erase(left);
    own += seen > own ? 1 : -1;
    ++holders_[own];
  }

  Neighbours graph_;
  std::vector<std::int64_t> opinions_;
  std::map<std::int64_t, std::uint32_t> holders_;
};

}  // namespace thresher::sim
