#include "thresher/protocols/digraph/repair.hpp"

#include <gtest/gtest.h>

#include "naive.hpp"
#include "thresher/core/prng.hpp"

namespace thresher::digraph {
namespace {

bool holds(const Digraph& g, std::uint32_t f, Condition c) {
  return c == Condition::kSynchronous ? naive::synchronous(g, f) : naive::asynchronous(g, f);
}

// The fewest edges by trying all sets of them, two at most; 3: more than two.
std::uint32_t fewest(Digraph g, std::uint32_t f, Condition c) {
  if (holds(g, f, c)) return 0;
  Edges absent;
  for (std::uint16_t i = 0; i < g.size(); ++i) {
    for (std::uint16_t k = 0; k < g.size(); ++k) {
      if (i != k && !g.has(NodeId{i}, NodeId{k})) absent.emplace_back(NodeId{i}, NodeId{k});
    }
  }
  std::uint32_t best = 3;
  for (std::size_t i = 0; i < absent.size(); ++i) {
    g.add(absent[i].first, absent[i].second);
    if (holds(g, f, c)) return 1;
    for (std::size_t k = i + 1; k < absent.size() && best > 2; ++k) {
      g.add(absent[k].first, absent[k].second);
      if (holds(g, f, c)) best = 2;
      g.remove(absent[k].first, absent[k].second);
    }
    g.remove(absent[i].first, absent[i].second);
  }
  return best;
}

TEST(Repair, FindsTheFewestEdgesThatAllSetsWouldGive) {
  Prng random(11, 3);
  std::uint64_t by_count[4] = {};
  for (int k = 0; k < 160; ++k) {
    const auto n = static_cast<std::uint16_t>(3 + random.below(3));
    const std::uint64_t dense = 4 + random.below(4);
    Digraph g(n);
    for (std::uint16_t i = 0; i < n; ++i) {
      for (std::uint16_t j = 0; j < n; ++j) {
        if (i != j && random.below(8) < dense) g.add(NodeId{i}, NodeId{j});
      }
    }
    const Condition c = k % 2 == 0 ? Condition::kSynchronous : Condition::kAsynchronous;
    const std::uint32_t f = n >= 4 || c == Condition::kSynchronous ? 1 : 0;
    const auto found = repair(g, f, c, {.most_edges = 2});
    ASSERT_TRUE(found);
    const std::uint32_t best = fewest(g, f, c);
    ++by_count[best];
    ASSERT_EQ(found->has_value(), best <= 2) << "graph " << k;
    if (!*found) continue;
    EXPECT_EQ((*found)->size(), best) << "graph " << k;
    for (const auto& [from, to] : **found) g.add(from, to);
    EXPECT_TRUE(holds(g, f, c)) << "graph " << k;
  }
  EXPECT_GT(by_count[1], 5u);
  EXPECT_GT(by_count[2], 5u);
}

// A check of 64 nodes takes up to seconds. Each node hears three others, and all 64 would need a
// fourth.
TEST(Repair, FewChecksAreEnoughForTheLargestGraphs) {
  Digraph g(64);
  for (std::uint16_t i = 0; i < 64; ++i) {
    for (std::uint16_t d = 1; d <= 3; ++d)
      g.add(NodeId{i}, NodeId{static_cast<std::uint16_t>((i + d) % 64)});
  }
  const auto found = repair(g, 3, Condition::kSynchronous, {.most_checks = 100});
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->has_value());
}

// The last check that it may make is one that it believes.
TEST(Repair, OneCheckIsEnoughWhereNothingLacks) {
  Digraph g(4);
  for (std::uint16_t i = 0; i < 4; ++i) {
    for (std::uint16_t k = 0; k < 4; ++k) {
      if (i != k) g.add(NodeId{i}, NodeId{k});
    }
  }
  const auto found = repair(g, 1, Condition::kSynchronous, {.most_checks = 1});
  ASSERT_TRUE(found);
  ASSERT_TRUE(found->has_value());
  EXPECT_TRUE((*found)->empty());
}

TEST(Repair, GivesUpWhenToldHowSoon) {
  Digraph g(6);
  for (std::uint16_t i = 0; i + 1 < 6; ++i)
    g.add(NodeId{i}, NodeId{static_cast<std::uint16_t>(i + 1)});
  const auto found = repair(g, 1, Condition::kAsynchronous, {.most_edges = 3, .most_checks = 5});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error(), Errc::kQuotaExceeded);
}

}  // namespace
}  // namespace thresher::digraph
