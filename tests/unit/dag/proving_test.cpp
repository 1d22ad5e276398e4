// Proofs of claims and of equivocation, each duty driven alone.
#include "proving.hpp"

#include <gtest/gtest.h>

#include "alone.hpp"
#include "below_floor.hpp"
#include "convictions.hpp"

namespace thresher::dag {
namespace {

class TheProofs : public ::testing::Test {
 protected:
  Header votes(std::uint64_t author, const BlockPtr& leader) {
    const bool its_own = leader->author() == chassis::node(author);
    Header out = header(author, leader->round().value + 1, its_own ? leader : nullptr);
    out.vote = leader->digest;
    return out;
  }
  Header claims(std::uint64_t author, const BlockPtr& leader) {
    Header out = header(author, leader->round().value + 2);
    out.claim = leader->digest;
    return out;
  }

  Alone node_;
  Parts& parts_ = node_.parts;
  PayloadRoom payloads_{parts_.config, parts_.store, parts_.culprits, node_.where};
  Showing showing_{parts_.config.self, parts_.awaited, parts_.stats};
  BelowFloor below_{parts_.config, node_.where, parts_.records, payloads_, showing_};
  Attachments attachments_{parts_.config, parts_.store, parts_.culprits, node_.where, showing_};
  Giving giving_{parts_.config, parts_.store, below_.attic(), payloads_,
                 node_.where,   attachments_, showing_,       parts_.stats};
  Proving proving_{parts_.config,  parts_.store,   below_.attic(), parts_.culprits, parts_.waits,
                   parts_.awaited, parts_.records, showing_,       giving_,         parts_.stats};
  Convictions convictions_{parts_.config,  parts_.store,    node_.where,
                           parts_.records, parts_.culprits, parts_.arrivals,
                           parts_.awaited, giving_,         parts_.stats};
  const BlockPtr leader_ = node_.accepted(header(1, 1));
};
using TheConvictions = TheProofs;

TEST_F(TheProofs, AreAskedForWhereAClaimHasNone) {
  const BlockPtr claimer = node_.hold(claims(2, leader_));
  const auto part = proving_.lacks(node_.entry(claimer));
  ASSERT_EQ(part, leader_->edge());
  EXPECT_FALSE(proving_.waits());
  proving_.add(*part, claimer->edge());
  Dag::Fx fx;
  EXPECT_TRUE(proving_.ask(fx));
  const auto questions = sent<WantEvidence>(fx);
  ASSERT_EQ(questions.size(), 2u);
  EXPECT_EQ(questions.front().first, node(2));  // who claims it
  EXPECT_EQ(questions.front().second.leader, leader_->digest);
}

TEST_F(TheProofs, LatchWhenEnoughHeadersOfAnAnswerAreGood) {
  const BlockPtr claimer = node_.hold(claims(2, leader_));
  proving_.add(leader_->edge(), claimer->edge());
  Dag::Fx fx;
  const Evidence answer{
      Round{1},
      leader_->digest,
      {minted(votes(0, leader_)), minted(votes(1, leader_)), minted(votes(3, leader_))}};
  proving_.receive(node(2), answer, fx);
  EXPECT_EQ(parts_.stats.refused, 1u);  // it was not asked
  EXPECT_TRUE(proving_.ask(fx));
  fx.clear();
  proving_.receive(node(2), answer, fx);
  const auto asked = all<Verify>(fx);
  ASSERT_EQ(asked.size(), 3u);
  int good = 0;
  for (const Verify& one : asked) {
    ++good;
    const auto header = parts_.awaited.take(one.ticket.local);
    ASSERT_TRUE(header);
    EXPECT_EQ(proving_.testify(*header), good == 3);
  }
  EXPECT_EQ(proving_.headers(), 3u);
  EXPECT_EQ(proving_.lacks(node_.entry(claimer)), std::nullopt);
  std::vector<Edge> ready;
  proving_.wake(Round{1}, leader_->digest, ready);
  EXPECT_EQ(ready, std::vector{claimer->edge()});
}

TEST_F(TheProofs, AreGivenAndMadeDurableOnce) {
  for (const std::uint64_t author : {1u, 2u, 3u}) node_.hold(votes(author, leader_));
  Dag::Fx fx;
  proving_.receive(node(3), WantEvidence{Round{1}, leader_->digest}, fx);
  const auto answers = sent<Evidence>(fx);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers.front().second.headers.size(), 3u);
  fx.clear();
  proving_.keep(Round{1}, leader_->digest, fx);
  proving_.keep(Round{1}, leader_->digest, fx);
  const auto records = all<Persist>(fx);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records.front().table, kEvidence);
}

TEST_F(TheConvictions, NeedTwoGoodSignatures) {
  const BlockPtr one = minted(header(3, 5), 10, 1);
  const BlockPtr other = minted(header(3, 5), 10, 2);
  Dag::Fx fx;
  convictions_.note(one, other, fx);
  auto asked = all<Verify>(fx);
  ASSERT_EQ(asked.size(), 1u);
  fx.clear();
  convictions_.check_next(*parts_.awaited.take(asked.front().ticket.local), true, fx);
  EXPECT_FALSE(parts_.culprits.contains(node(3)));
  asked = all<Verify>(fx);
  ASSERT_EQ(asked.size(), 1u);
  fx.clear();
  convictions_.check_next(*parts_.awaited.take(asked.front().ticket.local), true, fx);
  EXPECT_TRUE(parts_.culprits.contains(node(3)));
  EXPECT_EQ(all<Accuse>(fx).size(), 1u);
  EXPECT_EQ(all<Persist>(fx).size(), 1u);
  EXPECT_EQ(all<Broadcast<Message>>(fx).size(), 1u);
}

TEST_F(TheConvictions, AreNotHeardOfByWhoSentAFalseProof) {
  const Equivocation proof{minted(header(3, 5), 10, 1), minted(header(3, 5), 10, 2)};
  Dag::Fx fx;
  convictions_.receive(node(1), proof, fx);
  const auto asked = all<Verify>(fx);
  ASSERT_EQ(asked.size(), 1u);
  convictions_.check_next(*parts_.awaited.take(asked.front().ticket.local), false, fx);
  EXPECT_TRUE(parts_.arrivals.misleads(node(1)));
  fx.clear();
  convictions_.receive(node(1), proof, fx);
  EXPECT_TRUE(fx.empty());
  EXPECT_EQ(parts_.stats.refused, 2u);
}

TEST_F(TheConvictions, SpeakAgainstThisNodeOnlyForABlockThatItDoesNotHold) {
  const BlockPtr own = node_.hold(header(0, 2));
  Dag::Fx fx;
  convictions_.accuse_self(*own, fx);
  EXPECT_TRUE(fx.empty());
  convictions_.accuse_self(*minted(header(0, 3)), fx);
  ASSERT_EQ(all<Accuse>(fx).size(), 1u);
  EXPECT_EQ(all<Accuse>(fx).front().who, node(0));
}

}  // namespace
}  // namespace thresher::dag
