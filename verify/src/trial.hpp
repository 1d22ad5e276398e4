// Puts counted firings into an order that strands nobody. Private to verify/.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "budget.hpp"
#include "thresher/verify/replay.hpp"

namespace thresher::verify {

struct Hop {
  std::uint32_t rule = 0;  ///< index into Automaton::rules
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

/// One firing at a time in a drawn order of preference, until an order strands nobody. When none is
/// found within the budget the last one is returned, and its replay will say so. More firings than
/// a replay takes are not put into an order at all.
std::vector<Step> order_by_trial(const std::vector<Hop>& hops,
                                 const std::vector<std::int64_t>& firings,
                                 const std::vector<std::int64_t>& processes, const Budget& budget);

/// Whether edges from one number to another close a circle.
bool has_cycle(std::set<std::pair<std::uint32_t, std::uint32_t>> edges);

}  // namespace thresher::verify
