// Real nodes that keep a part of their log: what they answer, how they start, and what the disk
// says.
#include "pruning.hpp"

#include "thresher/net/log_diff.hpp"
#include "thresher/net/log_proof.hpp"

namespace thresher::net {
namespace {

namespace fs = std::filesystem;

TEST(Pruned, TheDiskGetsItsSpaceBackAndWhoAsksBelowIsTold) {
  Pruning p;
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(p.net.start(i, p.options()), "");
  p.run_until_pruned(100);
  const std::uint64_t begins = p.begins(3);
  EXPECT_TRUE(Network::eventually([&] { return p.on_disk(3) < begins * kPayload; }))
      << p.on_disk(3) << " bytes for " << p.length << " transactions of " << kPayload;
  // A client that follows the log, one that asks for a proof, and the folder at rest.
  const auto client = Client::open(p.genesis_file(), {.node = NodeId{3}});
  std::promise<std::uint64_t> told;
  (*client)->subscribe(
      1, [](const Transaction&) { FAIL() << "position 1 was pruned"; },
      [&](std::uint64_t where) { told.set_value(where); });
  EXPECT_GE(told.get_future().get(), begins);
  const auto below = fetch_log_proof(p.net.genesis(), NodeId{3}, 1);
  ASSERT_FALSE(below);
  EXPECT_NE(below.error().text().find("was pruned: the log of this node begins at"),
            std::string::npos)
      << below.error();
  const std::uint64_t at = p.begins(3);
  Result<LogProof, Error> proof = Error{ErrorCode::kMissing, "not asked"};
  EXPECT_TRUE(Network::eventually([&] {
    proof = fetch_log_proof(p.net.genesis(), NodeId{3}, p.begins(3));
    return static_cast<bool>(proof);
  })) << proof.error();
  EXPECT_TRUE(check_log_proof(p.net.genesis(), *proof));
  EXPECT_GE(proof->position, at);
  p.net.stop(3);
  std::uint64_t first = ~std::uint64_t{0}, next = 0;
  const auto read = read_log(p.resting(3), 0, [&](const Transaction& t) {
    first = std::min(first, t.position);
    EXPECT_TRUE(next == 0 || t.position == next) << t.position;
    next = t.position + 1;
  });
  EXPECT_TRUE(read) << read.error();
  EXPECT_GT(first, 0u);
  EXPECT_EQ(next, p.length);
  const auto refused = read_log(p.resting(3), 1, [](const Transaction&) {});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("position 1 was pruned"), std::string::npos)
      << refused.error();
  const auto resting = read_log_proof(p.resting(3), 1);
  ASSERT_FALSE(resting);
  EXPECT_NE(resting.error().text().find("was pruned"), std::string::npos) << resting.error();
  EXPECT_EQ(resting.error().text().find("ends early"), std::string::npos) << resting.error();
  p.net.stop(2);
  const auto diff = diff_logs(p.resting(2), p.resting(3));
  ASSERT_TRUE(diff) << diff.error();
  EXPECT_FALSE(diff->log);
  EXPECT_FALSE(diff->result);
  EXPECT_FALSE(diff->state);
  EXPECT_GT(diff->same_length, begins);
  p.expect_no_warnings();
}

TEST(Pruned, ANodeStartsFromWhatItKeptAndGoesOn) {
  Pruning p;
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(p.net.start(i, p.options()), "");
  p.run_until_pruned(100);
  const auto starts_again = [&](const char* how) {
    ASSERT_EQ(p.net.start(3, p.options()), "") << how;
    EXPECT_TRUE(p.net.reaches(3, p.length)) << how;
    p.submit("again");
    p.net.expect_same_state(p.length);
  };
  p.net.stop(3);
  starts_again("after a stop");
  p.net.stop(3);
  fs::remove(p.net.home(3) + "/data/snapshot");
  starts_again("as after a crash");
  EXPECT_LT(p.net.app(3).applied(), p.length - 100) << "from a snapshot";
  p.net.stop(3);
  fs::remove(p.net.home(3) + "/data/snapshot");
  fs::remove_all(p.net.home(3) + "/data/index");
  starts_again("with its index made again");
  {
    const std::lock_guard lock(p.mutex);
    ASSERT_EQ(p.warnings.size(), 1u);
    EXPECT_NE(p.warnings.front().find("is made again"), std::string::npos) << p.warnings.front();
    p.warnings.clear();
  }
  p.run_until_pruned(p.begins(3) + 100);
  p.net.stop(3);
  fs::remove(p.net.home(3) + "/data/snapshot");
  // The advice was to remove them: then nothing is left to start from.
  const std::string wrong =
      p.net.start(3, p.options(), [](Recorder& app) { app.restore_wrongly(); });
  EXPECT_NE(wrong.find("start the node again. Keep '"), std::string::npos) << wrong;
  {
    const std::lock_guard lock(p.mutex);
    EXPECT_FALSE(p.warnings.empty());
    for (const std::string& line : std::exchange(p.warnings, {}))
      EXPECT_NE(line.find("does not give the state that it is of"), std::string::npos) << line;
  }
  starts_again("with the application mended");
  p.net.stop(3);
  fs::remove(p.net.home(3) + "/data/snapshot");
  fs::remove_all(p.net.home(3) + "/data/snapshots");
  const std::string why = p.net.start(3, p.options());
  EXPECT_NE(why.find("no snapshot in"), std::string::npos) << why;
  p.expect_no_warnings();
}

// Positions that the options keep stay.
TEST(Pruned, PositionsThatHaveToStayStay) {
  Pruning p;
  NodeOptions keeping = p.options();
  keeping.keep_positions = 200;
  for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(p.net.start(i, p.options()), "");
  ASSERT_EQ(p.net.start(3, keeping), "");
  p.run_until_pruned(100);
  for (int k = 0; k < 20; ++k) {
    p.submit("more");
    EXPECT_LE(p.begins(3) + 200, p.length);
  }
  p.expect_no_warnings();
}

// Without checkpoints nothing says what may go.
TEST(Pruned, ALedgerWithoutCheckpointsIsKeptWholeAndSaysWhy) {
  std::mutex mutex;
  std::vector<std::string> warnings;
  Network net(1);
  NodeOptions options;
  options.keep_snapshots = 1;
  options.log = [&](Level level, const std::string& line) {
    const std::lock_guard lock(mutex);
    if (level >= Level::kWarning) warnings.push_back(line);
  };
  ASSERT_EQ(net.start(0, options), "");
  net.submit(0, "entry");
  net.stop(0);
  const std::lock_guard lock(mutex);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings.front().find("is not pruned"), std::string::npos) << warnings.front();
}

}  // namespace
}  // namespace thresher::net
