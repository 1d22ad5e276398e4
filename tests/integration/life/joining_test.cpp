// Real nodes whose peers have pruned what they need: they take their state from the peers'
// certified snapshots, go on with the protocol from there, and start again from what they took.
#include <fstream>

#include "joins.hpp"
#include "member.hpp"

namespace thresher::net {
namespace {

TEST_F(Joins, AnEmptyNode) {
  for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(p.net.start(i, p.options()), "");
  prune_without_node_3(100);
  ASSERT_EQ(p.net.start(3, p.options()), "");
  expect_joined();
  p.expect_no_warnings();
}

TEST_F(Joins, ANodeThatWasAwayForTooLong) {
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(p.net.start(i, p.options()), "");
  for (int k = 0; k < 10; ++k) p.submit("all are here");
  p.net.expect_same_state(p.length);
  p.net.stop(3);
  prune_without_node_3(p.length + 100);
  ASSERT_EQ(p.net.start(3, p.options()), "");
  expect_joined();
  p.expect_no_warnings();
}

// Its data are lost, and its key has signed: it may not sign, and follows from a snapshot.
TEST_F(Joins, AnObserverWhoseDataAreLost) {
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(p.net.start(i, p.options()), "");
  for (int k = 0; k < 10; ++k) p.submit("all are here");
  p.net.stop(3);
  fs::remove_all(p.net.home(3) + "/data");
  prune_without_node_3(p.length + 100);
  EXPECT_NE(p.net.start(3, p.options()).find("One key must never sign twice"), std::string::npos);
  NodeOptions observing = p.options();
  observing.observe = true;
  ASSERT_EQ(p.net.start(3, observing), "");
  p.submit("it hears of it");
  p.net.expect_same_state(p.length);
  EXPECT_LT(p.net.app(3).applied(), p.length) << "from a snapshot";
  p.expect_no_warnings();
}

// Each peer writes its snapshots at another time, and then nobody submits any more: the last one
// that was due has to be there all the same, or a newcomer finds none that f+1 of them have.
TEST_F(Joins, ANodeWhosePeersWereSlowWithTheirSnapshotsAndAreAtRest) {
  for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(p.net.start(i, p.options()), "");
  prune_without_node_3(100);
  p.payload = 100;
  for (std::size_t slow = 0; slow < 2; ++slow) {
    p.net.app(slow).hold_snapshots(true);
    const std::uint64_t until = p.status(slow).slot + 64;
    while (p.status(slow).slot < until) p.submit("while it writes");
  }
  p.net.app(0).hold_snapshots(false);
  p.net.app(1).hold_snapshots(false);
  ASSERT_EQ(p.net.start(3, p.options()), "");
  ASSERT_TRUE(p.net.reaches(3, p.length)) << p.waits_for(3);
  EXPECT_LT(p.net.app(3).applied(), p.length) << "from a snapshot";
}

// The first MiB of each snapshot of one node is not what it was: what it gives is not taken, and it
// has a name.
TEST_F(Joins, WhereOnePeerGivesWhatItsDiskChanged) {
  for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(p.net.start(i, p.options()), "");
  prune_without_node_3(100);
  for (const auto& entry : fs::directory_iterator(p.net.home(1) + "/data/snapshots")) {
    std::fstream file(entry.path() / "state", std::ios::in | std::ios::out | std::ios::binary);
    file.put('!');
    std::fstream ledger(entry.path() / "ledger", std::ios::in | std::ios::out | std::ios::binary);
    ledger.seekp(100);
    ledger.put('!');
  }
  ASSERT_EQ(p.net.start(3, p.options()), "");
  ASSERT_TRUE(p.net.reaches(3, p.length)) << p.waits_for(3);
  p.net.expect_same_state(p.length);
}

// The first giver of the part of the log that goes with a snapshot has none of it: a liar, or an
// honest node with an empty log. The other correct nodes have it.
TEST(Joins7, WhereTheFirstGiverOfTheLogHasNothing) {
  Pruning p("thresher", "4", 7);
  p.senders = {0, 2, 3, 4, 5};
  p.at_once = true;
  for (const std::size_t i : p.senders) ASSERT_EQ(p.net.start(i, p.options()), "");
  for (const std::size_t i : p.senders) p.run_until_pruned(60, i);
  ASSERT_EQ(p.net.start(6, p.options()), "");
  Member liar(p.net, 6, 1);
  liar.know({});
  liar.has_empty_log();
  EXPECT_TRUE(Network::eventually([&] {
    p.submit("the ledger goes on");
    return p.net.app(6).count() >= p.length;
  })) << p.waits_for(6);
  EXPECT_LT(p.net.app(6).applied(), p.length) << "from a snapshot";
  EXPECT_GT(liar.heard(kWantLog), 0);
}

using ManyProtocols = JoinsWith;
TEST_P(ManyProtocols, AnEmptyNode) {
  an_empty_node_joins(100);
}
INSTANTIATE_TEST_SUITE_P(Joins, ManyProtocols, testing::Values("mysticeti", "anchored-bullshark"),
                         name_of);

}  // namespace
}  // namespace thresher::net
