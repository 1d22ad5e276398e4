// What a block votes for where votes are read off the history between it and the leader's.
#include "cones.hpp"

#include <gtest/gtest.h>

#include "bookkeeping.hpp"

namespace thresher::dag {
namespace {

BlockPtr naming(std::uint16_t author, std::uint64_t round, const std::vector<BlockPtr>& parents) {
  Header h;
  h.author = NodeId{author};
  h.round = Round{round};
  for (const BlockPtr& parent : parents) h.refs.push_back(parent->edge());
  h.payload_bytes = author;
  return make_block(std::move(h), {}, {}, {});
}

/// Node 1 leads slot 1 and shows two blocks.
class TheCones : public ::testing::Test {
 protected:
  TheCones() : store_(committee_, Rules::mahi_mahi(4)), cones_(committee_) {
    cones_.open(Round{1}, node(1));
    for (const BlockPtr& b : {leader_, other_, sees_leader_, sees_other_, sees_none_})
      store_.insert(b, std::nullopt);
  }
  std::optional<Edge> seen(const std::vector<BlockPtr>& parents) {
    return cones_.seen(*naming(3, 3, parents), Round{1}, store_);
  }

  Committee committee_ = *Committee::of(4);
  BlockPtr leader_ = naming(1, 1, {});
  BlockPtr other_ = naming(0, 1, {});
  BlockPtr sees_leader_ = naming(0, 2, {leader_, other_});
  BlockPtr sees_other_ = naming(1, 2, {other_});
  BlockPtr sees_none_ = naming(2, 2, {});
  Store store_;
  Cones cones_;
};

TEST_F(TheCones, FindTheLeadersBlockThroughWhatLiesBetween) {
  EXPECT_EQ(seen({sees_leader_}), leader_->edge());
  EXPECT_EQ(seen({sees_other_, sees_none_}), std::nullopt);
  EXPECT_EQ(seen({sees_none_, sees_leader_}), leader_->edge());
  EXPECT_EQ(seen({sees_none_, sees_leader_}), leader_->edge());  // as remembered
}

TEST_F(TheCones, FollowReferencesInTheirOrder) {
  Header h;
  h.author = NodeId{1};
  h.round = Round{1};
  h.payload_bytes = 99;
  const BlockPtr twin = make_block(std::move(h), {}, {}, {});
  const BlockPtr sees_twin = naming(3, 2, {twin});
  store_.insert(twin, std::nullopt);
  store_.insert(sees_twin, std::nullopt);
  EXPECT_EQ(seen({sees_leader_, sees_twin}), leader_->edge());
  EXPECT_EQ(seen({sees_twin, sees_leader_}), twin->edge());
}

TEST_F(TheCones, AreClosedWhenTheirSlotIsDecided) {
  EXPECT_TRUE(cones_.is_open(Round{1}));
  EXPECT_FALSE(cones_.is_open(Round{2}));
  cones_.open(Round{2}, node(3));
  cones_.forget(Round{2});
  EXPECT_FALSE(cones_.is_open(Round{1}));
  EXPECT_TRUE(cones_.is_open(Round{2}));
}

}  // namespace
}  // namespace thresher::dag
