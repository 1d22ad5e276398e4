// What a node does about a log that differs from those of its peers.
#include "node/standing.hpp"

#include <gtest/gtest.h>

#include "lone_node.hpp"

namespace thresher::net {
namespace {

/// Node 0 of four, with the commits of four slots, which has asked for the last of them.
struct Compared {
  Compared() {
    for (std::uint64_t slot = 1; slot <= 4; ++slot) {
      const Commit commit = node.commit(slot);
      node.log(commit);
      (void)node.ledger.append(commit, [](const Transaction&, const NewTransaction&) {});
    }
    standing.watch(now);
  }
  /// So many peers answer, whose logs are another from the third slot on.
  void answer(std::uint64_t slot, std::uint16_t peers) {
    const Digest hash = slot < 3 ? node.hashes[slot - 1] : Digest{};
    for (std::uint16_t peer = 1; peer <= peers; ++peer)
      standing.hear(NodeId{peer}, {Round{slot}, hash, true}, now);
    standing.judge();
  }

  LoneNode node{4};
  std::uint64_t now = 10 * StandingCheck::kPeriod;
  int doubts = 0;
  Standing standing{node, {[this] { ++doubts; }}};
};

TEST(Standing, StopsTheNodeWithTheSlotAtWhichTwoPeersDiffer) {
  Compared at;
  at.answer(4, 2);
  EXPECT_TRUE(at.standing.suspects());
  EXPECT_EQ(at.doubts, 1);
  EXPECT_FALSE(at.node.stopped_because);
  at.answer(2, 2);
  at.answer(3, 2);
  ASSERT_TRUE(at.node.stopped_because);
  EXPECT_NE(at.node.stopped_because->text().find("differs is 3:"), std::string::npos)
      << at.node.stopped_because->text();
}

TEST(Standing, OnePeerThatDiffersStopsNobody) {
  Compared at;
  at.answer(4, 1);
  at.now += 2 * StandingCheck::kSearch;
  at.standing.watch(at.now);
  EXPECT_FALSE(at.standing.suspects());
  EXPECT_EQ(at.doubts, 0);
  EXPECT_FALSE(at.node.stopped_because);
}

TEST(Standing, ASearchThatNobodyAnswersStopsTheNodeAllTheSame) {
  Compared at;
  at.answer(4, 2);
  at.now += StandingCheck::kSearch;
  at.standing.watch(at.now);
  EXPECT_TRUE(at.node.stopped_because);
}

}  // namespace
}  // namespace thresher::net
