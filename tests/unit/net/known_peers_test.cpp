// What is remembered of peers' starts, and what of it the disk gets.
#include "node/known_peers.hpp"

#include <gtest/gtest.h>

namespace thresher::net {
namespace {

Incarnation start(std::uint64_t count) {
  Incarnation i;
  i.count = count;
  i.nonce = random_nonce();
  return i;
}
const auto kNothingSaid = [](NodeId) { return Pledge{}; };

TEST(KnownPeers, ARecordIsReadAsItWasWritten) {
  Incarnation i = start(7);
  i.signature[3] = std::byte{9};
  const Persist p = KnownPeers::record_of({NodeId{5}, i, {11, 12}});
  const auto read = KnownPeers::read(p.key.view(), p.value.view());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->node, NodeId{5});
  EXPECT_TRUE(read->incarnation.same_start(i));
  EXPECT_EQ(read->incarnation.signature, i.signature);
  EXPECT_EQ(read->pledge, (Pledge{11, 12}));
  EXPECT_FALSE(KnownPeers::read(p.key.view().first(1), p.value.view()));
  EXPECT_FALSE(KnownPeers::read(p.key.view(), p.value.view().first(p.value.size() - 1)));
}

TEST(KnownPeers, TheCountOfAPeersStartNeverFalls) {
  KnownPeers peers;
  EXPECT_FALSE(peers.last_start(NodeId{1}));
  peers.started(NodeId{1}, start(3));
  const Incarnation fourth = start(4);
  peers.started(NodeId{1}, fourth);
  peers.started(NodeId{1}, start(3));
  peers.started(NodeId{1}, start(4));  // of a copy: the first one stands
  ASSERT_TRUE(peers.last_start(NodeId{1}));
  EXPECT_TRUE(peers.last_start(NodeId{1})->same_start(fourth));
  EXPECT_FALSE(peers.last_start(NodeId{2}));
}

TEST(KnownPeers, OnlyWhatTheDiskDoesNotHaveIsWritten) {
  KnownPeers peers;
  EXPECT_TRUE(peers.take_records(kNothingSaid).empty());
  peers.recall({NodeId{1}, start(3), {}});
  EXPECT_TRUE(peers.take_records(kNothingSaid).empty());
  peers.started(NodeId{2}, start(1));
  const auto first = peers.take_records(kNothingSaid);
  ASSERT_EQ(first.size(), 1u);
  EXPECT_TRUE(first[0].lazy);  // if a crash loses it, other peers know
  EXPECT_EQ(KnownPeers::read(first[0].key.view(), first[0].value.view())->node, NodeId{2});
  EXPECT_TRUE(peers.take_records(kNothingSaid).empty());
  // A peer went on, and another one started anew without having said more.
  const auto said = [](NodeId peer) { return Pledge{peer == NodeId{1} ? 9u : 0u, 0}; };
  EXPECT_EQ(peers.take_records(said).size(), 1u);
  peers.started(NodeId{2}, start(2));
  const auto again = peers.take_records(said);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(KnownPeers::read(again[0].key.view(), again[0].value.view())->incarnation.count, 2u);
}

}  // namespace
}  // namespace thresher::net
