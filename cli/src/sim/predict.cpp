#include "predict.hpp"

#include <malloc.h>

#include <algorithm>
#include <array>

#include "thresher/sim/outcome.hpp"

namespace thresher::cli {
namespace {

using Probes = std::array<std::uint32_t, 3>;
constexpr Probes kProbes = {7, 13, 19};  // 3f+1 each
// Of what is so cheap at the largest of those that these cost a tenth of a second if costs grow
// with n^2. Random runs need them: their noise grows with (n / probe)^2.
constexpr Probes kLargeProbes = {64, 127, 256};
constexpr double kCheap = 0.0005;
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

sim::Experiment smaller(const sim::Experiment& e, std::uint32_t n) {
  sim::Experiment out = e;
  out.faults.clear();
  out.n = n;
  out.f = std::min(e.f, (n - 1) / 3);
  out.network.topology = sim::Topology::kComplete;
  out.network.width = out.network.height = out.network.degree = 0;
  out.network.neighbours.clear();
  out.network.links.clear();
  out.network.partitions.clear();
  if (out.network.regions.size() > n) out.network.regions.resize(n);
  return out;
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
  const bool cheap = e.n > kLargeProbes[2] && whole_way(smaller(e, kProbes[2])).cpu < kCheap;
  const Probes& probes = cheap ? kLargeProbes : kProbes;
  for (const std::uint32_t at : probes) {
    double weight = 1;
    for (const std::uint32_t other : probes) {
      if (other != at) weight *= (n - other) / (static_cast<double>(at) - other);
    }
    largest = whole_way(smaller(e, at));
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
