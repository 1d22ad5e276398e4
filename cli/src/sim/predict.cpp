#include "predict.hpp"

#include <malloc.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "growth.hpp"
#include "thresher/sim/outcome.hpp"

namespace thresher::cli {
namespace {

/// The committees that may be run: of 3f+1 nodes, as most protocols bear f faults of, and each
/// about half as many again or twice the one before.
constexpr std::array<std::uint32_t, 12> kSizes = {4,  7,   10,  13,  19,   31,
                                                  61, 127, 256, 511, 1024, 2047};
/// So many are run whatever they cost, because fewer say nothing of a growth; where they cost half
/// of the run, that is run itself.
constexpr std::size_t kLeast = 3;
constexpr std::uint32_t kRunItself = 13;
/// The next smaller than the experiment itself is of use only where it is well below it.
constexpr double kWellBelow = 0.7;
/// So many bytes take about as long to handle as a message.
constexpr double kBytesOfMessage = 256;
// Longer runs are cut there and go on along a line.
constexpr std::uint64_t kLongest = 2000;

struct Cost {
  double messages = 0, bytes = 0, memory = 0, cpu = 0;
};

// From `a` to `b`, and on along the line where the share is above 1; never below zero.
Cost between(const Cost& a, const Cost& b, double share) {
  return {std::max(0.0, a.messages + share * (b.messages - a.messages)),
          std::max(0.0, a.bytes + share * (b.bytes - a.bytes)), std::max(a.memory, b.memory),
          std::max(0.0, a.cpu + share * (b.cpu - a.cpu))};
}

struct Ran {
  Cost cost;
  double way = 0;  // the share of the way to the stop that is met first
};

// Stops no later than after `most` units, rounds or decisions.
Ran run(const sim::Experiment& whole, std::uint64_t most) {
  sim::Experiment e = whole;
  const auto shorten = [](std::optional<std::uint64_t>& stop, std::uint64_t to) {
    if (stop) stop = std::max<std::uint64_t>(1, std::min(*stop, to));
  };
  shorten(e.stop.rounds, most);
  shorten(e.stop.time, most * sim::kUnit);
  shorten(e.stop.decisions, most);
  // Measures are taken at the stop. What a run with faults does after it, until it has healed, can
  // cost far more than all before and changes none of them.
  e.beyond_f = true;
  (void)malloc_trim(0);  // else a probe finds the memory of the one before and seems to need none
  const sim::Outcome o = sim::simulate(e, {});
  Ran out{{static_cast<double>(o.messages), static_cast<double>(o.bytes),
           static_cast<double>(o.rss_bytes), o.cpu_s}};
  const auto came = [&](std::uint64_t to, const std::optional<std::uint64_t>& stop) {
    if (stop) out.way = std::max(out.way, static_cast<double>(to) / static_cast<double>(*stop));
  };
  came(o.rounds, whole.stop.rounds);
  came(o.time, whole.stop.time);
  came(o.decisions, whole.stop.decisions);
  return out;
}

// Of several stops each would take another share of the way; which is met first, a run shows.
Cost whole_way(const sim::Experiment& e) {
  const std::uint64_t units = std::max({e.stop.rounds.value_or(1), e.stop.decisions.value_or(1),
                                        e.stop.time.value_or(1) / sim::kUnit});
  const Ran late = run(e, kLongest);
  if (units <= kLongest || late.way >= 1) return late.cost;
  const Ran early = run(e, kLongest / 2);
  // One that came to nothing says nothing of how far it is: it took that part of the time.
  const bool goes_on = late.way > early.way;
  const double way =
      goes_on ? late.way : static_cast<double>(kLongest) / static_cast<double>(units);
  const double step = goes_on ? late.way - early.way : way / 2;
  return between(early.cost, late.cost, 1 + (1 - way) / step);
}

// `count` of the ids, spread evenly, in a committee of `n` in place of `from`. The gaps between
// them stay alike where they were alike: leaders that are faulty one after the other cost far more
// than as many with correct ones between them.
std::vector<NodeId> scaled(const std::vector<NodeId>& ids, std::uint32_t from, std::uint32_t n,
                           std::size_t count) {
  std::set<std::uint32_t> all;
  for (const NodeId id : ids) all.insert(id.value);
  if (all.empty() || count == 0) return {};
  std::vector<double> ends(all.begin(), all.end());
  ends.push_back(from + ends.front());  // the circle closes
  count = std::min(count, all.size());
  std::set<std::uint32_t> there;
  for (std::size_t i = 0; i < count; ++i) {
    const double rank = static_cast<double>(i * all.size()) / static_cast<double>(count);
    const auto below = static_cast<std::size_t>(rank);
    const double share = rank - static_cast<double>(below);
    const double id = ends[below] + share * (ends[below + 1] - ends[below]);
    there.insert(std::min(n - 1, static_cast<std::uint32_t>(id * n / from)));
  }
  std::vector<NodeId> out;
  out.reserve(there.size());
  for (const std::uint32_t id : there) out.push_back(NodeId{static_cast<std::uint16_t>(id)});
  return out;
}

// How many nodes of a smaller committee stand for `count`: the same share of f, so that as many as
// can be borne stay as many as can be borne. It need not be whole.
double share_of(std::size_t count, const sim::Experiment& e, const sim::Experiment& small) {
  const double share =
      e.f > 0 ? static_cast<double>(small.f) / e.f : static_cast<double>(small.n) / e.n;
  return static_cast<double>(count) * share;
}

// The same share of the faults that the protocol bears, but not none in place of some.
std::uint32_t faults_in(const sim::Experiment& e, std::uint32_t n) {
  const sim::ProtocolInfo* info = sim::simulated_protocol(e.protocol);
  const sim::ProtocolInfo& bears = info != nullptr ? *info : sim::ProtocolInfo{};
  const std::uint64_t most = bears.faults_of(n), all = bears.faults_of(e.n);
  if (all == 0) return std::min(e.f, static_cast<std::uint32_t>(most));
  return static_cast<std::uint32_t>(std::min(most, (e.f * most + all - 1) / all));
}

// With as many faulty nodes as the share says, rounded down or up.
sim::Experiment smaller(const sim::Experiment& e, std::uint32_t n, bool up) {
  sim::Experiment out = e;
  out.n = n;
  out.f = faults_in(e, n);
  for (sim::FaultAction& fault : out.faults) {
    const auto whole = [&](const std::vector<NodeId>& ids) {
      const double share = share_of(ids.size(), e, out);
      return scaled(ids, e.n, n, static_cast<std::size_t>(up ? std::ceil(share) : share));
    };
    fault.who = whole(fault.who);
    fault.group = scaled(fault.group, e.n, n, fault.group.size());
  }
  // Where nobody is left of those that it names, it is none: with nobody named it would be another.
  for (std::size_t i = e.faults.size(); i-- > 0;) {
    const auto gone = [&](auto part) {
      return !(e.faults[i].*part).empty() && (out.faults[i].*part).empty();
    };
    if (gone(&sim::FaultAction::who) || gone(&sim::FaultAction::group))
      out.faults.erase(out.faults.begin() + static_cast<std::ptrdiff_t>(i));
  }
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
  return between(low, high, (exact - down) / (up - down));
}

double work(double messages, double bytes) {
  return messages + bytes / kBytesOfMessage;
}

// What was run, and what follows of it for other sizes.
class Ladder {
 public:
  explicit Ladder(const sim::Experiment& e) : e_(e) {}

  void run(std::uint32_t n) {
    const Cost cost = n == e_.n ? whole_way(e_) : cost_at(e_, n);
    sizes_.push_back(n);
    messages_.push_back({static_cast<double>(n), cost.messages});
    bytes_.push_back({static_cast<double>(n), cost.bytes});
    memory_.push_back({static_cast<double>(n), cost.memory});
    cpu_.push_back({static_cast<double>(n), cost.cpu});
  }
  double work_at(double n) const { return work(grown(messages_, n), grown(bytes_, n)); }

  Prediction prediction() const {
    Prediction out;
    out.messages = grown(messages_, e_.n);
    out.bytes = grown(bytes_, e_.n);
    out.memory_bytes = grown(memory_, e_.n, bytes_);
    out.cpu_s = grown(cpu_, e_.n, bytes_);
    out.probes = sizes_;
    return out;
  }

 private:
  const sim::Experiment& e_;
  std::vector<std::uint32_t> sizes_;
  std::vector<Sample> messages_, bytes_, memory_, cpu_;  // by n
};

}  // namespace

std::uint64_t counted(double amount) {
  // The first number that no longer fits; as a double it is exact. Sums of powers are a hair off.
  constexpr double kTooMany = 18446744073709551616.0;
  if (!(amount > 0)) return 0;
  return amount < kTooMany ? static_cast<std::uint64_t>(std::round(amount))
                           : std::numeric_limits<std::uint64_t>::max();
}

Prediction predict(const sim::Experiment& e, const Effort& effort) {
  Ladder ladder(e);
  if (e.n <= kRunItself) {
    ladder.run(e.n);
    return ladder.prediction();
  }
  for (std::size_t i = 0; i < kSizes.size(); ++i) {
    const std::uint32_t n = kSizes[i];
    if (i >= kLeast) {
      const double allowed = std::max(effort.free, effort.share * ladder.work_at(e.n));
      if (n > kWellBelow * e.n || ladder.work_at(n) > allowed) break;
    }
    ladder.run(n);
  }
  if (ladder.work_at(e.n) <= effort.whole) ladder.run(e.n);
  return ladder.prediction();
}

}  // namespace thresher::cli
