// The peers that one node asks for what it lacks, how long, and what it answers.
#include <gtest/gtest.h>

#include <set>

#include "bench.hpp"
#include "thresher/protocols/payload_limit.hpp"

namespace thresher::certified {
namespace {

constexpr std::uint32_t kPull = 2;
constexpr std::uint32_t kPush = 3;
constexpr std::uint32_t kServe = 5;
constexpr std::uint32_t kTicksPerAnswer = 4;

std::set<std::uint16_t> asked(const Desk& t) {
  std::set<std::uint16_t> out;
  for (const auto& [to, message] : t.sends) {
    if (std::holds_alternative<Want>(message) || std::holds_alternative<WantRound>(message))
      out.insert(to);
  }
  return out;
}

Payload payload_of(std::uint64_t salt, std::size_t size) {
  Writer w;
  w.u64(salt);
  while (w.view().size() < size) w.u64(salt);
  const Bytes bytes = Bytes::from(w.take());
  return {bytes, hash(bytes.view())};
}

// A certified vertex names a parent that f+1 correct nodes hold; f peers never answer, and f do
// not have it. One after the other, 31 peers took 62 Delta.
TEST(Pulls, EverybodyIsAskedInFewTurns) {
  constexpr std::uint32_t n = 31;
  Desk t(n, Rules::bullshark());
  std::vector<std::uint16_t> parents;
  for (std::uint16_t a = 1; a <= 22; ++a) {
    if (a != 9) t.certify(a, 1, {});
    parents.push_back(a);
  }
  t.certify(5, 2, parents);
  for (int i = 0; i < 2; ++i) t.expire(kPush);  // the certificate is looked at
  ASSERT_EQ(t.node().footprint().vertices, 22u);
  ASSERT_EQ(t.node().footprint().missing, 1u);
  t.sends.clear();
  t.expire(kPull);
  EXPECT_EQ(asked(t), std::set<std::uint16_t>{5});  // who named it
  for (std::uint32_t tick = 1; tick <= 5 * kTicksPerAnswer; ++tick) t.expire(kPull);
  EXPECT_EQ(asked(t).size(), n - 1);
}

// A full answer was cut: the same peer is asked for the rest, nobody else.
TEST(Pulls, TheRestOfAFullAnswerIsAskedOfTheSamePeer) {
  Limits limits;
  limits.give_vertices = 4;
  Desk t(31, Rules::bullshark(), limits);
  std::vector<std::uint16_t> parents;
  Give answer;
  for (std::uint16_t a = 1; a <= 21; ++a) {
    parents.push_back(a);
    const ProposalPtr p = t.header(a, 1, {});
    answer.vertices.push_back(make_vertex(*p, {}, t.quorum(p)));
  }
  for (std::uint16_t a = 9; a <= 29; ++a) t.certify(a, 1, {});
  const ProposalPtr child = t.header(5, 2, parents);
  t.say(5, Propose{child});
  ASSERT_EQ(t.node().stats().vertices_accepted, 21u);
  ASSERT_EQ(t.node().stats().refused, 0u);
  ASSERT_EQ(t.node().footprint().missing, 8u);
  t.sends.clear();
  for (int answers = 0; answers < 2; ++answers) {
    for (std::uint32_t tick = 0; tick < kTicksPerAnswer; ++tick) t.expire(kPull);
    EXPECT_EQ(asked(t), std::set<std::uint16_t>{5});
    Give part;
    for (int k = 0; k < 4; ++k) {
      part.vertices.push_back(answer.vertices.front());
      answer.vertices.erase(answer.vertices.begin());
    }
    t.say(5, part);
  }
  EXPECT_EQ(t.node().footprint().missing, 0u);
}

// An author that sends its header again is believed again; one that falls silent is not.
TEST(Pulls, WhatAHeaderNamesIsAskedForAsLongAsItsAuthorInsists) {
  Desk t(4);
  for (std::uint16_t author = 1; author < 4; ++author) t.certify(author, 1, {});
  const ProposalPtr header = t.header(2, 2, {0, 2, 3});
  t.say(2, Propose{header});
  for (int round = 0; round < 5; ++round) {
    EXPECT_EQ(t.node().footprint().missing, 1u);
    for (int i = 0; i < 80; ++i) t.expire(kPull);
    EXPECT_EQ(t.node().footprint().missing, 0u);
    t.sends.clear();
    t.say(2, Propose{header});
    t.expire(kPull);
    EXPECT_EQ(asked(t), std::set<std::uint16_t>{2});
  }
}

// One unsigned word made a node ask for ever.
TEST(Pulls, AWordFromFarAheadIsWorthFewQuestions) {
  Desk t(4);
  t.say(3, Propose{t.header(3, 1'000'000, {1, 2, 3})});
  for (int i = 0; i < 1000; ++i) t.expire(kPull);
  EXPECT_LE(t.sends.size(), 8u);
  EXPECT_EQ(asked(t), std::set<std::uint16_t>{3});
  t.sends.clear();
  t.say(3, Propose{t.header(3, 1'000'000, {1, 2, 3})});
  t.expire(kPull);
  EXPECT_EQ(asked(t), std::set<std::uint16_t>{3});
}

TEST(Pulls, ABatchThatNeverComesIsAskedForAWhile) {
  Desk t(4);
  t.say(2, Propose{t.header(2, 1, {}, 7)});
  for (int i = 0; i < 1000; ++i) t.expire(kPull);
  EXPECT_LE(t.sends.size(), 16u);
  EXPECT_EQ(asked(t).size(), 3u);
}

TEST(Pulls, WhatOnePeerIsSentIsBoundedAndOthersAreServed) {
  Limits limits;
  limits.serve_bytes_per_peer = 4 * limits.give_bytes;
  Desk t(4, Rules::anchored_bullshark(), limits);
  for (std::uint16_t author = 1; author < 4; ++author) {
    const Payload payload = payload_of(author, 100 * 1024);
    Header h;
    h.author = NodeId{author};
    h.round = Round{1};
    h.payload_root = payload.root;
    h.payload_bytes = static_cast<std::uint32_t>(payload.bytes.size());
    const ProposalPtr p = Desk::sealed(h);
    t.say(author, Batch{payload});
    t.say(author, Propose{p});
    t.say(author, Certify{Round{1}, p->digest, t.quorum(p)});
  }
  ASSERT_EQ(t.node().stats().vertices_accepted, 3u);
  for (int i = 0; i < 1000; ++i) {
    t.say(3, WantRound{Round{1}, {NodeSet(4)}});
    t.say(3, Want{{{NodeId{1}, Round{1}}, {NodeId{2}, Round{1}}}, {}});
  }
  const std::size_t answers = t.sent<Give>(3).size();  // of 200 KiB each
  EXPECT_GE(answers, 4u);
  EXPECT_LE(answers, 6u);
  t.say(2, WantRound{Round{1}, {NodeSet(4)}});
  EXPECT_EQ(t.sent<Give>(2).size(), 1u);
  t.expire(kServe);
  t.say(3, WantRound{Round{1}, {NodeSet(4)}});
  EXPECT_EQ(t.sent<Give>(3).size(), answers + 1);
}

// A payload that is nowhere is looked for at every author, and the answer is empty: nothing counted
// such questions.
TEST(Pulls, PayloadsThatNobodyHasCountAmongWhatAPeerIsSent) {
  Limits limits;
  limits.serve_bytes_per_peer = 64 * 1024;
  Desk t(4, Rules::anchored_bullshark(), limits);
  for (std::uint16_t author = 1; author < 4; ++author) t.certify(author, 1, {});
  const Want known{{{NodeId{1}, Round{1}}}, {}};
  Want unknown;
  for (std::uint64_t k = 0; k < limits.give_vertices; ++k)
    unknown.batches.push_back(payload_of(1000 + k, 8).root);
  t.say(3, known);
  EXPECT_EQ(t.sent<Give>(3).size(), 1u);
  for (int i = 0; i < 10; ++i) t.say(3, unknown);
  t.say(3, known);
  EXPECT_EQ(t.sent<Give>(3).size(), 1u);
  t.say(2, known);
  EXPECT_EQ(t.sent<Give>(2).size(), 1u) << "others are served";
  t.expire(kServe);
  t.say(3, known);
  EXPECT_EQ(t.sent<Give>(3).size(), 2u);
}

// Its last header shows what its author holds. Ten liars of 31 that asked for old rounds made the
// others send six times the bytes of fair weather.
TEST(Pulls, WhoSignedAHeaderGetsNoWholeRoundsBelowIt) {
  Desk t(4, Rules::bullshark());
  for (std::uint16_t author = 1; author < 4; ++author) t.certify(author, 1, {});
  for (std::uint16_t author = 1; author < 3; ++author) t.certify(author, 2, {1, 2, 3});
  for (int i = 0; i < 2; ++i) t.expire(kPush);  // the certificates are looked at
  ASSERT_EQ(t.node().stats().vertices_accepted, 5u);
  const auto given = [&](std::uint16_t to) {
    t.say(to, WantRound{Round{1}, {NodeSet(4)}});
    std::size_t out = 0;
    for (const Give& give : t.sent<Give>(to)) out += give.vertices.size();
    return out;
  };
  EXPECT_EQ(given(2), 2u) << "those of round 2";
  EXPECT_EQ(given(3), 5u) << "it said nothing since round 1";
  t.say(2, Want{{{NodeId{1}, Round{1}}}, {}});
  EXPECT_EQ(t.sent<Give>(2).size(), 2u) << "single ones it may lack";
}

// A liar may say that it has a quorum: it gains what it could ask for by name.
TEST(Pulls, WhoHasAQuorumOfARoundGetsTheRestOfIt) {
  Desk t(4, Rules::bullshark());
  for (std::uint16_t author = 1; author < 4; ++author) t.certify(author, 1, {});
  for (std::uint16_t author = 1; author < 3; ++author) t.certify(author, 2, {1, 2, 3});
  for (int i = 0; i < 2; ++i) t.expire(kPush);
  ASSERT_EQ(t.node().stats().vertices_accepted, 5u);
  const auto of = [](std::initializer_list<std::uint16_t> ids) {
    NodeSet out(4);
    for (const std::uint16_t id : ids) out.insert(NodeId{id});
    return out;
  };
  t.say(2, WantRound{Round{1}, {of({0, 1, 2}), of({2})}});
  const auto given = t.sent<Give>(2);
  ASSERT_EQ(given.size(), 1u);
  ASSERT_EQ(given[0].vertices.size(), 2u);
  EXPECT_EQ(given[0].vertices[0]->ref(), (Ref{NodeId{3}, Round{1}}));
  EXPECT_EQ(given[0].vertices[1]->ref(), (Ref{NodeId{1}, Round{2}}));
  t.say(2, WantRound{Round{1}, std::vector<NodeSet>(kMostHave + 1, of({0, 1, 2}))});
  EXPECT_EQ(t.node().stats().refused, 1u);
}

// The last vertices before a committee rests are named by nothing: what a liar showed to some alone
// was never asked for, and committed nothing here.
TEST(Pulls, ANodeThatRestsAsksAllForTheLastVertices) {
  Desk t(4, Rules::bullshark());
  for (std::uint16_t author = 1; author < 4; ++author) t.certify(author, 1, {});
  for (int i = 0; i < 2; ++i) t.expire(kPush);
  const auto own = t.broadcast<Propose>();
  ASSERT_FALSE(own.empty());
  const ProposalPtr& mine = own[0].proposal;
  for (std::uint16_t voter = 1; voter < 3; ++voter)
    t.say(voter, Vote{mine->header.round, mine->digest, mock_sign(voter, mine->digest)});
  EXPECT_TRUE(t.broadcast<WantRound>().empty()) << "there was work";
  for (int i = 0; i < 2; ++i) t.expire(kPush);
  const auto questions = t.broadcast<WantRound>();
  ASSERT_FALSE(questions.empty());
  EXPECT_EQ(questions[0].round, Round{1});
  ASSERT_EQ(questions[0].have.size(), 1u);
  EXPECT_EQ(questions[0].have[0].size(), 4u);
}

TEST(Pulls, BatchesOfOnePeerAreBoundedInBytes) {
  Limits limits;
  limits.batch_bytes_per_peer = 1 << 20;
  Desk t(4, Rules::anchored_bullshark(), limits);
  for (std::uint64_t i = 0; i < 8; ++i) t.say(1, Batch{payload_of(i, 300 * 1024)});
  EXPECT_EQ(t.node().footprint().batches, 3u);
  t.say(1, Batch{payload_of(9, 2 << 20)});
  EXPECT_EQ(t.node().footprint().batches, 3u);
  EXPECT_EQ(t.node().stats().refused, 1u);
}

// Of a payload that fits a frame and an answer does not.
TEST(Pulls, ABatchTooLargeToBePassedOnIsRefused) {
  Desk t(4);
  t.say(1, Batch{payload_of(1, kMostPayloadBytes + 1)});
  EXPECT_EQ(t.node().footprint().batches, 0u);
  EXPECT_EQ(t.node().stats().refused, 1u);
  t.say(1, Batch{payload_of(2, kMostPayloadBytes)});
  EXPECT_EQ(t.node().footprint().batches, 1u);
  Header h;
  h.author = NodeId{2};
  h.round = Round{1};
  h.payload_root = hash({});
  h.payload_bytes = kMostPayloadBytes + 1;
  t.say(2, Propose{Desk::sealed(h)});
  EXPECT_EQ(t.node().stats().refused, 2u);
}

// Certificates count neither in give_bytes nor among the vertices: 256 of 1,000 members' were 11
// MiB.
TEST(Pulls, AnAnswerWithManyLargeCertificatesFitsAFrame) {
  constexpr std::uint32_t kMany = 1000;
  Desk t(kMany);
  NodeSet have(kMany);
  std::vector<Ref> refs;
  for (std::uint16_t author = 1; author <= 256; ++author) {
    t.certify(author, 1, {});
    refs.push_back({NodeId{author}, Round{1}});
  }
  for (int i = 0; i < 2; ++i) t.expire(kPush);
  ASSERT_EQ(t.node().stats().vertices_accepted, 256u);
  t.say(300, Want{refs, {}});
  t.say(301, WantRound{Round{1}, {have}});
  for (const std::uint16_t asker : std::initializer_list<std::uint16_t>{300, 301}) {
    const auto answers = t.sent<Give>(asker);
    ASSERT_EQ(answers.size(), 1u);
    EXPECT_GE(answers[0].vertices.size(), 50u);
    const WireParts wire = encode(answers[0], kMany);
    EXPECT_LE(wire.control.size() + wire.payload.size() + 64, 8u << 20) << asker;
  }
}

}  // namespace
}  // namespace thresher::certified
