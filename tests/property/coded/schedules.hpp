// Many schedules of one arena, and what they came to.
#pragma once

#include <gtest/gtest.h>

#include <iostream>

#include "arena.hpp"

namespace thresher {

/// Committees of 3f+1, 3f+2, 3f+3 and 4f+1 nodes, for f = 1 and f = 2.
inline constexpr std::uint32_t kSizes[] = {4, 5, 6, 7, 8, 9};

struct Outcome {
  std::string first;  ///< what broke first; empty: nothing
  std::uint64_t seed = 0;
  std::uint64_t deliveries = 0;
  std::uint64_t of_liars = 0;  ///< instances of faulty origins that were delivered
  std::uint64_t crashes = 0;
  std::map<std::string, std::uint64_t> fired;
};

/// Seeds 1 to `runs`, until one breaks. Every third schedule crashes nodes.
template <class Node>
Outcome schedules(std::uint64_t runs, std::optional<coded::Thresholds> thresholds = {},
                  std::span<const std::uint32_t> sizes = kSizes) {
  Outcome out;
  for (std::uint64_t seed = 1; seed <= runs && out.first.empty(); ++seed) {
    Arena<Node> arena(sizes[seed % sizes.size()], seed,
                      {.crashes_per_10000 = seed % 3 == 0 ? 100U : 0U, .thresholds = thresholds});
    out.first = arena.run(100 + seed % 400);
    out.seed = seed;
    out.deliveries += arena.deliveries();
    out.of_liars += arena.deliveries_of_liars();
    out.crashes += arena.crashes();
    for (const auto& [attack, times] : arena.fired()) out.fired[attack] += times;
  }
  return out;
}

/// Nothing broke, and everything was tried.
template <class Node>
void expect_all_good(std::uint64_t runs) {
  const Outcome out = schedules<Node>(runs);
  EXPECT_EQ(out.first, "") << "seed " << out.seed;
  std::cout << Node::kName << ": " << runs << " schedules, " << out.deliveries
            << " instances delivered, " << out.of_liars << " of them of liars, " << out.crashes
            << " crashes";
  for (const auto attack : Craft<Node>::kAttacks) {
    const std::string name(attack);
    EXPECT_GT(out.fired.contains(name) ? out.fired.at(name) : 0, runs) << name;
    std::cout << ", " << name << " " << (out.fired.contains(name) ? out.fired.at(name) : 0);
  }
  std::cout << "\n";
  EXPECT_GT(out.deliveries, 3 * runs);
  EXPECT_GT(out.of_liars, runs / 10);
  EXPECT_GT(out.crashes, runs / 10);
}

}  // namespace thresher
