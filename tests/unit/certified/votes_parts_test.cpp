// The parts of a node that vote, and that have its own header voted for.
#include <gtest/gtest.h>

#include "offenders.hpp"
#include "own.hpp"
#include "parts.hpp"
#include "peer_headers.hpp"
#include "thresher/core/assert.hpp"
#include "waiting_headers.hpp"

namespace thresher::certified {
namespace {

TEST(PeerHeaders, AreKeptByRoundAndTheNewestStay) {
  PeerHeaders headers(*Committee::of(4), 2);
  EXPECT_TRUE(headers.empty(node(1)));
  headers.keep(proposal(1, 5));
  headers.keep(proposal(1, 3));
  EXPECT_EQ(headers.last(node(1))->header.round, Round{5});
  headers.keep(proposal(1, 4));
  EXPECT_EQ(headers.size(node(1)), 2u);
  EXPECT_EQ(headers.of_round(node(1), Round{3}), nullptr);
  EXPECT_NE(headers.of_round(node(1), Round{4}), nullptr);
  EXPECT_TRUE(headers.any_above(Round{4}));
  EXPECT_FALSE(headers.any_above(Round{5}));
  headers.drop_last(node(1));
  EXPECT_EQ(headers.last(node(1))->header.round, Round{4});
  headers.certified(node(1), Round{4});
  EXPECT_TRUE(headers.empty(node(1)));
  EXPECT_TRUE(headers.empty(node(2)));
}

TEST(PeerHeaders, VotesForAnAuthorRiseByRound) {
  PeerHeaders headers(*Committee::of(4), 4);
  const ProposalPtr third = proposal(1, 3);
  headers.begin_vote(third, 7);
  EXPECT_EQ(headers.voted(node(1)), Round{3});
  EXPECT_EQ(headers.voted_for(node(1)), nullptr);  // not durable yet
  EXPECT_THROW(headers.begin_vote(proposal(1, 3, 9), 8), InvariantBroken);
  EXPECT_EQ(headers.take_signed(6), nullptr);
  EXPECT_EQ(headers.take_signed(7), third);
  EXPECT_EQ(headers.take_signed(7), nullptr);
  EXPECT_TRUE(headers.vote(third, signature(4)));
  EXPECT_EQ(headers.voted_for(node(1)), third);
  EXPECT_EQ(headers.vote_of(node(1)), signature(4));
}

TEST(PeerHeaders, AVoteThatALaterOneOvertookIsNotGiven) {
  PeerHeaders headers(*Committee::of(4), 4);
  headers.begin_vote(proposal(1, 3), 1);
  headers.begin_vote(proposal(1, 4), 2);
  EXPECT_FALSE(headers.vote(headers.take_signed(1), signature(1)));
  EXPECT_TRUE(headers.vote(headers.take_signed(2), signature(2)));
  EXPECT_EQ(headers.voted_for(node(1))->header.round, Round{4});
}

TEST(PeerHeaders, AreFoundWhereKeptAndWhereVotedFor) {
  PeerHeaders headers(*Committee::of(4), 4);
  const ProposalPtr old = proposal(1, 3);
  headers.restore(old, signature(1));
  headers.keep(proposal(1, 5));
  EXPECT_EQ(headers.voted(node(1)), Round{3});
  EXPECT_EQ(headers.find(node(1), Round{3}, old->digest), old);
  EXPECT_NE(headers.find(node(1), Round{5}, proposal(1, 5)->digest), nullptr);
  EXPECT_EQ(headers.find(node(1), Round{5}, proposal(1, 5, 9)->digest), nullptr);
  EXPECT_EQ(headers.find(node(2), Round{3}, old->digest), nullptr);
}

TEST(WaitingHeaders, WaitForOneVertexUntilTheyGoOn) {
  WaitingHeaders waiting(*Committee::of(4));
  waiting.wait_for(node(1), ref(0, 3));
  waiting.wait_for(node(2), ref(0, 4));
  EXPECT_TRUE(waiting.waits(node(1)));
  EXPECT_EQ(waiting.on(node(2)), ref(0, 4));
  const auto third = [](const Ref& r) { return r == ref(0, 3); };
  EXPECT_EQ(waiting.woken(third), std::vector{node(1)});
  EXPECT_EQ(waiting.woken(third), std::vector{node(1)});  // it waits on
  waiting.wait_for(node(1), ref(3, 3));
  EXPECT_TRUE(waiting.woken(third).empty());
  waiting.go_on(node(1));
  EXPECT_FALSE(waiting.waits(node(1)));
}

TEST(WaitingHeaders, ThoseThatWaitForARoundAreNamedOnce) {
  WaitingHeaders waiting(*Committee::of(4));
  waiting.wait_for_round(node(3));
  waiting.wait_for_round(node(3));
  waiting.wait_for_round(node(1));
  EXPECT_EQ(waiting.gated(), 2u);
  EXPECT_TRUE(waiting.take_gated().contains(node(1)));
  EXPECT_EQ(waiting.gated(), 0u);
  EXPECT_FALSE(waiting.waits(node(3)));
}

TEST(Offenders, OnePairOfHeadersIsCheckedAtATime) {
  Offenders offenders(*Committee::of(4));
  EXPECT_TRUE(offenders.worth_checking(node(1)));
  offenders.suspect(node(1));
  EXPECT_FALSE(offenders.worth_checking(node(1)));
  EXPECT_FALSE(offenders.convicted(node(1)));
  offenders.cleared(node(1));
  EXPECT_TRUE(offenders.worth_checking(node(1)));
  offenders.suspect(node(1));
  offenders.cleared(node(1));
  offenders.convict(node(1));
  EXPECT_TRUE(offenders.convicted(node(1)));
  EXPECT_FALSE(offenders.worth_checking(node(1)));
}

TEST(Offenders, WhoMisleadsMayStillBeVotedFor) {
  Offenders offenders(*Committee::of(4));
  offenders.mislead(node(1));
  EXPECT_TRUE(offenders.misleads(node(1)));
  EXPECT_FALSE(offenders.misleads(node(2)));
  EXPECT_FALSE(offenders.convicted(node(1)));
}

TEST(Own, AVoteOfEachNodeCountsOnce) {
  Own own(*Committee::of(4));
  EXPECT_FALSE(own.is_open());
  EXPECT_EQ(own.round(), Round{0});
  own.begin(proposal(0, 2), payload(3, 1));
  EXPECT_TRUE(own.is_open());
  EXPECT_EQ(own.votes(), 1u);
  EXPECT_FALSE(own.hear(node(0), signature(9)));
  EXPECT_TRUE(own.hear(node(2), signature(2)));
  EXPECT_FALSE(own.hear(node(2), signature(3)));
  EXPECT_EQ(own.votes(), 2u);
  EXPECT_EQ(own.verified(), 1u);
  const Own::Votes unverified = own.take_unverified();
  ASSERT_EQ(unverified.size(), 1u);
  EXPECT_EQ(unverified.front().first, node(2));
  EXPECT_TRUE(own.take_unverified().empty());
}

TEST(Own, ItsOwnSignatureIsInEveryCertificate) {
  Own own(*Committee::of(7));
  own.begin(proposal(6, 2), {});
  for (std::uint8_t i = 4; i > 0; --i) own.add(node(i), signature(i));
  const Certificate c = own.certificate(3);
  EXPECT_EQ(c.signers.size(), 3u);
  EXPECT_TRUE(c.signers.contains(node(6)));
  EXPECT_TRUE(c.signers.contains(node(1)));
  EXPECT_TRUE(c.signers.contains(node(2)));
  EXPECT_EQ(c.signatures, (std::vector{signature(1), signature(2), signature(6)}));
  EXPECT_THROW((void)own.certificate(6), InvariantBroken);
}

TEST(Own, ItsVertexStaysWhileTheNextHeaderIsOnItsWay) {
  Own own(*Committee::of(4));
  own.begin(proposal(0, 2), payload(3, 1));
  const VertexPtr made = vertex(0, 2);
  EXPECT_THROW(own.certify(vertex(0, 3)), InvariantBroken);
  own.certify(made);
  EXPECT_TRUE(own.is_certified());
  EXPECT_FALSE(own.is_open());
  own.begin(proposal(0, 3), {});
  EXPECT_TRUE(own.is_open());
  EXPECT_EQ(own.vertex(), made);
  own.evicted(vertex(0, 2), nullptr);  // another one
  EXPECT_EQ(own.vertex(), made);
  const VertexPtr slim = vertex(0, 2);
  own.evicted(made, slim);
  EXPECT_EQ(own.vertex(), slim);
  EXPECT_THROW(own.begin(proposal(0, 3, 1), {}), InvariantBroken);
}

}  // namespace
}  // namespace thresher::certified
