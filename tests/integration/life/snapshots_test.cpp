// Snapshots that real nodes take while they run, and starts from them.
#include <fstream>
#include <set>

#include "network.hpp"

namespace thresher::net {
namespace {

namespace fs = std::filesystem;

/// Four nodes with a checkpoint every 4 slots and a snapshot every 2 checkpoints.
struct Taking {
  std::mutex mutex;
  std::vector<std::string> warnings;
  Network net{4, "thresher", {{"checkpoint", "4"}}};  // whose nodes write to these until it ends

  NodeOptions options() {
    NodeOptions out;
    out.snapshot_checkpoints = 2;
    out.log = [this](Level level, const std::string& line) {
      const std::lock_guard lock(mutex);
      if (level >= Level::kWarning) warnings.push_back(line);
    };
    return out;
  }
  fs::path folder(std::size_t node) const { return net.home(node) + "/data/snapshots"; }
  std::vector<std::uint64_t> slots(std::size_t node) const {
    std::vector<std::uint64_t> out;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder(node), none)) {
      const std::string name = entry.path().filename().string();
      if (name.find('.') == std::string::npos) out.push_back(std::stoull(name));
    }
    std::sort(out.begin(), out.end());
    return out;
  }
  /// Goes on until node 3 has two snapshots and a little more log behind them; its length.
  std::uint64_t run() {
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(net.start(i, options()), "");
    std::uint64_t length = 0;
    EXPECT_TRUE(Network::eventually([&] {
      length = net.submit(length % 4, "entry " + std::to_string(length)).position + 1;
      return slots(3).size() == 2 && length > 60;
    }));
    for (int k = 0; k < 12; ++k) length = net.submit(0, "behind").position + 1;
    EXPECT_TRUE(net.reaches(3, length));
    return length;
  }
  /// Ends node 3 as a crash would: without the snapshot that is taken at a stop.
  void crash() {
    net.stop(3);
    fs::remove(net.home(3) + "/data/snapshot");
  }
  void flip(std::uint64_t slot, const std::string& file) const {
    const fs::path path = folder(3) / std::to_string(slot) / file;
    std::fstream f(path, std::ios::in | std::ios::out | std::ios::binary);
    const char c = static_cast<char>(f.get() ^ 1);
    f.seekp(0);
    f.put(c);
  }
};

TEST(RunningSnapshots, AfterACrashOnlyWhatCameLaterIsApplied) {
  Taking t;
  const std::uint64_t length = t.run();
  t.crash();
  ASSERT_EQ(t.net.start(3, t.options()), "");
  EXPECT_TRUE(t.net.reaches(3, length));
  EXPECT_LT(t.net.app(3).applied(), length / 2) << "the whole log was applied again";
  t.net.expect_same_state(t.net.submit(1, "again").position + 1);
  const std::lock_guard lock(t.mutex);
  EXPECT_TRUE(t.warnings.empty()) << t.warnings.front();
}

TEST(RunningSnapshots, WithTheNewestDamagedTheOneBeforeItIsUsedAndThenTheLog) {
  Taking t;
  std::uint64_t length = t.run();
  // One that nobody has certified yet is not looked at: then the next one is damaged.
  std::set<std::uint64_t> damaged;
  const auto named = [&t] {
    const std::lock_guard lock(t.mutex);
    return !t.warnings.empty();
  };
  for (int tries = 0; tries < 10 && !named(); ++tries) {
    for (int k = 0; tries > 0 && k < 30; ++k) length = t.net.submit(0, "more").position + 1;
    EXPECT_TRUE(t.net.reaches(3, length));
    t.crash();
    const std::uint64_t newest = t.slots(3).back();
    if (damaged.insert(newest).second) t.flip(newest, "state");
    ASSERT_EQ(t.net.start(3, t.options()), "");
    EXPECT_TRUE(t.net.reaches(3, length));
    EXPECT_LT(t.net.app(3).applied(), length);
  }
  {
    const std::lock_guard lock(t.mutex);
    ASSERT_FALSE(t.warnings.empty());
    EXPECT_NE(t.warnings.front().find("is damaged"), std::string::npos) << t.warnings.front();
  }
  t.crash();
  for (const std::uint64_t slot : t.slots(3))
    fs::resize_file(t.folder(3) / std::to_string(slot) / "manifest", 5);
  ASSERT_EQ(t.net.start(3, t.options()), "");
  EXPECT_TRUE(t.net.reaches(3, length));
  EXPECT_GE(t.net.app(3).applied(), length) << "the log has everything";
  t.net.expect_same_state(t.net.submit(1, "again").position + 1);
}

// A snapshot that a node took before it found out that its application differs is not certified.
TEST(RunningSnapshots, OneThatNobodyCertifiedIsNotRestored) {
  Taking t;
  for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(t.net.start(i, t.options()), "");
  ASSERT_EQ(t.net.start(3, t.options(), [](Recorder& app) { app.remember_wrongly_at(2); }), "");
  std::uint64_t length = 0;
  for (int k = 0; k < 400 && !t.net.ended(3); ++k) length = t.net.submit(0, "entry").position + 1;
  EXPECT_NE(t.net.ending(3).find("another state"), std::string::npos);
  t.net.stop(3);
  ASSERT_EQ(t.net.start(3, t.options()), "") << "mended";
  EXPECT_TRUE(t.net.reaches(3, length));
  t.net.expect_same_state(t.net.submit(3, "mended").position + 1);
}

// Such nodes took snapshots that no other could use, pruned their logs, and said nothing.
TEST(RunningSnapshots, ThoseThatNobodyCanTakeOverAreTold) {
  Taking t;
  for (std::uint8_t i = 0; i < 4; ++i)
    ASSERT_EQ(t.net.start(i, t.options(), [i](Recorder& app) { app.freeze_with(i); }), "");
  EXPECT_TRUE(Network::eventually([&] {
    t.net.submit(0, "entry");
    const std::lock_guard lock(t.mutex);
    return std::ranges::any_of(t.warnings, [](const std::string& line) {
      return line.find("has other bytes than those that") != std::string::npos;
    });
  }));
}

/// Restores something else than it froze.
TEST(RunningSnapshots, AnApplicationThatRestoresAnotherStateIsToldSo) {
  Taking t;
  (void)t.run();
  t.crash();
  const std::string why = t.net.start(3, t.options(), [](Recorder& app) { app.restore_wrongly(); });
  EXPECT_NE(why.find("freeze() and restore()"), std::string::npos) << why;
}

// It went on with what it had open, and made new files in a new folder where the old one was.
TEST(RunningSnapshots, ANodeWhoseDataAreMovedAwayStopsAndMakesNoNewOnes) {
  Network net(4, "thresher", {{"checkpoint", "4"}});
  NodeOptions options;
  options.snapshot_checkpoints = 1;
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i, options), "");
  net.submit(3, "before");
  const std::string data = net.home(3) + "/data";
  std::filesystem::rename(data, data + "-moved");
  for (int k = 0; k < 40 && !net.ended(3); ++k) net.submit(0, "more");
  const std::string why = net.ending(3);
  EXPECT_NE(why.find("nothing more was signed"), std::string::npos) << why;
  EXPECT_NE(why.find("was moved, removed or replaced"), std::string::npos) << why;
  net.stop(3);
  EXPECT_FALSE(std::filesystem::exists(data));
  std::filesystem::rename(data + "-moved", data);
  ASSERT_EQ(net.start(3, options), "");
  EXPECT_TRUE(net.reaches(3, net.submit(3, "after").position + 1));
}

}  // namespace
}  // namespace thresher::net
