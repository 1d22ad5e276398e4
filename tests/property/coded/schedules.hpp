// Many schedules of one arena, and what they came to.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <iostream>

#include "../../shelf_types.hpp"
#include "arena.hpp"

namespace thresher {

/// Committees of 3f+1, 3f+2, 3f+3 and 4f+1 nodes, for f = 1 and f = 2; where n > 5f is needed, of
/// 5f+1, 5f+2 and 5f+3.
template <class Node>
std::vector<std::uint32_t> sizes_of() {
  if (Node::kNodesPerFault == 5) return {6, 7, 8, 11, 12, 13};
  return {4, 5, 6, 7, 8, 9};
}

struct Outcome {
  std::string first;  ///< what broke first; empty: nothing
  std::uint64_t seed = 0;
  std::uint64_t deliveries = 0;
  std::uint64_t of_liars = 0;  ///< instances of faulty origins that were delivered
  std::uint64_t crashes = 0;
  std::uint64_t held_back = 0;  ///< times that a message on a starved link had to wait
  std::map<std::string, std::uint64_t> fired;
};

/// Seeds 1 to `runs`, until one breaks. Every third schedule crashes nodes.
template <class Node>
Outcome schedules(
    std::uint64_t runs, const std::vector<std::uint32_t>& sizes,
    const std::function<void(typename Node::Config&)>& change = [](auto&) {}) {
  Outcome out;
  for (std::uint64_t seed = 1; seed <= runs && out.first.empty(); ++seed) {
    Arena<Node> arena(sizes[seed % sizes.size()], seed,
                      {.crashes_per_10000 = seed % 3 == 0 ? 100U : 0U, .change = change});
    out.first = arena.run(100 + seed % 400);
    out.seed = seed;
    out.deliveries += arena.deliveries();
    out.of_liars += arena.deliveries_of_liars();
    out.crashes += arena.crashes();
    out.held_back += arena.held_back();
    for (const auto& [attack, times] : arena.fired()) out.fired[attack] += times;
  }
  return out;
}

/// Nothing broke, and everything was tried: the line that is printed says how often.
template <class Node>
void expect_all_good(std::uint64_t runs) {
  const Outcome out = schedules<Node>(runs, sizes_of<Node>());
  EXPECT_EQ(out.first, "") << "seed " << out.seed;
  std::cout << Node::kName << ": " << runs << " schedules, " << out.deliveries
            << " instances delivered, " << out.of_liars << " of them of liars, " << out.crashes
            << " crashes, messages held back " << out.held_back;
  std::vector<std::string_view> attacks(Craft<Node>::kAttacks.begin(), Craft<Node>::kAttacks.end());
  attacks.push_back(Liars<Node>::kMute);
  for (const auto attack : attacks) {
    const auto fired = out.fired.find(std::string(attack));
    const std::uint64_t times = fired == out.fired.end() ? 0 : fired->second;
    EXPECT_GT(times, runs) << attack;
    std::cout << ", " << attack << " " << times;
  }
  std::cout << "\n";
  EXPECT_GT(out.held_back, runs);
  EXPECT_GT(out.deliveries, 3 * runs);
  EXPECT_GT(out.of_liars, runs / 20);
  EXPECT_GT(out.crashes, runs / 10);
}

}  // namespace thresher
