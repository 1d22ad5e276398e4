// The parts of a node that have signatures checked.
#include <gtest/gtest.h>

#include "checks.hpp"
#include "parked.hpp"
#include "parts.hpp"
#include "thresher/core/assert.hpp"

namespace thresher::certified {
namespace {

Limits small() {
  Limits limits;
  limits.checks_per_peer = 2;
  limits.give_vertices = 1;
  return limits;
}

Check of(std::uint64_t from, Check::Kind kind = Check::Kind::kVertex, bool answer = false) {
  Check out;
  out.from = node(from);
  out.kind = kind;
  out.answer = answer;
  return out;
}

TEST(Checks, AreBoundedForEachPeerButNotForOneself) {
  Checks checks(*Committee::of(4), node(0), small());
  for (std::uint64_t i = 0; i < 2; ++i) checks.keep(of(1), 10 + i, 1);
  EXPECT_FALSE(checks.room(of(1)));
  EXPECT_TRUE(checks.room(of(2)));
  EXPECT_TRUE(checks.room(of(1, Check::Kind::kVertex, true)));  // a whole answer on top
  EXPECT_THROW(checks.keep(of(1), 20, 1), InvariantBroken);
  for (std::uint64_t i = 0; i < 9; ++i) checks.keep(of(0), 30 + i, 1);
  EXPECT_TRUE(checks.room(of(0)));
  EXPECT_EQ(checks.size(), 11u);
  EXPECT_TRUE(checks.verdict(10, true));
  EXPECT_TRUE(checks.room(of(1)));
}

TEST(Checks, AreConcludedOnceWithTheLastVerdict) {
  Checks checks(*Committee::of(4), node(0), small());
  checks.keep(of(1, Check::Kind::kVotes), 5, 3);
  checks.keep(of(2, Check::Kind::kTwo), 8, 2);
  EXPECT_FALSE(checks.verdict(4, true));  // of nothing
  EXPECT_FALSE(checks.verdict(10, true));
  EXPECT_FALSE(checks.verdict(7, false));
  EXPECT_FALSE(checks.verdict(5, true));
  const auto votes = checks.verdict(6, true);
  ASSERT_TRUE(votes);
  EXPECT_EQ(votes->what.from, node(1));
  EXPECT_EQ(votes->bad, 1u);
  EXPECT_EQ(votes->good, (std::vector{true, true, false}));
  EXPECT_FALSE(checks.verdict(6, true));
  EXPECT_FALSE(checks.verdict(9, true));
  const auto two = checks.verdict(8, true);
  ASSERT_TRUE(two);
  EXPECT_EQ(two->bad, 0u);
  EXPECT_TRUE(two->good.empty());
  EXPECT_EQ(checks.size(), 0u);
}

TEST(Checks, ACallIsBegunOnceForEachInput) {
  Checks checks(*Committee::of(4), node(0), small());
  EXPECT_TRUE(checks.begins_call());
  EXPECT_FALSE(checks.begins_call());
  checks.next_input();
  EXPECT_TRUE(checks.begins_call());
}

TEST(Parked, OneOfEachNameAndSoManyOfEachAuthor) {
  Parked parked(*Committee::of(4), 2);
  EXPECT_EQ(parked.add(vertex(1, 5)), Parked::Added::kNew);
  EXPECT_EQ(parked.add(vertex(1, 5)), Parked::Added::kSame);
  EXPECT_EQ(parked.add(vertex(1, 5, 2)), Parked::Added::kOther);
  EXPECT_FALSE(parked.full(node(1)));
  EXPECT_EQ(parked.add(vertex(1, 4)), Parked::Added::kNew);
  EXPECT_TRUE(parked.full(node(1)));
  EXPECT_THROW((void)parked.add(vertex(1, 6)), InvariantBroken);
  EXPECT_TRUE(parked.contains(ref(1, 4)));
  EXPECT_FALSE(parked.contains(ref(2, 4)));
  EXPECT_EQ(parked.add(vertex(0, 5)), Parked::Added::kNew);
  std::vector<Ref> taken;
  for (const VertexPtr& v : parked.take_all()) taken.push_back(v->ref());
  EXPECT_EQ(taken, (std::vector{ref(1, 4), ref(0, 5), ref(1, 5)}));
  EXPECT_TRUE(parked.empty());
  EXPECT_EQ(parked.size(node(1)), 0u);
}

TEST(Parked, AreWantedUntilThatIsLookedAt) {
  Parked parked(*Committee::of(4), 2);
  EXPECT_FALSE(parked.take_wanted());
  parked.want();
  EXPECT_TRUE(parked.take_wanted());
  EXPECT_FALSE(parked.take_wanted());
}

}  // namespace
}  // namespace thresher::certified
