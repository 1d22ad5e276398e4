// The duties of a node about headers: its own ones, and its votes for those of peers.
#include <gtest/gtest.h>

#include "duties.hpp"
#include "publishing.hpp"
#include "timers.hpp"
#include "voting.hpp"

namespace thresher::certified {
namespace {

/// With the duties that those about headers look at.
struct HeaderParts : Parts {
  explicit HeaderParts(Rules rules = Rules::bullshark())
      : Parts(rules),
        checking(config, tickets, stats),
        accusing(config, checking, stats),
        waves(config, store, rounds, from_log, ordered, stats),
        pacemaker(config, store, rounds, ordered, accusing.offenders()),
        bringing(config, own, accusing.offenders()),
        parking(config, store, own, rounds, ordered, pacemaker),
        asking({config, store, ordered, rounds, headers, batches, parking, bringing, stats}) {}

  Voting voting() {
    return Voting({config, store, own, ordered, rounds, waves, records, headers, batches, parking,
                   asking, accusing, tickets, stats});
  }

  Checking checking;
  Accusing accusing;
  Waves waves;
  Pacemaker pacemaker;
  Bringing bringing;
  Parking parking;
  Asking asking;
};

ProposalPtr on_top(std::uint64_t author, std::uint64_t round, std::vector<std::uint64_t> parents) {
  Header h;
  h.author = node(author);
  h.round = Round{round};
  h.parents = NodeSet(4);
  for (const std::uint64_t p : parents) {
    h.parents.insert(node(p));
    if (p == author) h.self = Round{round - 1};
  }
  return make_proposal(h, signature(static_cast<std::uint8_t>(author)), {});
}

TEST(Bringing, WhoWasAskedForIsLateAndGoesAlongWithAnAnchor) {
  HeaderParts parts(Rules::anchored_bullshark());
  Bringing& bringing = parts.bringing;
  EXPECT_FALSE(bringing.is_late(node(2)));
  bringing.came_late(node(2));
  EXPECT_TRUE(bringing.is_late(node(2)));
  Header h;
  h.author = node(0);
  h.round = Round{4};
  const std::vector<VertexPtr> entered{vertex(2, 3), vertex(1, 3), vertex(2, 2)};
  const auto out = bringing.brought_with(h, true, entered);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0]->ref(), ref(2, 2));  // oldest first
  EXPECT_TRUE(bringing.brought_with(h, false, entered).empty());
}

TEST(Bringing, NothingIsTakenUnaskedFromWhoMisleads) {
  HeaderParts parts(Rules::anchored_bullshark());
  EXPECT_TRUE(parts.bringing.may_bring(node(1), Give{{vertex(2, 3)}, {}}));
  EXPECT_FALSE(parts.bringing.may_bring(node(1), Give{{}, {payload(1, 1)}}));
  parts.accusing.mislead(node(1));
  EXPECT_FALSE(parts.bringing.may_bring(node(1), Give{{vertex(2, 3)}, {}}));
}

TEST(Composing, AHeaderRefersToWhatIsAcceptedAndTakesTheOldestPayload) {
  HeaderParts parts;
  Composing composing(parts.config, parts.store, parts.own, parts.ordered, parts.bringing,
                      parts.tickets);
  parts.complete(1);
  parts.hold(0, 1);
  EXPECT_TRUE(composing.add(payload(3, 1)));
  EXPECT_TRUE(composing.add(payload(3, 2)));
  Header h = composing.compose(Round{2});
  EXPECT_EQ(h.parents.size(), 3u);
  EXPECT_FALSE(h.parents.contains(node(0)));
  composing.sign(std::move(h), parts.fx);
  EXPECT_TRUE(composing.signs());
  EXPECT_EQ(parts.broadcast<Batch>().size(), 2u);  // ahead of the header
  const auto asked = parts.all<Endorse>();
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_TRUE(composing.find(payload(3, 1).root));
  EXPECT_FALSE(composing.take_signed(asked[0].ticket.local + 1));
  const auto draft = composing.take_signed(asked[0].ticket.local);
  ASSERT_TRUE(draft);
  EXPECT_EQ(draft->header.payload_root, payload(3, 1).root);
  EXPECT_EQ(digest_of(draft->header, parts.config.chain), asked[0].digest);
  EXPECT_FALSE(composing.signs());
  EXPECT_EQ(composing.payloads(), 1u);
}

TEST(Composing, WhatEntersTheOwnHistoryIsNoStragglerAnyMore) {
  HeaderParts parts;
  Composing composing(parts.config, parts.store, parts.own, parts.ordered, parts.bringing,
                      parts.tickets);
  parts.accept(3, 1);
  for (std::uint64_t author = 0; author < 3; ++author) parts.accept(author, 3);
  const Header before = composing.compose(Round{4});
  EXPECT_EQ(before.stragglers, (std::vector{ref(3, 1)}));
  composing.sign(before, parts.fx);
  EXPECT_TRUE(composing.compose(Round{4}).stragglers.empty());
}

TEST(Publishing, TheHeaderIsDurableBeforeItIsSentAndCertifiedByItsVotes) {
  HeaderParts parts;
  Publishing publishing(parts.config, parts.own, parts.records, parts.checking, parts.stats);
  Composing::Draft draft;
  draft.header.author = node(0);
  draft.header.round = Round{1};
  EXPECT_EQ(publishing.begin(std::move(draft), signature(0), parts.fx), nullptr);
  ASSERT_GE(parts.fx.list().size(), 2u);
  EXPECT_TRUE(std::holds_alternative<Persist>(parts.fx.list()[0]));
  ASSERT_EQ(parts.broadcast<Propose>().size(), 1u);
  const Digest digest = parts.own.proposal()->digest;
  EXPECT_EQ(publishing.hear(node(1), {Round{1}, digest, signature(1)}, parts.fx), nullptr);
  EXPECT_TRUE(parts.all<Verify>().empty());  // not enough yet
  EXPECT_EQ(publishing.hear(node(2), {Round{1}, digest, signature(2)}, parts.fx), nullptr);
  const auto asked = parts.all<Verify>();
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_FALSE(parts.checking.verdict({asked[0].ticket, true}));
  const auto done = parts.checking.verdict({asked[1].ticket, true});
  ASSERT_TRUE(done);
  const VertexPtr made = publishing.judge(*done, parts.fx);
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(made->certificate.signers.size(), 3u);
  ASSERT_EQ(parts.broadcast<Certify>().size(), 1u);
  EXPECT_EQ(parts.broadcast<Certify>()[0].vertex, made);
}

TEST(Publishing, TheLastHeaderIsRepeatedWhileNothingNewIsSent) {
  HeaderParts parts;
  Publishing publishing(parts.config, parts.own, parts.records, parts.checking, parts.stats);
  EXPECT_TRUE(publishing.repeat(parts.fx));
  EXPECT_TRUE(parts.fx.empty());  // there is none
  Composing::Draft draft;
  draft.header.author = node(0);
  draft.header.round = Round{1};
  (void)publishing.begin(std::move(draft), signature(0), parts.fx);
  EXPECT_TRUE(publishing.sent_recently());
  parts.fx.clear();
  EXPECT_FALSE(publishing.repeat(parts.fx));
  EXPECT_TRUE(parts.fx.empty());
  EXPECT_TRUE(publishing.repeat(parts.fx));
  EXPECT_EQ(parts.broadcast<Propose>().size(), 1u);
}

TEST(Voting, AHeaderIsVotedForOnceItsRoundIsOpenAndItsParentsAreHere) {
  HeaderParts parts;
  Voting voting = parts.voting();
  const ProposalPtr p = on_top(1, 2, {0, 1, 2});
  voting.hear(node(1), Propose{p}, parts.fx);
  EXPECT_EQ(voting.gated(), 1u);
  EXPECT_TRUE(parts.all<Endorse>().empty());
  parts.complete(1);
  voting.wake(true, parts.fx);
  EXPECT_EQ(voting.gated(), 0u);
  EXPECT_TRUE(parts.all<Endorse>().empty());
  EXPECT_EQ(parts.asking.missing(), 1u);  // the vertex of node 0
  parts.accept(0, 1);
  voting.wake(false, parts.fx);
  const auto asked = parts.all<Endorse>();
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].digest, p->digest);
  parts.fx.clear();
  voting.vote(parts.headers.take_signed(asked[0].ticket.local), signature(9), parts.fx);
  ASSERT_EQ(parts.fx.list().size(), 2u);
  EXPECT_TRUE(std::holds_alternative<Persist>(parts.fx.list()[0]));
  ASSERT_EQ(parts.sent<Vote>().size(), 1u);
  EXPECT_EQ(parts.sent<Vote>()[0].signature, signature(9));
  parts.fx.clear();
  voting.hear(node(1), Propose{p}, parts.fx);  // it lost the vote
  EXPECT_EQ(parts.sent<Vote>().size(), 1u);
}

TEST(Voting, APayloadIsWaitedForAndTheConvictedGetNoVote) {
  HeaderParts parts;
  Voting voting = parts.voting();
  const Payload load = payload(4, 1);
  Header h;
  h.author = node(1);
  h.round = Round{1};
  h.payload_root = load.root;
  h.payload_bytes = 4;
  voting.hear(node(1), Propose{make_proposal(h, signature(1), {})}, parts.fx);
  EXPECT_TRUE(parts.all<Endorse>().empty());
  EXPECT_TRUE(parts.batches.lacks(node(1)));
  voting.hear(node(1), Batch{load}, parts.fx);
  EXPECT_EQ(parts.all<Endorse>().size(), 1u);
  parts.fx.clear();
  voting.hear(node(1), Propose{on_top(1, 1, {})}, parts.fx);  // another for that name
  EXPECT_EQ(parts.all<Verify>().size(), 2u);
  EXPECT_TRUE(parts.all<Endorse>().empty());
}

TEST(Voting, WhatGotItsCertificateIsWaitedForNoMore) {
  HeaderParts parts;
  Voting voting = parts.voting();
  Header h;
  h.author = node(1);
  h.round = Round{1};
  h.payload_root = payload(4, 1).root;
  h.payload_bytes = 4;
  voting.hear(node(1), Propose{make_proposal(h, signature(1), {})}, parts.fx);
  EXPECT_TRUE(parts.batches.lacks(node(1)));
  voting.certified(*vertex(1, 1));
  EXPECT_FALSE(parts.batches.lacks(node(1)));
  EXPECT_TRUE(parts.headers.empty(node(1)));
}

}  // namespace
}  // namespace thresher::certified
