// The question before the first signature, over real sockets and disks: which nodes start by
// themselves, and which must not sign.
#include <filesystem>
#include <mutex>

#include "member.hpp"
#include "name_of_suite.hpp"

namespace thresher::net {
namespace {

// One of each family: what they know of their own messages differs.
class Families : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Start, Families,
                         testing::Values("thresher", "anchored-bullshark", "pbft", "raft"),
                         name_of_suite);

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
  // It asks once in half a second: this is longer than it waits for peers that do not answer.
  ASSERT_TRUE(Network::eventually([&] { return second.heard(kWantKnown) >= 4; }));
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

// A liar keeps what a start told it in its hello, and that start ended before it signed: it would
// have kept every later one from starting. The word of a start that signs is proof, from one peer.
TEST(Start, OnlyAStartThatSignsIsHeldAgainstLaterOnes) {
  for (const bool signs : {false, true}) {
    Network net(4);
    ASSERT_EQ(net.start(0), "");
    const Digest chain = net.genesis().context().chain;
    const Incarnation later = signed_incarnation(key_of(net, 0), chain, {7, random_nonce(), {}});
    Member first(net, 0, 1);
    Member second(net, 0, 2);
    first.know({signs ? started_incarnation(key_of(net, 0), chain, later) : later, 0, 0, {}});
    if (signs) {
      EXPECT_NE(net.ending(0).find("node 1 has heard of start 7 of this node"), std::string::npos);
      continue;
    }
    second.know({});
    (void)net.submit_later(0, as_view("wanted"));
    EXPECT_TRUE(Network::eventually([&] { return second.spoken_to() > 0; }));
    EXPECT_FALSE(net.ended(0));
  }
}

// Peers remember what they can show.
TEST(Start, AStartThatSignsSaysSoByItsSignature) {
  Network net(4);
  ASSERT_EQ(net.start(0), "");
  Member first(net, 0, 1);
  Member second(net, 0, 2);
  EXPECT_EQ(first.heard(kStarted), 0);
  first.know({});
  second.know({});
  ASSERT_TRUE(Network::eventually([&] { return first.heard(kStarted) > 0; }));
  const auto said = first.started();
  ASSERT_TRUE(said);
  EXPECT_TRUE(started_with(key_of(net, 0).public_key(), net.genesis().context().chain, *said));
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

// A second home with the same key, which peers reach as well as the first: it says nothing, the
// first goes on, and both say where the other is.
TEST(Start, ASecondProcessWithTheKeyIsStoppedAndBothAreTold) {
  namespace fs = std::filesystem;
  Network net(4);
  for (std::size_t i = 1; i < 4; ++i) ASSERT_EQ(net.start(i), "");
  ASSERT_EQ(net.start(0), "");
  net.submit(0, "first");
  net.stop(0);
  const std::string twin = net.home(0) + "-twin";
  fs::copy(net.home(0), twin, fs::copy_options::recursive);
  std::mutex mutex;
  std::string said;
  NodeOptions options;
  options.log = [&](Level level, const std::string& line) {
    const std::lock_guard lock(mutex);
    if (level == Level::kWarning) said += line + "\n";
  };
  ASSERT_EQ(net.start(0, options), "");
  net.submit(0, "second");
  Genesis elsewhere = net.genesis();
  elsewhere.nodes[0].port = free_ports(1).at(0);
  ASSERT_TRUE(save_genesis(elsewhere, twin + "/genesis.json"));
  Recorder app;
  NodeOptions second;
  second.home = twin;
  second.genesis = twin + "/genesis.json";
  auto node = Node::open(second, app);
  ASSERT_TRUE(node) << node.error();
  const auto ended = (*node)->run();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, ErrorCode::kBusy);
  EXPECT_NE(ended.error().what.find("another process runs with this key at 127.0.0.1:"),
            std::string::npos)
      << ended.error();
  const auto told = [&] {
    const std::lock_guard lock(mutex);
    return said.find("another process runs with this key at 127.0.0.1:") != said.npos;
  };
  EXPECT_TRUE(Network::eventually(told));
  net.submit(0, "the first goes on");
  EXPECT_EQ(app.count(), 1u);
}

// An old copy of the whole home, record and all, is refused at every start and not only at the
// first, and leaves no trace: the newest home goes on afterwards. So is the key alone.
class OldCopies : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Start, OldCopies,
                         testing::Values("thresher", "mysticeti", "anchored-bullshark", "pbft",
                                         "raft", "simplex", "hotstuff2"),
                         name_of_suite);

TEST_P(OldCopies, AreRefusedHoweverOftenTheyAreStarted) {
  namespace fs = std::filesystem;
  Network net(4, GetParam());
  const std::string home = net.home(3);
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i), "");
  net.submit(3, "one");
  net.stop(3);
  fs::copy(home, home + "-old", fs::copy_options::recursive);
  fs::create_directory(home + "-key");
  fs::copy(home + "/node.key", home + "-key/node.key");
  ASSERT_EQ(net.start(3), "");
  net.submit(3, "two");
  net.stop(3);
  fs::rename(home, home + "-newest");
  for (const std::string which : {"-old", "-key"}) {
    fs::copy(home + which, home, fs::copy_options::recursive);
    for (int start = 0; start < 3; ++start) {
      ASSERT_EQ(net.start(3), "");
      EXPECT_NE(net.ending(3).find("One key must never sign twice"), std::string::npos)
          << which << ", start " << start;
      net.stop(3);
    }
    fs::remove_all(home);
  }
  fs::rename(home + "-newest", home);
  ASSERT_EQ(net.start(3), "");
  EXPECT_EQ(net.submit(3, "three").position, 2u);
  EXPECT_TRUE(net.reaches(3, 3));
}

// The order depends on how many rounds are kept: nodes that keep another number take no part.
TEST_P(Families, AnotherGcRoundsTakesNoPart) {
  const bool orders_by_it = GetParam() == "thresher" || GetParam() == "anchored-bullshark";
  Network net(4, GetParam());
  for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(net.start(i), "");
  net.submit(0, "of three");
  std::mutex mutex;
  std::string said;
  NodeOptions other;
  other.gc_rounds = 64;
  other.log = [&](Level level, const std::string& line) {
    const std::lock_guard lock(mutex);
    if (level == Level::kWarning) said += line + "\n";
  };
  const auto told = [&] {
    const std::lock_guard lock(mutex);
    return said.find("the peer has limits.gc_rounds = 1000, this node 64") != said.npos;
  };
  ASSERT_EQ(net.start(3, other), "");
  if (!orders_by_it) {
    EXPECT_TRUE(net.reaches(3, 1));
    return;
  }
  EXPECT_TRUE(Network::eventually(told));
  net.submit(0, "the three go on");
  EXPECT_EQ(net.app(3).count(), 0u);
  net.stop(3);
  // It has ordered nothing, so it may be put right; from then on its number stays.
  ASSERT_EQ(net.start(3), "");
  EXPECT_TRUE(net.reaches(3, 2));
  net.submit(3, "all four");
  net.stop(3);
  const std::string why = net.start(3, other);
  EXPECT_NE(why.find("was ordered with limits.gc_rounds = 1000, and now it is 64"),
            std::string::npos)
      << why;
}

wire::OtherProcess other_process(const Network& net, std::uint64_t count, bool speaks) {
  return {signed_incarnation(key_of(net, 0), net.genesis().context().chain,
                             {count, random_nonce(), {}}),
          "10.0.0.9:1", speaks};
}
Frame telling(const wire::OtherProcess& m) {
  return {kOtherProcess, wire::encode(m), {}};
}

// A node that signs gives way to another that signs: on the proof of one, or the word of two.
TEST(Start, WhoSignsStopsOnlyForAnotherThatSigns) {
  for (const std::string how : {"proof", "words"}) {
    Network net(4);
    ASSERT_EQ(net.start(0), "");
    Member first(net, 0, 1);
    Member second(net, 0, 2);
    first.know({});
    second.know({});
    (void)net.submit_later(0, as_view("signs"));
    ASSERT_TRUE(Network::eventually([&] { return first.spoken_to() > 0; }));
    first.say(telling(other_process(net, 7, false)));  // refused before it said anything
    first.say(telling(other_process(net, 0, true)));   // an old start, which a liar may have kept
    wire::OtherProcess forged = other_process(net, 7, true);
    forged.incarnation.count = 8;
    first.say(telling(forged));
    ASSERT_TRUE(Network::eventually([&] { return first.heard(kAlive) == 2; }));
    first.say({kWantLogHash, wire::encode(wire::WantLogHash{Round{1}}), {}});
    ASSERT_TRUE(Network::eventually([&] { return first.heard(kLogHash) > 0; }));
    EXPECT_FALSE(net.ended(0));
    second.say(telling(other_process(net, how == "proof" ? 7 : 0, true)));
    EXPECT_NE(net.ending(0).find("another process runs with this key at 10.0.0.9:1"),
              std::string::npos)
        << how;
    net.stop(0);
  }
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
