// One node and what it is told, true and false.
#include <gtest/gtest.h>

#include "bench.hpp"
#include "thresher/protocols/dag/dag.hpp"

namespace thresher::certified {
namespace {

constexpr std::uint32_t kPullTimerId = 2;
constexpr std::uint32_t kPushTimerId = 3;

TEST(Voting, AHeaderOfTheFirstRoundGetsOneVoteAndTheSameOneAgain) {
  Desk t(4);
  const ProposalPtr p = t.header(1, 1, {});
  t.say(1, Propose{p});
  t.say(1, Propose{p});
  const auto votes = t.sent<Vote>(1);
  ASSERT_EQ(votes.size(), 2u);
  EXPECT_EQ(votes[0].digest, p->digest);
  EXPECT_EQ(votes[0].signature, mock_sign(0, p->digest));
  EXPECT_EQ(votes[0].signature, votes[1].signature);
}

TEST(Voting, TheGateWaitsForTheRoundBefore) {
  Desk t(4, Rules::anchored_in_order());
  t.certify(1, 1, {});
  t.certify(2, 1, {});
  const ProposalPtr early = t.header(1, 2, {1, 2});
  // Node 1 is not an anchor, so two parents are enough for it, but not for the gate.
  ASSERT_NE(anchor_of(Round{2}, *Committee::of(4)).value, 1);
  const std::size_t before = t.sent<Vote>(1).size();
  t.say(1, Propose{early});
  EXPECT_EQ(t.sent<Vote>(1).size(), before);
  t.certify(3, 1, {});
  EXPECT_EQ(t.sent<Vote>(1).size(), before + 1);
}

TEST(Voting, NoVoteBeforeThePayloadIsHere) {
  Desk t(4);
  const Bytes bytes = Bytes::copy_of(as_view("a batch"));
  Header h;
  h.author = NodeId{1};
  h.round = Round{1};
  h.payload_root = hash(bytes.view());
  h.payload_bytes = static_cast<std::uint32_t>(bytes.size());
  t.say(1, Propose{Desk::sealed(h)});
  EXPECT_TRUE(t.sent<Vote>(1).empty());
  t.expire(kPullTimerId);
  ASSERT_EQ(t.sent<Want>(1).size(), 1u);
  EXPECT_EQ(t.sent<Want>(1)[0].batches, std::vector<Digest>{h.payload_root});
  t.say(1, Give{{}, {{bytes, h.payload_root}}});
  EXPECT_EQ(t.sent<Vote>(1).size(), 1u);
}

// Of node 1 in round 1, for other work than its first one.
Header another_header() {
  Header out;
  out.author = NodeId{1};
  out.round = Round{1};
  out.payload_bytes = 7;
  out.payload_root.bytes[3] = std::byte{1};
  return out;
}

TEST(Voting, ASecondHeaderIsRefusedAndItsAuthorAccused) {
  Desk t(4);
  t.say(1, Propose{t.header(1, 1, {})});
  const Header other = another_header();
  t.say(1, Propose{Desk::sealed(other)});
  EXPECT_EQ(t.sent<Vote>(1).size(), 1u);
  EXPECT_EQ(t.accused, std::vector<std::uint16_t>{1});
  EXPECT_EQ(t.node().stats().equivocations, 1u);
}

TEST(Voting, ASecondHeaderWithoutItsAuthorsSignatureAccusesNobody) {
  Desk t(4);
  t.say(1, Propose{t.header(1, 1, {})});
  const Header other = another_header();
  t.say(1, Propose{make_proposal(other, mock_sign(2, digest_of(other, {})), {})});
  EXPECT_TRUE(t.accused.empty());
  EXPECT_EQ(t.node().stats().refused, 1u);
}

// The vote is durable before it leaves, and binds after a restart.
TEST(Restart, NeverVotesTwiceForOneAuthorAndRound) {
  Desk t(4);
  const ProposalPtr first = t.header(1, 1, {});
  t.say(1, Propose{first});
  ASSERT_EQ(t.sent<Vote>(1).size(), 1u);
  t.restart();
  Header other;
  other.author = NodeId{1};
  other.round = Round{1};
  other.payload_bytes = 0;
  other.sampled_from = {};
  other.payload_root = {};
  other.stragglers = {};
  t.say(1, Propose{first});
  ASSERT_EQ(t.sent<Vote>(1).size(), 1u);  // the same vote again
  EXPECT_EQ(t.sent<Vote>(1)[0].signature, mock_sign(0, first->digest));
  other.payload_bytes = 9;
  other.payload_root.bytes[0] = std::byte{9};
  t.say(1, Propose{Desk::sealed(other)});
  EXPECT_EQ(t.sent<Vote>(1).size(), 1u);
  EXPECT_EQ(t.accused, std::vector<std::uint16_t>{1});
}

TEST(Restart, ProposesTheSameHeaderAgain) {
  Desk t(4);
  const Bytes bytes = Bytes::copy_of(as_view("tx"));
  t.feed(Requested<Submit>{{{bytes, hash(bytes.view())}}});
  ASSERT_EQ(t.broadcast<Propose>().size(), 1u);
  const Digest before = t.broadcast<Propose>()[0].proposal->digest;
  t.restart();
  ASSERT_EQ(t.broadcast<Propose>().size(), 1u);
  EXPECT_EQ(t.broadcast<Propose>()[0].proposal->digest, before);
  ASSERT_EQ(t.broadcast<Batch>().size(), 1u);
  EXPECT_EQ(t.broadcast<Batch>()[0].payload.bytes, bytes);
}

TEST(OwnHeader, TravelsAfterItsBatchAndIsCertifiedByAQuorumCheckedAtOnce) {
  Desk t(4);
  const Bytes bytes = Bytes::copy_of(as_view("tx"));
  t.feed(Requested<Submit>{{{bytes, hash(bytes.view())}}});
  ASSERT_EQ(t.broadcasts.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<Batch>(t.broadcasts[0]));
  const ProposalPtr mine = std::get<Propose>(t.broadcasts[1]).proposal;
  t.say(1, Vote{Round{1}, mine->digest, mock_sign(1, mine->digest)});
  t.say(1, Vote{Round{1}, mine->digest, mock_sign(1, mine->digest)});
  EXPECT_EQ(t.verifications, 0u);  // not enough to be a quorum yet
  t.say(2, Vote{Round{1}, mine->digest, mock_sign(2, mine->digest)});
  EXPECT_EQ(t.verifications, 2u);
  ASSERT_EQ(t.broadcast<Certify>().size(), 1u);
  const Certificate c = t.broadcast<Certify>()[0].certificate;
  EXPECT_EQ(flaw_of(c, NodeId{0}, Rules::bullshark(), *Committee::of(4)), Flaw::kNone);
}

TEST(OwnHeader, ABadVoteIsCountedAndReplacedByAnother) {
  Desk t(4);
  const Bytes bytes = Bytes::copy_of(as_view("tx"));
  t.feed(Requested<Submit>{{{bytes, hash(bytes.view())}}});
  const Digest d = t.broadcast<Propose>()[0].proposal->digest;
  t.say(1, Vote{Round{1}, d, mock_sign(3, d)});
  t.say(2, Vote{Round{1}, d, mock_sign(2, d)});
  EXPECT_TRUE(t.broadcast<Certify>().empty());
  EXPECT_EQ(t.node().stats().refused, 1u);
  t.say(3, Vote{Round{1}, d, mock_sign(3, d)});
  EXPECT_EQ(t.broadcast<Certify>().size(), 1u);
  EXPECT_TRUE(t.accused.empty());
}

// A host that was away hands over the log it fetched: names and payloads. The node goes on from
// there with certified vertices, and delivers none of the log again.
TEST(Adoption, GoesOnWhereTheFetchedLogEnds) {
  Desk t(4, Rules::anchored_in_order());
  const auto adopt = [&](std::uint64_t slot, std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t r = from; r <= to; ++r) {
      for (std::uint16_t a = 0; a < 4; ++a) {
        if (r == to && a != anchor_of(Round{slot}, *Committee::of(4)).value) continue;
        Vertex v;
        v.header.author = NodeId{a};
        v.header.round = Round{r};
        Writer value;
        encode_vertex(v, 4, value);
        value.u64(slot);
        Digest digest{};
        digest.bytes[0] = static_cast<std::byte>(a + 1);
        digest.bytes[1] = static_cast<std::byte>(r);
        const Bytes key = dag::block_key({NodeId{a}, Round{r}, digest});
        const Persist record{kVertex, key, Bytes::from(value.take())};
        (void)t.disk.write(std::span(&record, 1), true);  // the host's part
        t.feed(Restored{kVertex, key, record.value});
      }
    }
    const Bytes mark = Bytes::from(Writer().u64(from - 1).bytes(Digest{}.bytes).take());
    t.feed(Restored{kDelivered, Bytes::from(Writer().u64(slot).take()), mark});
  };
  adopt(100, 1, 100);
  EXPECT_EQ(t.node().last_ordered(), Round{100});
  EXPECT_TRUE(t.accused.empty());
  const std::uint64_t known = t.node().stats().vertices_accepted;
  adopt(98, 97, 98);  // known already
  EXPECT_EQ(t.node().last_ordered(), Round{100});
  EXPECT_EQ(t.node().stats().vertices_accepted, known);
  // Round 100 has its anchor alone: the others come certified, with parents that the log brought.
  const auto give = [&](std::uint64_t r, std::vector<std::uint16_t> authors) {
    for (const std::uint16_t a : authors) t.certify(a, r, {1, 2, 3});
  };
  const std::uint16_t anchor = anchor_of(Round{100}, *Committee::of(4)).value;
  std::vector<std::uint16_t> rest;
  for (std::uint16_t a = 1; a < 4; ++a) {
    if (a != anchor) rest.push_back(a);
  }
  give(100, rest);
  for (std::uint64_t r = 101; r <= 105; ++r) give(r, {1, 2, 3});
  EXPECT_GE(t.node().last_ordered(), Round{102});
  ASSERT_FALSE(t.delivered.empty());
  for (const Committed& c : t.delivered) {
    for (const VertexPtr& v : c.blocks) {
      EXPECT_GE(v->round(), Round{100});
      EXPECT_FALSE(v->certificate.signatures.empty());
    }
  }
  // What fell under the floor left the disk too, whoever wrote it.
  std::size_t old = 0;
  (void)t.disk.replay([&](const Restored& r) {
    Reader key(r.key.view());
    std::uint64_t round = 0;
    for (int i = 0; i < 8; ++i) round = round << 8 | key.u8();
    old += r.table == kVertex && round <= 50 ? 1 : 0;
  });
  EXPECT_EQ(old, 0u);
  // A vertex that came by the log alone is not handed out.
  t.sends.clear();
  t.say(2, Want{{{NodeId{1}, Round{99}}}, {}});
  EXPECT_TRUE(t.sent<Give>(2).empty());
}

TEST(Eviction, DeliveredPayloadsLeaveMemoryAndAreCountedAsHeld) {
  Desk t(4, Rules::bullshark(), Limits{}, true);
  const Bytes bytes = Bytes::copy_of(as_view("a payload"));
  Header h;
  h.author = NodeId{1};
  h.round = Round{1};
  h.payload_root = hash(bytes.view());
  h.payload_bytes = static_cast<std::uint32_t>(bytes.size());
  const ProposalPtr loaded = Desk::sealed(h);
  t.say(1, Batch{{bytes, h.payload_root}});
  t.say(1, Propose{loaded});
  t.say(1, Certify{Round{1}, loaded->digest, t.quorum(loaded)});
  for (std::uint16_t a = 2; a < 4; ++a) t.certify(a, 1, {});
  for (std::uint64_t r = 2; r <= 5; ++r) {
    for (std::uint16_t a = 1; a < 4; ++a) t.certify(a, r, {1, 2, 3});
  }
  ASSERT_FALSE(t.delivered.empty());
  EXPECT_EQ(t.delivered[0].blocks[0]->payload.bytes, bytes);
  t.sends.clear();
  t.say(2, Want{{{NodeId{1}, Round{1}}}, {}});
  ASSERT_EQ(t.sent<Give>(2).size(), 1u);
  const VertexPtr given = t.sent<Give>(2)[0].vertices[0];
  EXPECT_TRUE(given->payload.bytes.empty());
  EXPECT_EQ(given->header.payload_bytes, bytes.size());
}

// Four of seven change nothing; five can complete the round, and their signatures are checked at
// once.
TEST(Certificates, AreCheckedTogetherWhenTheyCouldCompleteTheRound) {
  Desk t(7);
  for (std::uint16_t a = 1; a < 5; ++a) t.certify(a, 1, {});
  EXPECT_EQ(t.node().stats().vertices_accepted, 0u);
  t.certify(5, 1, {});
  EXPECT_EQ(t.node().stats().vertices_accepted, 5u);
}

// A header names two certificates that came after the round was complete: they are verified when
// the second is here too, since the vote cannot be given before, and the vote follows at once.
TEST(Certificates, ThatAHeaderNamesAreCheckedOnceAllOfThemAreHere) {
  Desk t(10);
  for (std::uint16_t a = 1; a < 8; ++a) t.certify(a, 1, {});
  t.certify(8, 1, {});
  const Stats before = t.node().stats();
  EXPECT_EQ(before.vertices_accepted, 7u);
  t.say(1, Propose{t.header(1, 2, {1, 2, 3, 8, 9})});
  EXPECT_EQ(t.node().stats().vertices_accepted, 7u);
  t.certify(9, 1, {});
  EXPECT_EQ(t.node().stats().vertices_accepted, 9u);
  EXPECT_EQ(t.node().stats().certificate_calls, before.certificate_calls + 1);
  EXPECT_EQ(t.node().stats().votes_sent, before.votes_sent + 2);  // on both headers
}

// One verdict for each certificate, on the vertex's own list and not on a copy of it.
TEST(Certificates, AskOneVerdictOnTheListThatTheVertexHolds) {
  Desk t(7);
  for (std::uint16_t a = 1; a < 6; ++a) t.certify(a, 1, {});
  EXPECT_EQ(t.lists.size(), 5u);
  EXPECT_EQ(t.verifications, 5u * 5u);
  EXPECT_EQ(t.node().stats().signatures_checked, 5u * 5u);
  EXPECT_EQ(t.node().stats().certificate_calls, 1u);
  const ProposalPtr p = t.header(1, 2, {1, 2, 3, 4, 5});
  const VertexPtr shared = make_vertex(*p, {}, t.quorum(p));
  t.say(1, Propose{p});
  t.lists.clear();
  t.say(1, Certify{p->header.round, p->digest, shared->certificate, shared});
  t.expire(kPushTimerId);
  t.expire(kPushTimerId);
  ASSERT_EQ(t.lists.size(), 1u);
  EXPECT_EQ(t.lists[0].list.get(), &shared->certificate);
  EXPECT_EQ(t.lists[0].digest, p->digest);
}

// When certificates are checked together, only the one with a forged signature is refused.
TEST(Certificates, AForgedSignatureRefusesItsOwnAlone) {
  for (std::size_t forged = 0; forged < 5; ++forged) {
    Desk t(7);
    const ProposalPtr p = t.header(1, 1, {});
    Certificate bad = t.quorum(p);
    bad.signatures[forged][7] ^= std::byte{1};
    t.say(1, Propose{p});
    t.say(1, Certify{Round{1}, p->digest, bad});
    for (std::uint16_t a = 2; a < 6; ++a) t.certify(a, 1, {});
    EXPECT_EQ(t.node().stats().vertices_accepted, 4u) << forged;
    EXPECT_EQ(t.node().stats().refused, 1u) << forged;
    EXPECT_EQ(t.node().stats().signatures_checked, 5u * 5u);
    EXPECT_EQ(t.node().footprint().checks, 0u);
    EXPECT_TRUE(t.accused.empty());
  }
}

TEST(Certificates, OfOnePeerThatAwaitVerdictsAreBounded) {
  Desk t(100);
  const ProposalPtr unknown = t.header(1, 1, {});
  t.say(1, Certify{Round{1}, unknown->digest, t.quorum(unknown)});
  for (int i = 0; i < 500 && t.sent<Want>(1).size() < 5; ++i) t.expire(kPullTimerId);
  ASSERT_GE(t.sent<Want>(1).size(), 5u);
  Give give;
  for (std::uint16_t a = 1; a < 100; ++a) {
    const ProposalPtr p = t.header(a, 1, {});
    give.vertices.push_back(make_vertex(*p, {}, t.quorum(p)));
  }
  t.answer = false;
  t.say(1, give);
  EXPECT_EQ(t.node().footprint().checks, give.vertices.size());  // a whole answer is taken
  for (int i = 0; i < 4; ++i) t.say(1, give);
  const std::uint32_t most = Limits{}.checks_per_peer + Limits{}.give_vertices;
  EXPECT_EQ(t.node().footprint().checks, most);
  EXPECT_EQ(t.lists.size(), most);
  EXPECT_EQ(t.node().stats().refused, 5 * give.vertices.size() - most);
  for (const VerifyAll& asked : std::exchange(t.lists, {})) t.feed(Verified{asked.ticket, true});
  EXPECT_EQ(t.node().footprint().checks, 0u);
  EXPECT_EQ(t.node().stats().vertices_accepted, give.vertices.size());
}

class Gather : public testing::Test {
 protected:
  static constexpr std::uint32_t kTimer = 4;
  std::uint64_t calls() const { return t_.node().stats().certificate_calls; }
  std::uint64_t accepted() const { return t_.node().stats().vertices_accepted; }
  bool armed() const {
    return std::any_of(t_.timers.begin(), t_.timers.end(),
                       [](const TimerId& id) { return id.local == kTimer; });
  }
  Desk t_{7, Rules::bullshark(), Limits{}, false, Delay{500}};
};

TEST_F(Gather, OneCallTakesAllOthers) {
  for (std::uint16_t a = 1; a < 6; ++a) t_.certify(a, 1, {});
  EXPECT_TRUE(armed());
  EXPECT_EQ(calls(), 0u);
  t_.certify(6, 1, {});
  EXPECT_EQ(calls(), 1u);
  EXPECT_EQ(accepted(), 6u);
}
TEST_F(Gather, EndsWithItsTimer) {
  for (std::uint16_t a = 1; a < 6; ++a) t_.certify(a, 1, {});
  t_.expire(kTimer);
  EXPECT_EQ(calls(), 1u);
  EXPECT_EQ(accepted(), 5u);
}
TEST_F(Gather, EndsWhenAValiditySetWentOn) {
  for (std::uint16_t a = 1; a < 6; ++a) t_.certify(a, 1, {});
  t_.say(1, Propose{t_.header(1, 2, {1, 2, 3, 4, 5})});
  t_.say(2, Propose{t_.header(2, 2, {1, 2, 3, 4, 5})});
  EXPECT_EQ(calls(), 0u);
  t_.say(3, Propose{t_.header(3, 2, {1, 2, 3, 4, 5})});
  EXPECT_EQ(calls(), 1u);
  EXPECT_EQ(accepted(), 5u);
}
// A node that was silent for many rounds is not waited for.
TEST_F(Gather, DoesNotWaitForTheSilent) {
  std::vector<std::uint16_t> parents;
  std::uint64_t r = 1;
  for (; r < 12; ++r) {
    const std::uint64_t before = accepted();
    for (std::uint16_t a = 1; a < 6; ++a) t_.certify(a, r, parents);
    if (accepted() == before + 5) break;
    t_.expire(kTimer);
    EXPECT_EQ(accepted(), before + 5) << r;
    parents = {1, 2, 3, 4, 5};
  }
  EXPECT_EQ(r, 9u);
}

class BadCertificate : public testing::Test {
 protected:
  // Says a certificate for a good header and tells whether its vertex was taken.
  bool taken(Certificate c) {
    t_.say(1, Propose{p_});
    const std::uint64_t before = t_.node().stats().vertices_accepted;
    refused_ = t_.node().stats().refused;
    t_.say(1, Certify{Round{1}, p_->digest, std::move(c)});
    // Alone it cannot complete the round: it is not checked before the round took too long.
    t_.expire(kPushTimerId);
    t_.expire(kPushTimerId);
    refused_ = t_.node().stats().refused - refused_;
    EXPECT_TRUE(t_.accused.empty());
    EXPECT_EQ(t_.node().footprint().checks, 0u);
    return t_.node().stats().vertices_accepted > before;
  }
  Desk t_{7};  // a quorum of 5
  ProposalPtr p_ = t_.header(1, 1, {});
  std::uint64_t refused_ = 0;
};

TEST_F(BadCertificate, AQuorumIsTaken) {
  EXPECT_TRUE(taken(Desk::signed_by(p_->digest, {0, 1, 2, 3, 4})));
  EXPECT_EQ(refused_, 0u);
}
TEST_F(BadCertificate, TooFew) {
  EXPECT_FALSE(taken(Desk::signed_by(p_->digest, {0, 1, 2, 3})));
  EXPECT_EQ(refused_, 1u);
}
TEST_F(BadCertificate, OneSignerUnderTwoNames) {
  Certificate c = Desk::signed_by(p_->digest, {0, 1, 2, 3, 4});
  c.signatures[4] = c.signatures[3];
  EXPECT_FALSE(taken(std::move(c)));
  EXPECT_EQ(refused_, 1u);
}
TEST_F(BadCertificate, OneSignerTwice) {
  Certificate c = Desk::signed_by(p_->digest, {0, 1, 2, 3});
  c.signatures.push_back(c.signatures[3]);
  EXPECT_FALSE(taken(std::move(c)));
  EXPECT_EQ(refused_, 1u);
}
TEST_F(BadCertificate, OfAnotherEpoch) {
  const Digest elsewhere = digest_of(p_->header, ChainContext{{}, 1});
  EXPECT_NE(elsewhere, p_->digest);
  EXPECT_FALSE(taken(Desk::signed_by(elsewhere, {0, 1, 2, 3, 4})));
  EXPECT_EQ(refused_, 1u);
}
TEST_F(BadCertificate, OfANonMember) {
  EXPECT_FALSE(taken(Desk::signed_by(p_->digest, {0, 1, 2, 3, 9})));
  EXPECT_EQ(refused_, 1u);
}
TEST_F(BadCertificate, WithoutItsAuthor) {
  EXPECT_FALSE(taken(Desk::signed_by(p_->digest, {0, 2, 3, 4, 5})));
  EXPECT_EQ(refused_, 1u);
}

TEST(BadInput, HeadersForFarRoundsAreRefusedAndKeepNothing) {
  Desk t(4);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    t.say(1, Propose{t.header(1, 1'000'000 + i, {2, 3})});
  }
  EXPECT_EQ(t.node().stats().refused, 1000u);
  EXPECT_EQ(t.node().footprint().proposals, 0u);
  EXPECT_EQ(t.node().footprint().missing, 0u);
  EXPECT_TRUE(t.accused.empty());
}

TEST(BadInput, ParentsThatDoNotExistAreAskedForAWhileAndNeverVotedFor) {
  Limits limits;
  limits.missing_per_peer = 8;
  Desk t(4, Rules::anchored_bullshark(), limits);
  for (std::uint16_t author = 1; author < 4; ++author) t.certify(author, 1, {});
  const std::size_t votes = t.sent<Vote>(1).size();
  // Round 2 is not complete here, so the gate stays shut; in round 2 the parent 0 does not exist.
  for (std::uint64_t round = 2; round < 40; ++round) {
    t.say(1, Propose{t.header(1, round, {0, 2})});
  }
  EXPECT_EQ(t.sent<Vote>(1).size(), votes);
  EXPECT_LE(t.node().footprint().proposals, 4u);
  t.say(2, Propose{t.header(2, 2, {0, 3})});
  EXPECT_EQ(t.node().footprint().missing, 1u);
  for (int i = 0; i < 80; ++i) t.expire(kPullTimerId);
  EXPECT_EQ(t.node().footprint().missing, 0u);  // given up
  EXPECT_TRUE(t.accused.empty());
}

TEST(BadInput, BatchesOfOnePeerAreBounded) {
  Desk t(4);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    Writer w;
    w.u64(i);
    const Bytes bytes = Bytes::from(w.take());
    t.say(1, Batch{{bytes, hash(bytes.view())}});
  }
  EXPECT_EQ(t.node().footprint().batches, Limits{}.batches_per_peer);
}

TEST(BadInput, AnswersToNoQuestionAreRefused) {
  Desk t(4);
  const ProposalPtr p = t.header(1, 1, {});
  const VertexPtr v = make_vertex(*p, {}, t.quorum(p));
  const Bytes bytes = Bytes::copy_of(as_view("payload"));
  t.say(2, Give{{v}, {{bytes, hash(bytes.view())}}});
  t.say(2, Give{std::vector<VertexPtr>(65, v), {}});  // more than an anchor brings
  EXPECT_EQ(t.node().stats().refused, 2u);
  EXPECT_EQ(t.node().footprint().vertices, 0u);
}

TEST(BadInput, WhoBroughtAFalseCertificateBringsNothingMore) {
  Desk t(4);
  const ProposalPtr p = t.header(1, 1, {});
  Certificate forged = t.quorum(p);
  forged.signatures.back()[0] ^= std::byte{1};
  t.say(2, Give{{make_vertex(*p, {}, forged)}, {}});
  EXPECT_EQ(t.node().stats().refused, 1u);
  const VertexPtr v = make_vertex(*p, {}, t.quorum(p));
  t.say(2, Give{{v}, {}});
  EXPECT_EQ(t.node().stats().refused, 2u);
  EXPECT_EQ(t.node().footprint().vertices, 0u);
  t.say(3, Give{{v}, {}});
  EXPECT_EQ(t.node().stats().refused, 2u);
  EXPECT_EQ(t.node().footprint().vertices, 1u);
}

TEST(BadInput, AnAnchorWithFewParentsIsNotVotedFor) {
  Desk t(4, Rules::anchored_in_order());
  for (std::uint16_t author = 1; author < 4; ++author) t.certify(author, 1, {});
  const std::uint16_t anchor = anchor_of(Round{2}, *Committee::of(4)).value;
  ASSERT_EQ(anchor, 0);
  // The anchor of round 4 is node 1.
  Header h;
  h.author = NodeId{1};
  h.round = Round{4};
  h.self = Round{3};
  h.parents.insert(NodeId{1});
  h.parents.insert(NodeId{2});
  EXPECT_EQ(flaw_of(h, Rules::anchored_in_order(), *Committee::of(4), 50), Flaw::kParents);
  EXPECT_EQ(flaw_of(h, Rules::sparse_bullshark(6), *Committee::of(4), 50), Flaw::kNone);
  t.say(1, Propose{Desk::sealed(h)});
  EXPECT_EQ(t.node().stats().refused, 1u);
}

}  // namespace
}  // namespace thresher::certified
