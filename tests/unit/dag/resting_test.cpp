// Whose blocks rest on those that are not accepted.
#include "resting.hpp"

#include <gtest/gtest.h>

#include "bookkeeping.hpp"

namespace thresher::dag {
namespace {

BlockPtr naming(std::uint16_t author, std::uint64_t round, const std::vector<Edge>& parents) {
  Header h;
  h.author = NodeId{author};
  h.round = Round{round};
  h.refs = parents;
  return make_block(std::move(h), {}, {}, {});
}

/// 1 names 3's block of round 1, which is not held; 0 and 2 rest on 1.
class Resting : public ::testing::Test {
 protected:
  Resting() {
    for (const BlockPtr& b : {one_, two_, zero_}) store_.insert(b, std::nullopt);
  }
  NodeSet above(const Edge& edge) const {
    const auto all = who_rests_on(store_, culprits_);
    const auto it = all.find(edge);
    return it == all.end() ? NodeSet{} : it->second;
  }

  Committee committee_ = *Committee::of(4);
  Edge lacked_ = edge(3, 1);
  BlockPtr one_ = naming(1, 2, {lacked_});
  BlockPtr two_ = naming(2, 3, {one_->edge()});
  BlockPtr zero_ = naming(0, 4, {two_->edge()});
  Store store_{committee_, Rules::thresher()};
  Culprits culprits_{committee_};
};

TEST_F(Resting, IsFoundThroughAllThatLiesBetween) {
  const NodeSet on_lacked = above(lacked_);
  EXPECT_EQ(on_lacked.size(), 3u);
  EXPECT_FALSE(on_lacked.contains(node(3)));
  EXPECT_TRUE(above(two_->edge()).contains(node(0)));
  EXPECT_FALSE(above(two_->edge()).contains(node(1)));
  EXPECT_TRUE(above(zero_->edge()).empty());
}

TEST_F(Resting, DoesNotCountForCulprits) {
  culprits_.add(node(1), {}, Round{1});
  EXPECT_FALSE(above(lacked_).contains(node(1)));
  EXPECT_EQ(above(lacked_).size(), 2u);  // those above it do
}

TEST_F(Resting, EndsWhereABlockIsAccepted) {
  store_.accept(*store_.find(one_->edge()), std::nullopt);
  EXPECT_TRUE(above(lacked_).empty());
  EXPECT_TRUE(above(one_->edge()).empty());
  EXPECT_EQ(above(two_->edge()).size(), 1u);
}

TEST_F(Resting, NamesTheLowestBlockOfAnAuthor) {
  store_.insert(naming(0, 5, {zero_->edge()}), std::nullopt);
  EXPECT_EQ(lowest_waiting(store_, lacked_, node(0)), zero_->edge());
  EXPECT_EQ(lowest_waiting(store_, lacked_, node(3)), lacked_);
}

}  // namespace
}  // namespace thresher::dag
