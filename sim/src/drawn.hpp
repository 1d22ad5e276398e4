// What drawing a schedule needs wherever it is done: chance, nodes, sets of nodes, the length of a
// run.
//
//   class Mine : Drawn { ... if (one_in(3)) e_.faults.push_back({.who = {node()}, ...}); };
//
// Guarantees: a function of the experiment, the seed and the stream. A draw is a statement of its
// own wherever two stand in one call: compilers evaluate arguments in orders of their own.
// Private to sim/.
#pragma once

#include <algorithm>
#include <limits>
#include <set>
#include <vector>

#include "thresher/core/prng.hpp"
#include "thresher/sim/experiment.hpp"
#include "thresher/sim/wan.hpp"

namespace thresher::sim {

class Drawn {
 protected:
  Drawn(Experiment& e, std::uint64_t seed, std::uint64_t stream)
      : e_(e), rng_(seed, stream), span_(span_of(e)) {}

  // In units; at least ten, so that intervals differ.
  static std::uint64_t span_of(const Experiment& e) {
    const Ticks step = std::max<Ticks>(kUnit, e.network.delay.mean);
    Ticks span = 30 * step;
    if (e.stop.decisions) span = 4 * step * *e.stop.decisions;
    if (e.stop.rounds) span = step * *e.stop.rounds;
    if (e.stop.time) span = *e.stop.time;
    return std::clamp<std::uint64_t>(span / kUnit, 10, std::numeric_limits<std::uint32_t>::max());
  }
  bool one_in(std::uint64_t k) { return rng_.below(k) == 0; }
  static NodeId node(std::uint64_t i) { return NodeId{static_cast<std::uint16_t>(i)}; }
  NodeId node() { return node(rng_.below(e_.n)); }
  std::vector<NodeId> some() {
    std::vector<NodeId> ids;
    const bool all = one_in(6);
    for (std::uint32_t i = 0; i < e_.n; ++i) {
      if (all || one_in(2)) ids.push_back(node(i));
    }
    if (ids.empty()) ids.push_back(node());
    return ids;
  }
  std::vector<NodeId> all_but(NodeId a, NodeId b) const {
    std::vector<NodeId> ids;
    for (std::uint32_t i = 0; i < e_.n; ++i) {
      if (i != a.value && i != b.value) ids.push_back(node(i));
    }
    return ids;
  }
  std::vector<NodeId> all_but(const std::set<NodeId>& left_out) const {
    std::vector<NodeId> ids;
    for (std::uint32_t i = 0; i < e_.n; ++i) {
      if (!left_out.contains(node(i))) ids.push_back(node(i));
    }
    return ids;
  }
  // Whether the experiment leaves it open how long links take.
  bool plain_delays() const {
    const Network& net = e_.network;
    return net.delay.kind == DelayLaw::Kind::kConstant && net.links.empty() &&
           table_of(net) == nullptr;
  }
  // Some links take longer than others, for good, but no longer than Delta.
  void slow_links() {
    const Network& net = e_.network;
    if (!net.links.empty() || table_of(net) != nullptr || net.delta <= net.delay.min) return;
    for (std::uint64_t k = 1 + rng_.below(2 * e_.n); k > 0; --k) {
      const Ticks delay = net.delay.min + 1 + rng_.below(net.delta - net.delay.min);
      const DelayLaw law{DelayLaw::Kind::kConstant, delay, 0, delay, delay};
      e_.network.links.push_back({{node()}, {node()}, law});
    }
  }

  Experiment& e_;
  Prng rng_;
  std::uint64_t span_;
};

}  // namespace thresher::sim
