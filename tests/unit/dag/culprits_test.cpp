// Who was proven to equivocate, and who has to be told of it again.
#include "culprits.hpp"

#include <gtest/gtest.h>

#include "bookkeeping.hpp"
#include "thresher/core/assert.hpp"

namespace thresher::dag {
namespace {

Equivocation proof_against(std::uint16_t id) {
  Header h;
  h.author = NodeId{id};
  h.round = Round{1};
  const BlockPtr first = make_block(h, {}, {}, {});
  h.payload_bytes = 1;
  return {first, make_block(h, {}, {}, {})};
}

/// A block of node 0 that lists a block of `parent`.
BlockPtr naming(std::uint16_t parent, std::uint64_t round) {
  Header h;
  h.author = NodeId{0};
  h.round = Round{round};
  h.refs.push_back(edge(parent, round - 1));
  return make_block(std::move(h), {}, {}, {});
}

TEST(Culprits, StayCulprits) {
  Culprits culprits(*Committee::of(4));
  EXPECT_TRUE(culprits.empty());
  culprits.add(node(3), proof_against(3), Round{5});
  EXPECT_TRUE(culprits.contains(node(3)));
  EXPECT_FALSE(culprits.contains(node(2)));
  EXPECT_EQ(culprits.size(), 1u);
  EXPECT_EQ(culprits.proof(node(3)).first->author(), node(3));
  EXPECT_THROW(culprits.add(node(3), proof_against(3), Round{9}), InvariantBroken);
  EXPECT_THROW(culprits.add(node(4), proof_against(4), Round{9}), InvariantBroken);
}

TEST(Culprits, AreLeftOutOfACount) {
  const Committee committee = *Committee::of(7);
  Culprits culprits(committee);
  culprits.add(node(5), proof_against(5), Round{1});
  culprits.add(node(6), proof_against(6), Round{1});
  Tally authors(committee);
  for (const std::uint64_t i : {0u, 1u, 5u}) authors.add(node(i));
  EXPECT_EQ(culprits.among(authors), 1u);
}

TEST(Culprits, ThoseWhoNameOneLongAfterwardsAreToldOnce) {
  Culprits culprits(*Committee::of(4));
  culprits.add(node(3), proof_against(3), Round{10});
  const std::vector<NodeId> nobody;
  const std::vector<NodeId> it{node(3)};
  EXPECT_EQ(culprits.unheard_by(*naming(3, 25), Round{25}), nobody);  // it may be under way
  EXPECT_EQ(culprits.unheard_by(*naming(2, 26), Round{26}), nobody);  // names another
  EXPECT_EQ(culprits.unheard_by(*naming(3, 10), Round{26}), nobody);  // was written before
  EXPECT_EQ(culprits.unheard_by(*naming(3, 26), Round{26}), it);
  culprits.told(node(3), node(0), Round{26});
  EXPECT_EQ(culprits.unheard_by(*naming(3, 27), Round{41}), nobody);
  EXPECT_EQ(culprits.unheard_by(*naming(3, 27), Round{42}), it);
}

// After a restart nobody knows who was told.
TEST(Culprits, OfARecordAreToldAgain) {
  Culprits culprits(*Committee::of(4));
  culprits.add(node(3), proof_against(3), Round{0});
  EXPECT_EQ(culprits.unheard_by(*naming(3, 16), Round{16}).size(), 1u);
}

}  // namespace
}  // namespace thresher::dag
