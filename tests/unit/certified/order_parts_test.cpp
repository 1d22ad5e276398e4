// The parts of a node that order, and that go on after a restart or behind the log of peers.
#include <gtest/gtest.h>

#include "drawn_leaders.hpp"
#include "log_vertices.hpp"
#include "ordered.hpp"
#include "parts.hpp"
#include "records.hpp"
#include "thresher/core/assert.hpp"
#include "thresher/protocols/certified/store.hpp"
#include "undelivered.hpp"

namespace thresher::certified {
namespace {

TEST(Ordered, AnchorsAreOrderedByRoundEachOnce) {
  const Committee committee = *Committee::of(4);
  Ordered ordered(committee, Rules::bullshark());
  EXPECT_EQ(ordered.last(), Round{0});
  EXPECT_EQ(ordered.commit(Round{2}, NodeSet(4)).before, Round{0});
  EXPECT_EQ(ordered.commit(Round{6}, NodeSet(4)).before, Round{2});
  EXPECT_THROW((void)ordered.commit(Round{6}, NodeSet(4)), InvariantBroken);
  EXPECT_EQ(ordered.last(), Round{6});
}

TEST(Ordered, GoesOnBehindWhatWasRestored) {
  const Committee committee = *Committee::of(4);
  Ordered before(committee, Rules::anchored_bullshark());
  for (std::uint64_t r = 2; r <= 40; r += 2) (void)before.commit(Round{r}, NodeSet(4));
  Ordered after(committee, Rules::anchored_bullshark());
  EXPECT_NE(after.leaders(), before.leaders());
  after.restore(before.last(), before.leaders());
  EXPECT_EQ(after.last(), Round{40});
  EXPECT_EQ(after.leader(Round{50}), before.leader(Round{50}));
}

TEST(Ordered, IsLookedAtAnewWithEachVersionOfTheStoreAndOtherLeaders) {
  Ordered ordered(*Committee::of(4), Rules::bullshark());
  EXPECT_TRUE(ordered.looked_at(0));  // nothing is accepted
  EXPECT_FALSE(ordered.looked_at(1));
  ordered.begin_look(1);
  EXPECT_TRUE(ordered.looked_at(1));
  ordered.look_again();
  EXPECT_FALSE(ordered.looked_at(1));
}

TEST(Undelivered, OnlyPayloadsCount) {
  Undelivered undelivered;
  Header loaded;
  loaded.payload_bytes = 1;
  undelivered.add(Header{});
  EXPECT_FALSE(undelivered.any());
  undelivered.add(loaded);
  undelivered.remove(Header{});
  EXPECT_TRUE(undelivered.any());
  undelivered.remove(loaded);
  EXPECT_FALSE(undelivered.any());
  EXPECT_THROW(undelivered.remove(loaded), InvariantBroken);
}

TEST(StoreOfVertices, KnowsTheHighestAcceptedRoundOfEachAuthor) {
  Store store(*Committee::of(4));
  store.insert(vertex(1, 3));
  store.insert(vertex(1, 2));
  EXPECT_EQ(store.highest_accepted(node(1)), Round{0});
  store.accept(ref(1, 3));
  store.accept(ref(1, 2));
  EXPECT_EQ(store.highest_accepted(node(1)), Round{3});
  store.raise_floor(Round{5}, [](const Cell&) {});
  EXPECT_EQ(store.highest_accepted(node(1)), Round{3});
  EXPECT_EQ(store.highest_accepted(node(2)), Round{0});
}

TEST(LogVertices, WaitOnceForEachNameAndUpToTheFloor) {
  LogVertices log;
  log.add({vertex(1, 3), Round{4}});
  log.add({vertex(1, 3), Round{6}});
  log.add({vertex(2, 4), Round{6}});
  log.add({vertex(3, 5), Round{6}});
  EXPECT_EQ(log.take(ref(1, 3)), Round{6});
  EXPECT_EQ(log.take(ref(1, 3)), std::nullopt);
  log.forget(Round{4});
  EXPECT_EQ(log.take(ref(2, 4)), std::nullopt);
  EXPECT_TRUE(log.take_if([](const Ref& r) { return r.author == node(9); }).empty());
  const auto taken = log.take_if([](const Ref& r) { return r.round == Round{5}; });
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken.front().round(), Round{5});
  EXPECT_EQ(log.take(ref(3, 5)), std::nullopt);
}

TEST(LogVertices, TheRoundUpToWhichReferencesMayBeMissingNeverFalls) {
  LogVertices log;
  EXPECT_EQ(log.bare(), Round{0});
  log.holds_bare(Round{7});
  log.holds_bare(Round{5});
  EXPECT_EQ(log.bare(), Round{7});
}

TEST(DrawnLeaders, AreKnownUntilTheirWavesAreOrdered) {
  DrawnLeaders drawn;
  drawn.note(3, node(2));
  drawn.note(5, node(1));
  EXPECT_EQ(drawn.of(3), node(2));
  EXPECT_EQ(drawn.of(4), std::nullopt);
  drawn.forget(5);
  EXPECT_EQ(drawn.of(3), std::nullopt);
  EXPECT_EQ(drawn.of(5), node(1));
}

/// The record that the last effect writes, as a host reads it again.
Restored read_again(Records::Fx& fx) {
  const Persist& written = std::get<Persist>(fx.list().back());
  return {written.table, written.key, written.value, written.body};
}

TEST(RecordsOfVertices, AreReadAsTheyWereWritten) {
  Config config;
  config.rules = Rules::bullshark();
  const Records records(config);
  Header h;
  h.author = node(1);
  h.round = Round{3};
  h.self = Round{1};
  h.parents = NodeSet(4);
  const Payload p = payload(5, 1);
  h.payload_root = p.root;
  h.payload_bytes = 5;
  const ProposalPtr made = make_proposal(h, signature(1), config.chain);
  Records::Fx fx;
  records.put_own(*made, p, fx);
  const auto own = records.read_own(read_again(fx));
  ASSERT_TRUE(own);
  EXPECT_EQ(own->proposal->digest, made->digest);
  EXPECT_EQ(own->payload.root, p.root);
  EXPECT_EQ(own->payload.bytes.size(), 5u);

  records.put_vote(*made, signature(9), fx);
  const auto voted = records.read_vote(read_again(fx));
  ASSERT_TRUE(voted);
  EXPECT_EQ(voted->proposal->digest, made->digest);
  EXPECT_EQ(voted->vote, signature(9));

  Certificate c{NodeSet(4), {signature(1)}};
  c.signers.insert(node(1));
  const VertexPtr v = make_vertex(*made, p, c);
  records.put_vertex(*v, Round{8}, fx);
  const auto logged = records.read_vertex(read_again(fx));
  ASSERT_TRUE(logged);
  EXPECT_EQ(logged->vertex->digest, v->digest);
  EXPECT_EQ(logged->slot, Round{8});
  EXPECT_EQ(logged->vertex->payload.bytes.size(), 5u);
}

TEST(RecordsOfVertices, OfTheLogAreNamedByTheirKeys) {
  Config config;
  config.rules = Rules::bullshark();
  const Records records(config);
  Vertex bare = *vertex(2, 7);
  bare.certificate = Certificate{NodeSet(4), {}};
  bare.header.parents = NodeSet(4);
  Records::Fx fx;
  records.put_vertex(bare, Round{0}, fx);
  const auto logged = records.read_vertex(read_again(fx));
  ASSERT_TRUE(logged);
  EXPECT_EQ(logged->vertex->digest, bare.digest);  // no content would give it
  EXPECT_EQ(logged->slot, Round{0});
}

TEST(RecordsOfVertices, AreNotWrittenWhereTheHostKeepsNone) {
  Config config;
  config.records = false;
  const Records records(config);
  Records::Fx fx;
  records.put_vertex(*vertex(1, 3), Round{0}, fx);
  records.put_vote(*proposal(1, 3), signature(1), fx);
  records.put_own(*proposal(0, 3), {}, fx);
  records.erase_vertex(*vertex(1, 3), fx);
  records.erase_delivered(Round{4}, fx);
  EXPECT_TRUE(fx.list().empty());
}

TEST(RecordsOfVertices, ThatAreMalformedAreNotRead) {
  const Records records(Config{});
  const Restored record{kVertex, {}, Bytes::copy_of(as_view("nothing")), {}};
  EXPECT_FALSE(records.read_vertex(record));
  EXPECT_FALSE(records.read_own(record));
  EXPECT_FALSE(records.read_vote(record));
}

}  // namespace
}  // namespace thresher::certified
