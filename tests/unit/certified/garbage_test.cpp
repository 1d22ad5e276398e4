// What is forgotten, what of it is proposed again, and how much is kept whatever peers send.
#include <gtest/gtest.h>

#include <algorithm>

#include "bench.hpp"
#include "thresher/protocols/attic.hpp"

namespace thresher::certified {
namespace {

const std::uint64_t kDepth = Config{}.gc_depth;

Payload payload_of(std::string_view text) {
  const Bytes bytes = Bytes::copy_of(as_view(text));
  return {bytes, hash(bytes.view())};
}

// Rounds in which the others refer to each other and never to the node under test.
void rounds_without_it(Desk& t, std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t r = from; r <= to; ++r) {
    for (std::uint16_t a = 1; a < 4; ++a)
      t.certify(a, r, r == 1 ? std::vector<std::uint16_t>{} : std::vector<std::uint16_t>{1, 2, 3});
  }
}

void vote_for(Desk& t, const ProposalPtr& mine) {
  for (std::uint16_t voter = 1; voter < 3; ++voter)
    t.say(voter, Vote{mine->header.round, mine->digest, mock_sign(voter, mine->digest)});
}

std::vector<Digest> proposed_roots(const Desk& t) {
  std::vector<Digest> out;
  for (const Propose& p : t.broadcast<Propose>()) out.push_back(p.proposal->header.payload_root);
  return out;
}

// A node that finds its batch under the floor, and not delivered, proposes it again.
TEST(Garbage, APayloadThatNoAnchorTookInTimeIsProposedAgain) {
  Desk t(4, Rules::bullshark());
  const Payload payload = payload_of("nobody refers to it");
  t.feed(Requested<Submit>{{payload}});
  vote_for(t, t.broadcast<Propose>().front().proposal);
  ASSERT_EQ(t.broadcast<Certify>().size(), 1u);
  rounds_without_it(t, 1, kDepth);
  EXPECT_EQ(t.node().pending_submits(), 0u);
  rounds_without_it(t, kDepth + 1, kDepth + 12);
  ASSERT_GT(t.node().last_ordered().value, kDepth + 1);
  for (const Committed& c : t.delivered) {
    for (const VertexPtr& v : c.blocks) EXPECT_NE(v->author(), NodeId{0});
  }
  EXPECT_EQ(t.node().pending_submits(), 1u);
  // The header in flight comes first; then the payload goes out once more, ahead of its header.
  std::vector<Digest> roots = proposed_roots(t);
  EXPECT_EQ(std::count(roots.begin(), roots.end(), payload.root), 1);
  vote_for(t, t.broadcast<Propose>().back().proposal);
  roots = proposed_roots(t);
  EXPECT_EQ(std::count(roots.begin(), roots.end(), payload.root), 2);
  EXPECT_EQ(t.node().pending_submits(), 0u);
  EXPECT_TRUE(t.accused.empty());
}

// A header whose votes come after the floor passed it, as after a pause: it will not be ordered.
TEST(Garbage, APayloadWhoseHeaderIsCertifiedTooLateIsProposedAgain) {
  Desk t(4, Rules::bullshark());
  const Payload payload = payload_of("certified too late");
  t.feed(Requested<Submit>{{payload}});
  const ProposalPtr mine = t.broadcast<Propose>().front().proposal;
  rounds_without_it(t, 1, kDepth + 12);
  ASSERT_GT(t.node().last_ordered().value, kDepth + mine->header.round.value);
  EXPECT_TRUE(t.broadcast<Certify>().empty());
  vote_for(t, mine);
  EXPECT_EQ(t.broadcast<Certify>().size(), 1u);
  const std::vector<Digest> roots = proposed_roots(t);
  EXPECT_EQ(std::count(roots.begin(), roots.end(), payload.root), 2);
}

// A payload that was taken from the host is not dropped because more of them wait by now.
TEST(Garbage, APayloadIsProposedAgainHoweverManyWait) {
  Desk t(4, Rules::bullshark());
  const Payload payload = payload_of("nobody refers to it");
  t.feed(Requested<Submit>{{payload}});
  vote_for(t, t.broadcast<Propose>().front().proposal);
  rounds_without_it(t, 1, kDepth);
  const std::uint32_t most = Limits{}.pending_submits;
  for (std::uint32_t i = 0; i < most; ++i)
    t.feed(Requested<Submit>{{payload_of(std::to_string(i))}});
  const std::size_t before = t.node().pending_submits();
  rounds_without_it(t, kDepth + 1, kDepth + 12);
  EXPECT_EQ(t.node().pending_submits(), before + 1);
}

TEST(Garbage, ADeliveredPayloadIsNot) {
  Desk t(4, Rules::bullshark());
  t.feed(Requested<Submit>{{payload_of("taken")}});
  vote_for(t, t.broadcast<Propose>().front().proposal);
  for (std::uint16_t a = 1; a < 4; ++a) t.certify(a, 1, {});
  for (std::uint16_t a = 1; a < 4; ++a) {
    Header h = t.header(a, 2, {1, 2, 3})->header;
    h.parents.insert(NodeId{0});
    const ProposalPtr p = Desk::sealed(h);
    t.say(a, Propose{p});
    t.say(a, Certify{Round{2}, p->digest, t.quorum(p)});
  }
  rounds_without_it(t, 3, kDepth + 12);
  EXPECT_EQ(t.node().pending_submits(), 0u);
  std::size_t own = 0;
  for (const Committed& c : t.delivered) {
    for (const VertexPtr& v : c.blocks) own += v->author() == NodeId{0} ? 1 : 0;
  }
  EXPECT_EQ(own, 1u);
}

// However long it runs: rounds above the floor in memory, as many below it for peers that are
// behind, and the same on the disk.
TEST(Garbage, MemoryAndDiskKeepTheLatestRoundsAlone) {
  Desk t(4, Rules::bullshark());
  rounds_without_it(t, 1, 3 * kDepth);
  const std::size_t most = (attic_margin(0, kDepth) + kDepth + 4) * 3;
  EXPECT_LE(t.node().footprint().vertices, most);
  std::size_t records = 0;
  (void)t.disk.replay([&](const Restored& r) { records += r.table == kVertex ? 1 : 0; });
  EXPECT_LE(records, most);
  EXPECT_GT(records, kDepth);
  t.restart();
  EXPECT_LE(t.node().footprint().vertices, most);
}

// A certified vertex may name what does not exist (its signers would be liars, f+1 of them): it
// waits, it is asked for, and goes with its round.
TEST(Garbage, VerticesOnParentsThatNeverComeAreDroppedWithTheirRound) {
  Desk t(7, Rules::bullshark());
  const std::uint64_t last_bad = 40;
  for (std::uint64_t r = 1; r <= last_bad + kDepth + 12; ++r) {
    const std::vector<std::uint16_t> good = {1, 2, 3, 4, 5};
    for (const std::uint16_t a : good)
      t.certify(a, r, r == 1 ? std::vector<std::uint16_t>{} : good);
    if (r == 1 || r > last_bad) continue;
    Header h = t.header(6, r, good)->header;
    h.parents.insert(NodeId{0});  // never proposed any
    const ProposalPtr p = Desk::sealed(h);
    t.say(6, Propose{p});
    t.say(6, Certify{Round{r}, p->digest, t.quorum(p)});
    t.expire(2);
    if (r == last_bad) {
      EXPECT_GT(t.node().footprint().missing, 10u);
    }
  }
  ASSERT_GT(t.node().last_ordered().value, last_bad + kDepth);
  EXPECT_EQ(t.node().footprint().missing, 0u);
  // Two anchors of seven are missing, one after the other, so the floor may lag behind.
  EXPECT_LE(t.node().footprint().vertices, (attic_margin(0, kDepth) + kDepth + 8) * 5);
  for (const Committed& c : t.delivered) {
    for (const VertexPtr& v : c.blocks) EXPECT_NE(v->author(), NodeId{6});
  }
  EXPECT_TRUE(t.accused.empty());
}

}  // namespace
}  // namespace thresher::certified
