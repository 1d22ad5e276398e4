#include "trial.hpp"

#include <algorithm>

#include "thresher/core/prng.hpp"

namespace thresher::verify {
namespace {

constexpr std::uint64_t kTrials = 500;
/// Firings between two looks at the clock.
constexpr std::size_t kFiringsAtOnce = 1'000;

class Trial {
 public:
  Trial(const std::vector<Hop>& hops, const std::vector<std::int64_t>& firings,
        const std::vector<std::int64_t>& processes, std::uint64_t seed)
      : hops_(hops), left_(firings), here_(processes), random_(seed) {}

  /// Fires until nothing can be fired. `preference` is shuffled on.
  void fire_all(std::vector<std::size_t>& preference, const Budget& budget) {
    for (std::size_t fired = 1; fire_one(preference); ++fired) {
      if (fired % kFiringsAtOnce == 0 && budget.over()) return;
    }
  }
  bool done() const {
    return std::all_of(left_.begin(), left_.end(), [](std::int64_t x) { return x == 0; });
  }
  std::vector<Step>& steps() { return steps_; }

 private:
  bool fire_one(std::vector<std::size_t>& preference) {
    for (std::size_t k = preference.size(); k > 1; --k) {
      std::swap(preference[k - 1], preference[random_.below(k)]);
    }
    for (const std::size_t m : preference) {
      const Hop& hop = hops_[m];
      if (left_[m] == 0 || here_[hop.from] == 0) continue;
      --left_[m];
      --here_[hop.from];
      ++here_[hop.to];
      if (steps_.empty() || steps_.back().rule != hop.rule) steps_.push_back({hop.rule, 0});
      ++steps_.back().times;
      return true;
    }
    return false;
  }

  const std::vector<Hop>& hops_;
  std::vector<std::int64_t> left_;
  std::vector<std::int64_t> here_;
  Prng random_;
  std::vector<Step> steps_;
};

bool too_many(const std::vector<std::int64_t>& firings) {
  std::int64_t left = kMostReplayed;
  for (const std::int64_t times : firings) {
    if (times > left) return true;
    left -= times;
  }
  return false;
}

}  // namespace

std::vector<Step> order_by_trial(const std::vector<Hop>& hops,
                                 const std::vector<std::int64_t>& firings,
                                 const std::vector<std::int64_t>& processes, const Budget& budget) {
  std::vector<Step> steps;
  if (too_many(firings)) {
    for (std::size_t m = 0; m < firings.size(); ++m) steps.push_back({hops[m].rule, firings[m]});
    return steps;
  }
  std::vector<std::size_t> preference(firings.size());
  for (std::size_t m = 0; m < preference.size(); ++m) preference[m] = m;
  for (std::uint64_t seed = 0; seed < kTrials; ++seed) {
    Trial trial(hops, firings, processes, seed);
    trial.fire_all(preference, budget);
    steps = std::move(trial.steps());
    if (trial.done() || budget.over()) break;
  }
  return steps;
}

// Takes away what nothing enters until nothing is left, or a circle.
bool has_cycle(std::set<std::pair<std::uint32_t, std::uint32_t>> edges) {
  while (!edges.empty()) {
    std::set<std::uint32_t> entered;
    for (const auto& [from, to] : edges) entered.insert(to);
    if (std::erase_if(edges, [&](const auto& e) { return !entered.contains(e.first); }) == 0) {
      return true;
    }
  }
  return false;
}

}  // namespace thresher::verify
