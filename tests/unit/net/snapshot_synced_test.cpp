// Which folders are synced where a snapshot gets its name: a crash of the machine loses the names
// of files whose folder was not, though their content is on the disk. fsync() is that of this file
// here.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <mutex>
#include <set>
#include <string>

#include "life/snapshot_incoming.hpp"

namespace {

std::mutex mutex;
std::set<std::string>* synced = nullptr;  // their paths; null: nobody looks

}  // namespace

extern "C" int fsync(int file) {
  {
    const std::lock_guard lock(mutex);
    std::error_code error;
    if (synced != nullptr)
      synced->insert(
          std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(file), error).string());
  }
  return static_cast<int>(::syscall(SYS_fsync, file));
}

namespace thresher::net {
namespace {

namespace fs = std::filesystem;

class SyncedSnapshots : public testing::Test {
 protected:
  SyncedSnapshots() {
    fs::remove_all(data_);
    fs::create_directories(data_);
    data_ = fs::canonical(data_);
    const std::lock_guard lock(mutex);
    synced = &paths_;
  }
  ~SyncedSnapshots() override {
    {
      const std::lock_guard lock(mutex);
      synced = nullptr;
    }
    fs::remove_all(data_);
  }
  bool was_synced(const std::string& path) const { return paths_.contains(path); }

  fs::path data_ = fs::temp_directory_path() / ("thresher-synced-" + std::to_string(::getpid()));
  std::set<std::string> paths_;
};

TEST_F(SyncedSnapshots, OneOfPeersIsDurableWithAllItsNames) {
  const SnapshotFolder folder(data_.string());
  Manifest manifest;
  manifest.checkpoint = {Round{7}, 70, hash({}), hash({}), hash({})};
  const auto in = IncomingSnapshot::open(folder, manifest);
  ASSERT_TRUE(in);
  EXPECT_TRUE(was_synced(data_.string())) << "it has the name of `snapshots`";
  paths_.clear();
  ASSERT_TRUE(in->missing().empty());
  ASSERT_TRUE(in->finish());
  EXPECT_TRUE(was_synced(folder.path_of(Round{7}) + SnapshotFolder::kIncoming))
      << "it has the names of `state` and `ledger`";
  EXPECT_TRUE(was_synced(folder.path()));
}

TEST_F(SyncedSnapshots, AnOwnOneIsDurableWithAllItsNames) {
  const SnapshotFolder folder(data_.string());
  const auto file = folder.begin(Round{7});
  ASSERT_TRUE(file);
  EXPECT_TRUE(was_synced(data_.string()));
  const std::string own = "own";
  ASSERT_TRUE(file->append(as_view("state")));
  ASSERT_TRUE(file->finish({Round{7}, 70, hash({}), hash({}), hash({})}, as_view(own)));
  EXPECT_TRUE(was_synced(folder.path_of(Round{7}) + ".partial"));
  EXPECT_TRUE(was_synced(folder.path()));
}

}  // namespace
}  // namespace thresher::net
