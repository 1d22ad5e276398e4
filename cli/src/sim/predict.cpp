#include "predict.hpp"

#include <malloc.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "thresher/sim/outcome.hpp"

namespace thresher::cli {
namespace {

using Probes = std::array<std::uint32_t, 3>;
constexpr Probes kProbes = {7, 13, 19};  // 3f+1 each
// For protocols that send so little at the largest of those that these cost some tenths of a second
// if costs grow with n^2. Random runs need them: their noise grows with (n / probe)^2. Messages and
// not seconds are counted, so that a busy machine predicts the same.
constexpr Probes kLargeProbes = {64, 127, 256};
constexpr double kFewMessages = 2000;
// Longer runs are cut there and go on along a line.
constexpr std::uint64_t kLongest = 2000;

struct Cost {
  double messages = 0, bytes = 0, memory = 0, cpu = 0;
};

Cost plus(const Cost& a, const Cost& b, double factor) {
  return {a.messages + factor * b.messages, a.bytes + factor * b.bytes,
          std::max(a.memory, b.memory), a.cpu + factor * b.cpu};
}

Cost run(sim::Experiment e, double share) {
  const auto shorten = [&](std::optional<std::uint64_t>& stop) {
    if (stop)
      stop = std::max<std::uint64_t>(
          1, static_cast<std::uint64_t>(share * static_cast<double>(*stop)));
  };
  shorten(e.stop.rounds);
  shorten(e.stop.time);
  shorten(e.stop.decisions);
  (void)malloc_trim(0);  // else a probe finds the memory of the one before and seems to need none
  const sim::Outcome o = sim::simulate(e, {});
  return {static_cast<double>(o.messages), static_cast<double>(o.bytes),
          static_cast<double>(o.rss_bytes), o.cpu_s};
}

Cost whole_way(const sim::Experiment& e) {
  const std::uint64_t units = std::max({e.stop.rounds.value_or(1), e.stop.decisions.value_or(1),
                                        e.stop.time.value_or(1) / sim::kUnit});
  if (units <= kLongest) return run(e, 1);
  const double share = static_cast<double>(kLongest) / static_cast<double>(units);
  const Cost early = run(e, share / 2), late = run(e, share);
  return plus(late, plus(late, early, -1), 2 * (1 / share - 1));
}

// `count` of the ids, spread evenly, in a committee of `n` in place of `from`.
std::vector<NodeId> scaled(const std::vector<NodeId>& ids, std::uint32_t from, std::uint32_t n,
                           std::size_t count) {
  std::set<NodeId> there;
  for (const NodeId id : ids)
    there.insert(NodeId{static_cast<std::uint16_t>(std::uint64_t{id.value} * n / from)});
  const std::vector<NodeId> all(there.begin(), there.end());
  count = std::min(count, all.size());
  std::vector<NodeId> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(all[i * all.size() / count]);
  return out;
}

// How many nodes of a smaller committee stand for `count`: the same share of f, so that as many as
// can be borne stay as many as can be borne. It need not be whole.
double share_of(std::size_t count, const sim::Experiment& e, const sim::Experiment& small) {
  const double share =
      e.f > 0 ? static_cast<double>(small.f) / e.f : static_cast<double>(small.n) / e.n;
  return static_cast<double>(count) * share;
}

// With as many faulty nodes as the share says, rounded down or up.
sim::Experiment smaller(const sim::Experiment& e, std::uint32_t n, bool up) {
  sim::Experiment out = e;
  out.n = n;
  out.f = std::min(e.f, (n - 1) / 3);
  for (sim::FaultAction& fault : out.faults) {
    const auto whole = [&](const std::vector<NodeId>& ids) {
      const double share = share_of(ids.size(), e, out);
      return scaled(ids, e.n, n, static_cast<std::size_t>(up ? std::ceil(share) : share));
    };
    fault.who = whole(fault.who);
    const bool named = !fault.group.empty();
    fault.group = scaled(fault.group, e.n, n, fault.group.size());
    if (named && fault.group.empty()) fault.who.clear();
  }
  std::erase_if(out.faults, [](const sim::FaultAction& fault) {
    return fault.who.empty() && fault.what != sim::FaultKind::kStarve;
  });
  out.network.topology = sim::Topology::kComplete;
  out.network.width = out.network.height = out.network.degree = 0;
  out.network.neighbours.clear();
  out.network.links.clear();
  out.network.partitions.clear();
  if (out.network.regions.size() > n) out.network.regions.resize(n);
  return out;
}

// The cost with `n` nodes: between that with fewer and that with more faulty ones, as the share
// lies between them.
Cost cost_at(const sim::Experiment& e, std::uint32_t n) {
  const sim::Experiment fewer = smaller(e, n, false);
  double exact = 0, down = 0;
  for (const sim::FaultAction& fault : e.faults) {
    const double share = share_of(fault.who.size(), e, fewer);
    exact += share;
    down += std::floor(share);
  }
  const Cost low = whole_way(fewer);
  if (exact - down < 0.01) return low;
  const Cost high = whole_way(smaller(e, n, true));
  double up = 0;
  for (const sim::FaultAction& fault : e.faults)
    up += std::ceil(share_of(fault.who.size(), e, fewer));
  return plus(low, plus(high, low, -1), (exact - down) / (up - down));
}

}  // namespace

Prediction predict(const sim::Experiment& e) {
  Prediction out;
  if (e.n <= kProbes[2]) {
    const Cost cost = whole_way(e);
    return {cost.messages, cost.bytes, cost.memory, cost.cpu, {e.n}};
  }
  // The parabola through three committees (Lagrange). Measured costs would only blow up their
  // noise that way: they grow from the largest.
  Cost largest;
  const double n = e.n;
  const bool cheap = e.n > kLargeProbes[2] && cost_at(e, kProbes[2]).messages < kFewMessages;
  const Probes& probes = cheap ? kLargeProbes : kProbes;
  for (const std::uint32_t at : probes) {
    double weight = 1;
    for (const std::uint32_t other : probes) {
      if (other != at) weight *= (n - other) / (static_cast<double>(at) - other);
    }
    largest = cost_at(e, at);
    out.messages += weight * largest.messages;
    out.bytes += weight * largest.bytes;
    out.probes.push_back(at);
  }
  const double growth = largest.messages > 0 ? out.messages / largest.messages : 1;
  out.memory_bytes = largest.memory * growth;
  out.cpu_s = largest.cpu * growth;
  return out;
}

}  // namespace thresher::cli
