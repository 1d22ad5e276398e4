// What a cost comes to at a size that was not run: exact where it grows with powers, and sensible
// for whatever else the runs of small committees give.
#include "sim/growth.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace thresher::cli {
namespace {

std::vector<Sample> samples_of(const std::function<double(double)>& cost,
                               const std::vector<double>& sizes) {
  std::vector<Sample> out;
  for (const double n : sizes) out.push_back({n, cost(n)});
  return out;
}

// The shapes that protocols have: a leader's, all to all, a broadcast by each, and sums of them.
// Through three sizes a parabola went, which foresaw a third of n^3.
TEST(Growth, PowersAreExact) {
  const std::vector<std::function<double(double)>> costs = {
      [](double n) { return 5 * n; },
      [](double n) { return 12 * n * (n - 1); },
      [](double n) { return n * n * (n - 1); },
      [](double n) { return 3 * n * (n - 1) * (n - 1) + 40 * n * (n - 1) + 7 * n; },
      [](double n) { return 0.01 * n * n * n + 100 * n * n; },
      [](double n) { return n * n * (n - 1) * (n - 2) + 9 * n * n; },
      [](double) { return 77.0; }};
  for (std::size_t i = 0; i < costs.size(); ++i) {
    for (const double n : {31.0, 100.0, 1000.0}) {
      const auto seen = samples_of(costs[i], {4, 7, 10, 13, 19});
      EXPECT_NEAR(grown(seen, n) / costs[i](n), 1, 1e-6) << i << " at " << n;
    }
  }
  const auto looked_up = samples_of([](double n) { return n * std::log2(n); }, {4, 7, 10, 13, 19});
  // No power is that of n log n; it is foreseen too large, by less than a power would be.
  EXPECT_GT(grown(looked_up, 100) / (100 * std::log2(100)), 1);
  EXPECT_LT(grown(looked_up, 100) / (100 * std::log2(100)), 2);
}

// With noise the parabola went through every value, and below zero further out.
TEST(Growth, ACostThatFallsIsNotNegativeFurtherOut) {
  EXPECT_GE(grown({{7, 900}, {13, 4000}, {19, 2100}}, 31), 2100);
  EXPECT_EQ(grown({{4, 50}, {7, 40}, {10, 30}}, 10), 30);
  EXPECT_GE(grown({{4, 50}, {7, 40}, {10, 30}}, 100), 30);
  // Nothing at the small sizes, by chance, does not mean that there will be nothing.
  EXPECT_GT(grown({{4, 0}, {7, 0}, {10, 0}, {13, 9}}, 100), 90);
  EXPECT_EQ(grown({{4, 0}, {7, 0}}, 100), 0);
}

RC_GTEST_PROP(Growth, WhateverWasSeenTheRestIsSensible,
              (const std::vector<std::uint32_t>& seen, bool huge)) {
  RC_PRE(!seen.empty());
  std::vector<Sample> samples;
  double n = 1;
  for (const std::uint32_t y : seen) samples.push_back({n += 3, huge ? y * 1e280 : double(y)});
  const double last = samples.back().y;
  double before = last;
  for (const double at : {n, n + 1, 2 * n, 100 * n}) {
    const double out = grown(samples, at);
    RC_ASSERT(std::isfinite(out));
    RC_ASSERT(out >= before);
    before = out;
  }
  RC_ASSERT(grown(samples, n) == last);
}

// Of what a program needs in any case little can be told from small committees: that memory grows
// with the cube shows only where messages have shown it.
TEST(Growth, MemoryMayGrowLikeMessages) {
  const std::vector<double> sizes{4, 7, 10, 13, 19};
  const auto cube = [](double n) { return n * n * n; };
  const auto memory = samples_of([&](double n) { return 50'000 + cube(n); }, sizes);
  EXPECT_LT(grown(memory, 100) / (50'000 + cube(100)), 0.5);
  EXPECT_NEAR(grown(memory, 100, samples_of(cube, sizes)) / (50'000 + cube(100)), 1, 1e-6);
}

}  // namespace
}  // namespace thresher::cli
