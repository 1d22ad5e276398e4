// Real nodes whose peers have pruned what they need: they take their state from the peers'
// certified snapshots, go on with the protocol from there, and start again from what they took.
#include <fstream>

#include "pruning.hpp"
#include "thresher/net/log_proof.hpp"

namespace thresher::net {
namespace {

namespace fs = std::filesystem;

class Joins : public testing::Test {
 protected:
  explicit Joins(const std::string& protocol = "thresher", const std::string& checkpoint = "4")
      : p(protocol, checkpoint) {}

  Pruning p;

  // Nodes 0 to 2 run and have pruned their logs beyond `position`.
  void prune_without_node_3(std::uint64_t position) {
    p.senders = 3;
    for (std::size_t i = 0; i < 3; ++i) p.run_until_pruned(position, i);
  }
  void expect_joined() {
    ASSERT_TRUE(Network::eventually([&] { return p.net.app(3).count() >= p.length; }))
        << p.waits_for(3);
    EXPECT_GT(p.begins(3), 0u);
    EXPECT_LT(p.net.app(3).applied(), p.length) << "from a snapshot";
    // It signs and orders, serves the log and proofs of it, and starts from what it took.
    p.senders = 4;
    for (int k = 0; k < 8; ++k) p.submit("after it joined " + std::to_string(k));
    p.net.expect_same_state(p.length);
    expect_proof();
    p.net.stop(3);
    fs::remove(p.net.home(3) + "/data/snapshot");
    ASSERT_EQ(p.net.start(3, p.options()), "");
    EXPECT_TRUE(p.net.reaches(3, p.length));
    for (int k = 0; k < 8; ++k) p.submit("after its restart " + std::to_string(k));
    p.net.expect_same_state(p.length);
  }
  // Of the first position that it serves.
  void expect_proof() {
    const std::uint64_t at = p.begins(3);
    Result<LogProof, std::string> proof = std::string("not asked");
    EXPECT_TRUE(Network::eventually([&] {
      p.submit("so that there is a checkpoint");
      proof = fetch_log_proof(p.net.genesis(), NodeId{3}, at);
      return static_cast<bool>(proof);
    })) << proof.error();
    if (proof) {
      EXPECT_EQ(log_proof_problem(p.net.genesis(), *proof), "");
    }
  }
};

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

// Every protocol enters behind a window of its log. Where peers hold 1,024 slots in memory, a node
// is level by these until it lacks more, so the test is a slow one.
class JoinsWith : public Joins, public testing::WithParamInterface<std::string> {
 protected:
  JoinsWith() : Joins(GetParam(), "16") { p.payload = 100; }

  void an_empty_node_joins(std::uint64_t position) {
    for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(p.net.start(i, p.options()), "");
    prune_without_node_3(position);
    ASSERT_EQ(p.net.start(3, p.options()), "");
    expect_joined();
    p.expect_no_warnings();
  }
};
std::string name_of(const testing::TestParamInfo<std::string>& suite) {
  std::string name = suite.param;
  std::erase(name, '-');
  return name;
}

using ManyProtocols = JoinsWith;
TEST_P(ManyProtocols, AnEmptyNode) {
  an_empty_node_joins(100);
}
INSTANTIATE_TEST_SUITE_P(Joins, ManyProtocols,
                         testing::Values("mysticeti", "mahi-mahi", "anchored-bullshark"), name_of);

using LongWindows = JoinsWith;
TEST_P(LongWindows, AnEmptyNode) {
  an_empty_node_joins(1'100);
}
INSTANTIATE_TEST_SUITE_P(SlowJoins, LongWindows,
                         testing::Values("pbft", "honeybadger", "simplex", "hotstuff2", "raft"),
                         name_of);

}  // namespace
}  // namespace thresher::net
