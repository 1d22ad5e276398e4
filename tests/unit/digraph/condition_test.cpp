#include "thresher/protocols/digraph/condition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "../../how_many.hpp"
#include "naive.hpp"
#include "thresher/core/prng.hpp"

namespace thresher::digraph {
namespace {

Digraph complete(std::uint16_t n) {
  Digraph g(n);
  for (std::uint16_t i = 0; i < n; ++i) {
    for (std::uint16_t k = 0; k < n; ++k) {
      if (i != k) g.add(NodeId{i}, NodeId{k});
    }
  }
  return g;
}

Digraph drawn(std::uint16_t n, std::uint64_t edges_of_8, Prng& random) {
  Digraph g(n);
  for (std::uint16_t i = 0; i < n; ++i) {
    for (std::uint16_t k = 0; k < n; ++k) {
      if (i != k && random.below(8) < edges_of_8) g.add(NodeId{i}, NodeId{k});
    }
  }
  return g;
}

// A witness must be true: it is judged by the definitions.
void expect_true(const Digraph& g, std::uint32_t f, const Witness& w) {
  const auto as_set = [](Mask m) {
    naive::Set s;
    for_each(m, [&](std::uint32_t i) { s.insert(i); });
    return s;
  };
  EXPECT_LE(size_of(w.a), f);
  EXPECT_LE(size_of(w.b), f);
  const auto found = naive::sources(g, as_set(w.a));
  EXPECT_TRUE(found.contains(as_set(w.source_a)));
  if (w.breach == Breach::kTwoSources) {
    EXPECT_NE(w.source_a, w.source_b);
    EXPECT_TRUE(found.contains(as_set(w.source_b)));
  } else if (w.breach == Breach::kFewSources) {
    EXPECT_EQ(found.size(), 1u);
    EXPECT_LE(size_of(w.source_a), f);
  } else {
    EXPECT_TRUE(naive::sources(g, as_set(w.b)).contains(as_set(w.source_b)));
    EXPECT_LE(size_of(w.source_a & w.source_b), f);
  }
}

// In a complete graph the conditions are n > 2f and n > 3f.
TEST(Conditions, OfCompleteGraphsAreTheKnownBounds) {
  for (std::uint16_t n = 1; n <= 10; ++n) {
    for (std::uint32_t f = 0; f < n && f <= 3; ++f) {
      const Conditions c = check(complete(n), f);
      EXPECT_EQ(c.synchronous_exact(), n > 2 * f) << "n " << n << " f " << f;
      EXPECT_EQ(c.asynchronous_approximate(), n > 3 * f) << "n " << n << " f " << f;
    }
  }
}

// Every digraph of three nodes, every 64th of four and five, and drawn ones of six to eight.
TEST(Conditions, AgreeWithTheDefinitions) {
  std::uint64_t compared = 0;
  std::uint64_t held = 0;
  const auto compare = [&](const Digraph& g, std::uint32_t f) {
    const Conditions c = check(g, f);
    ASSERT_EQ(c.synchronous_exact(), naive::synchronous(g, f));
    ASSERT_EQ(c.asynchronous_approximate(), naive::asynchronous(g, f));
    if (c.synchronous) expect_true(g, f, *c.synchronous);
    if (c.asynchronous) expect_true(g, f, *c.asynchronous);
    EXPECT_EQ(synchronous_breach(g, f).has_value(), c.synchronous.has_value());
    ++compared;
    held += c.synchronous_exact() ? 1 : 0;
  };
  Prng random(7, 1);
  for (int k = 0; k < 1500; ++k) {
    const auto n = static_cast<std::uint16_t>(3 + random.below(4));
    const Digraph g = drawn(n, 2 + random.below(7), random);
    for (std::uint32_t f = 0; f <= 2 && f < n; ++f) compare(g, f);
  }
  EXPECT_GT(compared, 4000u);
  EXPECT_GT(held, 400u);
}

// With the largest first a liar of the highest number made a decision at n = 64 look at all 43,745.
TEST(Conditions, SmallFaultSetsComeFirst) {
  const auto sets = all_fault_sets(7, 3);
  EXPECT_EQ(sets.size(), fault_sets(7, 3));
  EXPECT_TRUE(std::ranges::is_sorted(sets, {}, size_of));
  EXPECT_EQ(std::set<Mask>(sets.begin(), sets.end()).size(), sets.size());
}

TEST(Conditions, OneOfEachBreach) {
  Digraph two(3);
  two.add(NodeId{0}, NodeId{2});
  two.add(NodeId{1}, NodeId{2});
  EXPECT_EQ(check(two, 0).synchronous->breach, Breach::kTwoSources);
  Digraph few = complete(2);
  EXPECT_EQ(check(few, 1).synchronous->breach, Breach::kFewSources);
  const Conditions three = check(complete(3), 1);
  EXPECT_TRUE(three.synchronous_exact());
  EXPECT_EQ(three.asynchronous->breach, Breach::kFewCommon);
}

// As many nodes as there may be, and half as many in a fast test.
TEST(Conditions, ManyNodesAndThreeFaults) {
  const auto n = static_cast<std::uint16_t>(how_many(32, 64));
  Digraph g = complete(n);
  const Conditions c = check(g, 3);
  EXPECT_TRUE(c.synchronous_exact());
  EXPECT_TRUE(c.asynchronous_approximate());
  EXPECT_EQ(fault_sets(64, 3), 43745u);
  const auto last = static_cast<std::uint16_t>(n - 1);
  for (std::uint16_t i = 3; i < n; ++i) g.remove(NodeId{i}, NodeId{last});
  const Conditions cut = check(g, 3);  // the last node hears of 0, 1 and 2 alone
  ASSERT_FALSE(cut.synchronous_exact());
  EXPECT_EQ(cut.synchronous->a, bit(0) | bit(1) | bit(2));
}

}  // namespace
}  // namespace thresher::digraph
