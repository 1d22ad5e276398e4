// The question before the first signature, over real sockets and disks: who starts by itself, and
// who must not sign.
#include "member.hpp"

namespace thresher::net {
namespace {

std::string name_of(const testing::TestParamInfo<std::string>& suite) {
  std::string name = suite.param;
  std::erase(name, '-');
  return name;
}

// One of each family: what they know of their own messages differs.
class Families : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Start, Families,
                         testing::Values("thresher", "anchored-bullshark", "pbft", "raft"),
                         name_of);

TEST(Start, AWholeClusterStartsByItselfInEveryOrder) {
  Network net(4);
  std::vector<std::size_t> order{0, 1, 2, 3};
  std::uint64_t sent = 0;
  do {
    for (const std::size_t i : order) ASSERT_EQ(net.start(i), "");
    EXPECT_EQ(net.submit(order[3], "again").position, sent++);
    for (const std::size_t i : order) net.stop(i);
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(sent, 24u);
}

TEST_P(Families, NothingIsSaidBeforeAQuorumHasAnswered) {
  Network net(4, GetParam());
  ASSERT_EQ(net.start(0), "");
  Member first(net, 0, 1);
  Member second(net, 0, 2);
  (void)net.submit_later(0, as_view("waits"));
  first.know({});
  // Longer than the node waits for peers that do not answer.
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  EXPECT_EQ(first.spoken_to() + second.spoken_to(), 0);
  EXPECT_GT(first.heard(kWantKnown), 0);
  second.know({});
  EXPECT_TRUE(Network::eventually([&] { return second.spoken_to() > 0; }));
}

wire::Known knows_block(const Network& net, const crypto::SigningKey& signer, std::uint64_t round) {
  const ChainContext chain = net.genesis().context();
  dag::Header h;
  h.author = NodeId{0};
  h.round = Round{round};
  h.self = {h.author, Round{round - 1}, hash(as_view("before"))};
  const Signature signature = signer.sign(dag::digest_of(h, chain).bytes);
  Writer w;
  encode_header(*dag::make_block(std::move(h), {}, signature, chain), w);
  return {{}, 0, 0, Bytes::from(w.take())};
}

TEST(Start, ABlockThatTheDiskDoesNotHaveStopsIt) {
  Network net(4);
  ASSERT_EQ(net.start(0), "");
  Member peer(net, 0, 1);
  peer.know(knows_block(net, key_of(net, 0), 7));
  const std::string why = net.ending(0);
  EXPECT_NE(why.find("node 1 holds a block of round 7"), std::string::npos) << why;
  EXPECT_EQ(peer.spoken_to(), 0);
}

// A liar has no signature to show, and an incarnation that another key signed says nothing.
TEST(Start, WhatALiarMakesUpStopsNobody) {
  Network net(4);
  ASSERT_EQ(net.start(0), "");
  Member liar(net, 0, 1);
  Member good(net, 0, 2);
  wire::Known lie = knows_block(net, key_of(net, 1), 7);
  lie.incarnation = signed_incarnation(key_of(net, 1), net.genesis().context().chain,
                                       {1'000, random_nonce(), {}});
  lie.round = lie.vote = 1'000'000;
  liar.know(lie);
  good.know({});
  (void)net.submit_later(0, as_view("wanted"));
  EXPECT_TRUE(Network::eventually([&] { return good.spoken_to() > 0; }));
  EXPECT_FALSE(net.ended(0));
}

TEST(Start, TheWordOfAValiditySetStopsAProtocolWithoutSignatures) {
  Network net(4, "pbft");
  ASSERT_EQ(net.start(0), "");
  Member first(net, 0, 1);
  Member second(net, 0, 2);
  first.know({{}, 1, 3, {}});
  second.know({{}, 1, 4, {}});
  EXPECT_NE(net.ending(0).find("peers say that this node has voted"), std::string::npos);
  EXPECT_EQ(first.spoken_to() + second.spoken_to(), 0);
}

TEST(Start, AMemoryStoreDoesNotComeBack) {
  Network net(4);
  NodeOptions memory;
  memory.store = StoreKind::kMemory;
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i, memory), "");
  net.submit(3, "signed");
  net.stop(3);
  EXPECT_NE(net.start(3, memory).find("One key must never sign twice"), std::string::npos);
  net.submit(0, "the others go on");
}

}  // namespace
}  // namespace thresher::net
