// Copies of real nodes' folders, and starts from them.
#include "thresher/net/backup.hpp"

#include <fstream>

#include "pruning.hpp"

namespace thresher::net {
namespace {

namespace fs = std::filesystem;

struct BackedUp : testing::Test {
  void SetUp() override {
    for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(p.net.start(i, p.options()), "");
    p.run_until_pruned(20);
  }
  std::string destination() const { return p.net.home(3) + "-copy"; }
  /// The copy takes the place of what is there.
  void restore() const {
    fs::remove_all(p.net.home(3) + "/data");
    fs::rename(destination() + "/data", p.net.home(3) + "/data");
  }
  void expect_only(const std::string& what) {
    const std::lock_guard lock(p.mutex);
    for (const std::string& line : p.warnings)
      EXPECT_NE(line.find(what), std::string::npos) << line;
  }

  Pruning p;
};

TEST_F(BackedUp, OfAStoppedNodeItStartsAndSigns) {
  p.net.stop(3);
  const auto copy = back_up(p.resting(3), destination());
  ASSERT_TRUE(copy) << copy.error();
  EXPECT_FALSE(copy->running);
  EXPECT_EQ(copy->length, p.length);
  EXPECT_GT(copy->begins, 20u);
  const Error there = back_up(p.resting(3), destination()).error();
  EXPECT_EQ(there.code, ErrorCode::kExists) << "nothing is overwritten";
  EXPECT_EQ(there.where, destination());
  restore();
  ASSERT_EQ(p.net.start(3, p.options()), "");
  for (int k = 0; k < 8; ++k) p.submit("restored");
  p.net.expect_same_state(p.length);
  expect_only("is made again");
}

// Each took the other's half for a leftover of its own.
TEST_F(BackedUp, ByTwoAtOnceOneOfThemIsWhole) {
  p.net.stop(3);
  for (int k = 0; k < 4; ++k) {
    std::vector<std::thread> both;
    std::mutex mutex;
    std::vector<Result<Backup, Error>> ends;
    for (int i = 0; i < 2; ++i) {
      both.emplace_back([&] {
        auto end = back_up(p.resting(3), destination());
        const std::lock_guard lock(mutex);
        ends.push_back(std::move(end));
      });
    }
    for (std::thread& one : both) one.join();
    EXPECT_EQ(std::ranges::count_if(ends, [](const auto& end) { return bool{end}; }), 1);
    for (const auto& end : ends) {
      if (end) continue;
      const bool told = end.error().text().find("another backup to") != std::string::npos ||
                        end.error().text().find("is there already") != std::string::npos;
      EXPECT_TRUE(told) << end.error();
    }
    EXPECT_FALSE(fs::exists(destination() + ".partial"));
    if (k == 3) break;
    fs::remove_all(destination());
  }
  restore();
  ASSERT_EQ(p.net.start(3, p.options()), "");
  p.submit("restored");
  p.net.expect_same_state(p.length);
}

// Taken while it takes transactions, snapshots, and prunes.
TEST_F(BackedUp, OfARunningNodeItFollowsAndDoesNotSign) {
  std::atomic<bool> end{false};
  std::thread load([&] {
    while (!end) p.submit("load");
  });
  for (int k = 0; k < 2; ++k) {
    fs::remove_all(destination());
    const auto copy = back_up(p.resting(3), destination());
    EXPECT_TRUE(copy) << copy.error();
    if (!copy) continue;
    EXPECT_TRUE(copy->running);
    EXPECT_GT(copy->length, copy->begins);
  }
  end = true;
  load.join();
  p.net.stop(3);
  restore();
  const std::string why = p.net.start(3, p.options());
  EXPECT_NE(why.find("must never sign twice"), std::string::npos) << why;
  NodeOptions observing = p.options();
  observing.observe = true;
  ASSERT_EQ(p.net.start(3, observing), "");
  EXPECT_TRUE(p.net.reaches(3, p.length));
  EXPECT_EQ(p.net.app(3).state(), p.net.app(0).state());
  EXPECT_LT(p.net.app(3).applied(), p.length - 50) << "from a snapshot in the copy";
}

TEST_F(BackedUp, OfADamagedFolderThereIsNone) {
  const std::string base = p.net.home(3) + "/data/wal.base";
  // Entries go first, and a file of the log when all in it has gone.
  ASSERT_TRUE(Network::eventually([&] {
    p.submit("more");
    return fs::exists(base);
  }));
  p.net.stop(3);
  std::fstream file(base, std::ios::in | std::ios::out | std::ios::binary);
  ASSERT_TRUE(file.good());
  file.seekp(40);
  file.put('x');
  file.close();
  const auto copy = back_up(p.resting(3), destination());
  ASSERT_FALSE(copy);
  EXPECT_EQ(copy.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(copy.error().text().find("is not what was written"), std::string::npos) << copy.error();
  EXPECT_FALSE(fs::exists(destination()));
  EXPECT_FALSE(fs::exists(destination() + ".partial"));
}

}  // namespace
}  // namespace thresher::net
