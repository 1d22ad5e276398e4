// What blocks say of a round, and what the next block names.
#include "rounds.hpp"

#include <gtest/gtest.h>

#include "bookkeeping.hpp"
#include "committer.hpp"
#include "composer.hpp"

namespace thresher::dag {
namespace {

/// Node 0 of four, with leaders in turn: node r leads round r.
class TheRounds : public ::testing::Test {
 protected:
  static Config config() {
    Config out;
    out.committee = *Committee::of(4);
    out.rules.leaders = Leaders::kInTurn;
    return out;
  }
  BlockPtr accept(Header h) {
    const BlockPtr block = make_block(std::move(h), {}, {}, {});
    const auto vote =
        block->header.vote ? std::optional(voted(block->header, config_.committee)) : std::nullopt;
    store_.insert(block, vote);
    store_.accept(*store_.find(block->edge()), std::nullopt);
    return block;
  }
  BlockPtr accept(std::uint16_t author, std::uint64_t round, const BlockPtr& votes_for = {}) {
    Header h;
    h.author = NodeId{author};
    h.round = Round{round};
    if (votes_for) h.vote = votes_for->digest;
    return accept(std::move(h));
  }
  Header composed(std::uint64_t round, const BlockPtr& before, bool leads) {
    return Composer(config_, store_, culprits_, rounds_).header(Round{round}, before, {}, leads);
  }

  Config config_ = config();
  Store store_{config_.committee, config_.rules};
  Culprits culprits_{config_.committee};
  Slots slots_{config_.committee, config_.rules};
  Rounds rounds_{config_, store_, culprits_, slots_};
};

TEST_F(TheRounds, AreCompleteWithoutCulprits) {
  EXPECT_TRUE(rounds_.complete(Round{0}));
  accept(0, 1);
  accept(1, 1);
  EXPECT_FALSE(rounds_.complete(Round{1}));
  accept(2, 1);
  EXPECT_TRUE(rounds_.complete(Round{1}));
  culprits_.add(node(2), {}, Round{1});
  EXPECT_FALSE(rounds_.complete(Round{1}));
  accept(3, 1);
  EXPECT_TRUE(rounds_.complete(Round{1}));
}

TEST_F(TheRounds, AreLeftByOthersWhenOneOfThemIsCorrect) {
  accept(1, 2);
  EXPECT_FALSE(rounds_.left_by_others(Round{1}));
  accept(2, 2);
  EXPECT_TRUE(rounds_.left_by_others(Round{1}));
}

TEST_F(TheRounds, AreCertifiedByAQuorumOrNotAnyMore) {
  const BlockPtr leader = accept(1, 1);
  EXPECT_EQ(rounds_.leader_block(Round{1}), store_.find(leader->edge()));
  accept(0, 2, leader);
  accept(1, 2, leader);
  EXPECT_FALSE(rounds_.certified(Round{1}));
  EXPECT_FALSE(rounds_.certification_impossible(Round{1}));
  accept(2, 2, leader);
  EXPECT_TRUE(rounds_.certified(Round{1}));
  // Nobody votes in slot 2: with two blocks less than a quorum is left.
  accept(0, 3);
  EXPECT_FALSE(rounds_.certification_impossible(Round{2}));
  accept(1, 3);
  EXPECT_TRUE(rounds_.certification_impossible(Round{2}));
}

TEST_F(TheRounds, AreJumpedOverByWhoIsFarBehind) {
  EXPECT_EQ(rounds_.after(Round{0}), Round{1});
  for (std::uint16_t author = 1; author < 4; ++author) accept(author, 70);
  EXPECT_EQ(rounds_.after(Round{6}), Round{7});
  EXPECT_EQ(rounds_.after(Round{5}), Round{71});
}

TEST_F(TheRounds, AreNamedByTheNextBlock) {
  const BlockPtr own = accept(0, 1);
  const BlockPtr leader = accept(1, 1);
  const BlockPtr other = accept(2, 1);
  const Header h = composed(2, own, false);
  EXPECT_EQ(h.self, own->edge());
  EXPECT_EQ(h.vote, leader->digest);
  EXPECT_EQ(h.claim, std::nullopt);
  EXPECT_TRUE(h.refs.empty());
  const Header dense = composed(2, own, true);
  EXPECT_EQ(dense.refs, (std::vector{leader->edge(), other->edge()}));
  culprits_.add(node(1), {}, Round{1});
  const Header after = composed(2, own, true);
  EXPECT_EQ(after.vote, std::nullopt);
  EXPECT_EQ(after.refs, std::vector{other->edge()});
}

TEST_F(TheRounds, AreClaimedWithEvidence) {
  const BlockPtr leader = accept(1, 1);
  const BlockPtr own = accept(0, 2, leader);
  accept(1, 2, leader);
  EXPECT_EQ(composed(3, own, false).claim, std::nullopt);
  accept(2, 2, leader);
  EXPECT_EQ(composed(3, own, false).claim, leader->digest);
}

}  // namespace
}  // namespace thresher::dag
