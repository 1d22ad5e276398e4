#include "thresher/sim/commits.hpp"

#include <algorithm>
#include <string>

#include "thresher/sim/names.hpp"
#include "thresher/sim/statistics.hpp"

namespace thresher::sim {

Commits::Commits(const Experiment& e) : at_(e.n), away_(e.n) {
  const auto add = [this](std::string what, Ticks at) {
    moments_.push_back({std::move(what), at});
  };
  add("start", 0);
  if (e.network.gst > 0) add("gst", e.network.gst);
  for (const Partition& p : e.network.partitions) {
    add("partition begins", p.from);
    add("partition ends", p.to);
  }
  for (const FaultAction& fault : e.faults) {
    const std::string name(name_of(fault.what));
    add(name + " begins", fault.from);
    if (fault.to) add(name + " ends", *fault.to);
  }
  std::sort(moments_.begin(), moments_.end(), [](const Moment& a, const Moment& b) {
    return a.at != b.at ? a.at < b.at : a.what < b.what;
  });
  moments_.erase(std::unique(moments_.begin(), moments_.end()), moments_.end());
}

CommitTimes Commits::times(const std::vector<NodeId>& nodes, Ticks end) const {
  CommitTimes out;
  std::vector<double> gaps;
  std::vector<NodeId> watched;
  for (const NodeId id : nodes) {
    if (!away_[id.value]) watched.push_back(id);
  }
  for (const NodeId id : watched) {
    const std::vector<Ticks>& at = at_[id.value];
    for (std::size_t i = 0; i < at.size(); ++i) {
      const Ticks until = i + 1 < at.size() ? at[i + 1] : std::max(end, at[i]);
      gaps.push_back(static_cast<double>(until - at[i]));
      out.longest_gap = std::max(out.longest_gap.value_or(0), until - at[i]);
    }
  }
  std::sort(gaps.begin(), gaps.end());
  if (!gaps.empty()) out.p99_gap = static_cast<Ticks>(percentile(gaps, 0.99));
  for (const Moment& moment : moments_) {
    if (moment.at >= end || watched.empty()) continue;
    FirstCommit first{moment.what, moment.at, Ticks{0}};
    for (const NodeId id : watched) {
      const std::vector<Ticks>& at = at_[id.value];
      const auto next = std::lower_bound(at.begin(), at.end(), moment.at);
      if (next == at.end()) {
        first.after.reset();
        break;
      }
      first.after = std::max(*first.after, *next - moment.at);
    }
    out.first_after.push_back(std::move(first));
  }
  return out;
}

}  // namespace thresher::sim
