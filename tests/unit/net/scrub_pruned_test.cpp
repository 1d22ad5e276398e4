// A log whose front is given back while it is read from the front: what is gone is not damaged.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ledger/log_reader.hpp"
#include "store/scrubber.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/net/disk_store.hpp"

namespace thresher::net {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr std::uint32_t kBlocks = 1;
constexpr std::uint32_t kLeading = 101;
constexpr std::uint64_t kSegment = 1u << 20;
constexpr std::uint64_t kMiB = 32;  // of log: the scrubber takes half a second

Bytes number(std::uint64_t n) {
  return Bytes::from(Writer().u64(n).take());
}

/// A log of which nothing is needed but its last record.
class ScrubPruned : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("thresher-scrub-" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    auto store = DiskStore::open(
        path("data"), [](const std::string&) {}, kSegment);
    ASSERT_TRUE(store) << store.error();
    store_ = std::move(*store);
    const Bytes body = Bytes::copy_of(as_view(std::string(kSegment / 8, 'b')));
    for (std::uint64_t n = 0; n < 8 * kMiB; ++n) {
      std::vector<Persist> batch{{kBlocks, number(n), number(n), body, true}};
      if (n > 0) batch.push_back({kBlocks, number(n - 1), {}, {}, true});
      ASSERT_TRUE(store_->write(batch, n % 64 == 63 ? Sync::kYes : Sync::kNo));
    }
  }
  void TearDown() override {
    store_ = nullptr;
    fs::remove_all(folder_);
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  Result<Unit, Error> release() {
    return store_->release([](std::uint32_t, ByteView, ByteView) { return std::nullopt; },
                           kLeading);
  }
  /// The files of the log behind its first one, in order.
  std::vector<fs::path> segments() const {
    std::vector<fs::path> out;
    for (const auto& entry : fs::directory_iterator(path("data"))) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("wal.") && name != "wal.base") out.push_back(entry.path());
    }
    std::ranges::sort(out, {}, [](const fs::path& file) {
      return std::stoull(file.extension().string().substr(1));  // where it begins
    });
    return out;
  }

  fs::path folder_;
  std::unique_ptr<DiskStore> store_;
};

// The new beginning was told when all files were gone, and who met the hole before took it for
// damage: nodes stopped, and were told to move their data away. One of the files cannot be removed
// here, so that the release ends in the middle.
TEST_F(ScrubPruned, WhoMeetsTheHoleKnowsThatItIsOne) {
  const auto files = segments();
  ASSERT_GT(files.size(), 20u);
  std::atomic<bool> failed = false;
  std::string why;
  const LogReader reader(*store_, LogForm{});
  {
    const Scrubber scrub(path("data/wal"), reader,
                         {[&] { return store_->written(); }, [&] { return store_->released(); },
                          [](const LogEntry&) {},
                          [&](const Error& e) {
                            why = e.what;
                            failed = true;
                          }});
    std::this_thread::sleep_for(50ms);
    const fs::path& kept = files[files.size() / 2];
    fs::remove(kept);
    fs::create_directories(kept / "not empty");
    EXPECT_FALSE(release());
    EXPECT_FALSE(fs::exists(files.front()));
    EXPECT_GT(store_->released(), kMiB / 2 * kSegment);
    for (int k = 0; k < 10 && !failed; ++k) std::this_thread::sleep_for(50ms);
  }
  EXPECT_FALSE(failed) << why;
}

}  // namespace
}  // namespace thresher::net
