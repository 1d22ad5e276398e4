#include "trial.hpp"

#include <algorithm>

#include "thresher/core/prng.hpp"

namespace thresher::verify {
namespace {

constexpr std::uint64_t kTrials = 500;

}  // namespace

std::vector<Step> order_by_trial(const std::vector<Hop>& hops,
                                 const std::vector<std::int64_t>& firings,
                                 const std::vector<std::int64_t>& processes) {
  std::vector<Step> steps;
  std::vector<std::size_t> preference(firings.size());
  for (std::size_t m = 0; m < preference.size(); ++m) preference[m] = m;
  for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
    Prng random(trial);
    auto left = firings;
    auto here = processes;
    steps.clear();
    bool moved = true;
    while (moved) {
      moved = false;
      for (std::size_t k = preference.size(); k > 1; --k) {
        std::swap(preference[k - 1], preference[random.below(k)]);
      }
      for (const std::size_t m : preference) {
        if (left[m] == 0 || here[hops[m].from] == 0) continue;
        --left[m];
        --here[hops[m].from];
        ++here[hops[m].to];
        steps.push_back({hops[m].rule, 1});
        moved = true;
        break;
      }
    }
    const bool done = std::all_of(left.begin(), left.end(), [](std::int64_t x) { return x == 0; });
    if (done) break;
  }
  for (std::size_t i = steps.size(); i-- > 1;) {
    if (steps[i - 1].rule != steps[i].rule) continue;
    steps[i - 1].times += steps[i].times;
    steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(i));
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
