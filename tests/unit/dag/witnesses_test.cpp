// What a node can show of a claim.
#include "witnesses.hpp"

#include <gtest/gtest.h>

#include "bookkeeping.hpp"
#include "committer.hpp"

namespace thresher::dag {
namespace {

/// Node 0 of four; node 1 leads round 1, and its block is claimed.
class TheWitnesses : public ::testing::Test {
 protected:
  TheWitnesses() { store_.insert(leader_, std::nullopt); }

  static BlockPtr minted(std::uint16_t author, std::uint64_t round, const BlockPtr& vote = {},
                         const BlockPtr& claim = {}) {
    Header h;
    h.author = NodeId{author};
    h.round = Round{round};
    if (vote) h.vote = vote->digest;
    if (claim) h.claim = claim->digest;
    return make_block(std::move(h), {}, {}, {});
  }
  BlockPtr hold(const BlockPtr& block, bool accepted) {
    const auto vote =
        block->header.vote ? std::optional(voted(block->header, config_.committee)) : std::nullopt;
    store_.insert(block, vote);
    if (accepted) store_.accept(*store_.find(block->edge()), std::nullopt);
    return block;
  }
  std::vector<std::pair<NodeId, bool>> shown() const {
    std::vector<std::pair<NodeId, bool>> out;
    for (const auto& w : here_.of(leader_->edge())) out.emplace_back(w.block->author(), w.durable);
    return out;
  }
  std::optional<Edge> provable() const { return here_.provable(Round{1}, leader_->digest); }

  Config config_{};
  Store store_{config_.committee, config_.rules};
  Attic<BlockPtr> attic_{8};
  Proofs proofs_;
  Witnesses here_{config_, store_, attic_, proofs_};
  BlockPtr leader_ = minted(1, 1);
};

TEST_F(TheWitnesses, AreVotersThoseFirstThatAreDurable) {
  hold(minted(3, 2, leader_), false);
  hold(minted(1, 2, leader_), true);
  EXPECT_TRUE(shown().empty());  // two are not enough
  EXPECT_EQ(provable(), std::nullopt);
  hold(minted(2, 2, leader_), true);
  using Shown = std::vector<std::pair<NodeId, bool>>;
  EXPECT_EQ(shown(), (Shown{{node(1), true}, {node(2), true}, {node(3), false}}));
  EXPECT_EQ(provable(), leader_->edge());
  hold(minted(0, 2, leader_), true);
  EXPECT_EQ(shown(), (Shown{{node(1), true}, {node(2), true}, {node(0), true}}));
}

TEST_F(TheWitnesses, AreClaimersWhereVotersAreTooFew) {
  hold(minted(1, 2, leader_), true);
  hold(minted(1, 3, {}, leader_), true);
  EXPECT_TRUE(shown().empty());
  proofs_.add(Round{1}, leader_->digest, minted(2, 3, {}, leader_));
  using Shown = std::vector<std::pair<NodeId, bool>>;
  EXPECT_EQ(shown(), (Shown{{node(1), true}, {node(2), false}}));
}

TEST_F(TheWitnesses, StandByTheLeaderThatTheyNameOnly) {
  const BlockPtr other = minted(2, 1);
  EXPECT_EQ(here_.stance(minted(2, 2, leader_)->header, leader_->edge()), false);
  EXPECT_EQ(here_.stance(minted(2, 3, {}, leader_)->header, leader_->edge()), true);
  EXPECT_EQ(here_.stance(minted(2, 2, other)->header, leader_->edge()), std::nullopt);
  EXPECT_EQ(here_.stance(minted(2, 3, leader_)->header, leader_->edge()), std::nullopt);
}

TEST_F(TheWitnesses, AreShownBelowTheFloorToo) {
  store_.raise_floor(Round{3}, [](const Entry&) {});
  attic_.raise(Round{3}, [](const BlockPtr&) {});
  EXPECT_EQ(provable(), std::nullopt);
  proofs_.add(Round{1}, leader_->digest, minted(2, 2, leader_));
  EXPECT_EQ(provable(), leader_->edge());
  for (std::uint16_t author = 1; author < 4; ++author) attic_.keep(minted(author, 2, leader_));
  attic_.keep(leader_);
  EXPECT_EQ(provable(), leader_->edge());
  EXPECT_EQ(shown().size(), 3u);
}

}  // namespace
}  // namespace thresher::dag
