// What every ordering protocol owes its node: one order, and a log that survives.
#include "name_of_suite.hpp"
#include "network.hpp"
#include "payloads.hpp"
#include "thresher/net/disk_store.hpp"
#include "thresher/protocols/order/pbft.hpp"
#include "thresher/protocols/order/raft.hpp"

namespace thresher::net {
namespace {

class EveryProtocol : public testing::TestWithParam<std::string> {};

NodeOptions journaled() {
  NodeOptions out;
  out.journal_bytes = 64u << 20;
  return out;
}

// That a protocol reads nothing but its inputs is what the simulator's traces and every replay rest
// on: here it is seen on nodes with sockets, disks and clocks, before and after a restart.
TEST_P(EveryProtocol, OrdersAlikeAndComesBackAfterARestartAndDoesItAgainFromItsJournals) {
  Network net(4, GetParam());
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i, journaled()), "");
  for (std::uint64_t k = 0; k < 8; ++k) net.submit(k % 4, "before " + std::to_string(k));
  net.expect_same_state(8);
  net.stop(2);
  for (std::uint64_t k = 0; k < 6; ++k) net.submit(k % 2, "without " + std::to_string(k));
  ASSERT_EQ(net.start(2, journaled()), "");
  EXPECT_EQ(net.submit(2, "again").position, 14u);
  net.expect_same_state(15);
  for (std::size_t i = 0; i < 4; ++i) net.stop(i);
  for (std::size_t i = 0; i < 4; ++i) net.expect_replays(i, i == 2 ? 2 : 1);
}

TEST_P(EveryProtocol, AllStopAndTheLogGoesOn) {
  Network net(4, GetParam());
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i), "");
  for (std::uint64_t k = 0; k < 8; ++k) net.submit(k % 4, "before " + std::to_string(k));
  net.expect_same_state(8);
  for (std::size_t i = 0; i < 4; ++i) net.stop(i);
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i), "");
  EXPECT_EQ(net.submit(3, "after").position, 8u);
  net.expect_same_state(9);
}

// A crash between the durable decision and the log: the decision is read back with its payload. It
// was read back empty, and the restarted node's log differed (seen by `sim run --engine sockets`).
struct Decided {
  const char* protocol;
  std::uint32_t table;
  Bytes key;
  Bytes value;
};

class LeftByACrash : public testing::TestWithParam<Decided> {};

TEST_P(LeftByACrash, TheDecisionIsDelivered) {
  const Decided& left = GetParam();
  for (const bool damaged : {false, true}) {
    Network net(1, left.protocol);
    const Bytes payload = block_of(some_client(7), {{0, "hello"}});
    {
      auto store = DiskStore::open(net.home(0) + "/data");
      ASSERT_TRUE(store) << store.error();
      const Bytes of = damaged ? Bytes::copy_of(as_view("something else")) : payload;
      const Bytes value =
          Bytes::from(Writer().bytes(hash(of.view()).bytes).bytes(left.value.view()).take());
      const std::vector<Persist> records{{left.table, left.key, value, payload}};
      ASSERT_TRUE((*store)->write(records, true));
    }
    const std::string problem = net.start(0);
    if (damaged) {
      EXPECT_NE(problem.find("damaged"), std::string::npos) << problem;
      continue;
    }
    ASSERT_EQ(problem, "");
    EXPECT_TRUE(net.reaches(0, 1));
    EXPECT_EQ(net.submit(0, "next").position, 1u);
  }
}

INSTANTIATE_TEST_SUITE_P(Node, LeftByACrash,
                         testing::Values(Decided{"pbft", pbft::kDecisions, pbft::decision_key(0),
                                                 Bytes::copy_of(as_view(pbft::kDelivered))},
                                         Decided{"raft", raft::kEntries, raft::entry_key(1),
                                                 Bytes::from(Writer().u64(1).take())}),
                         [](const auto& suite) { return std::string(suite.param.protocol); });

INSTANTIATE_TEST_SUITE_P(Node, EveryProtocol, testing::ValuesIn(node_protocols()), name_of_suite);

}  // namespace
}  // namespace thresher::net
