// Copies of a log whose front is given back: before the copy, and while it is made.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "thresher/core/transcript.hpp"
#include "thresher/crypto/signing_key.hpp"
#include "thresher/net/backup.hpp"
#include "thresher/net/disk_store.hpp"
#include "thresher/net/genesis.hpp"

namespace thresher::net {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kBlocks = 1;  // of the protocol, with bodies
constexpr std::uint32_t kLast = 2;    // of the protocol: one record, the newest number
constexpr std::uint32_t kLeading = 101;
constexpr std::size_t kBody = 100'000;

Bytes number(std::uint64_t n) {
  return Bytes::from(Writer().u64(n).take());
}

/// A node's folder with nothing but records of its protocol.
class BackupPruned : public testing::Test {
 protected:
  void SetUp() override {
    home_ =
        fs::temp_directory_path() / ("thresher-backup-" + std::to_string(::getpid()) + "-" +
                                     testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(home_);
    fs::create_directories(home_);
    Genesis genesis;
    genesis.f = 1;
    genesis.chain = "backup";
    genesis.protocol = "thresher";
    for (std::uint16_t i = 0; i < 4; ++i)
      genesis.nodes.push_back({crypto::SigningKey::generate().public_key(), "127.0.0.1",
                               static_cast<std::uint16_t>(20000 + i)});
    options_.home = home_.string();
    options_.genesis = (home_ / "genesis.json").string();
    ASSERT_TRUE(save_genesis(genesis, options_.genesis));
  }
  void TearDown() override { fs::remove_all(home_); }

  std::unique_ptr<DiskStore> open(std::uint64_t segment) const {
    auto store = DiskStore::open((home_ / "data").string(), [](const std::string&) {}, segment);
    EXPECT_TRUE(store) << store.error();
    return store ? std::move(*store) : nullptr;
  }
  /// Block `n`, as the last one of so many that the protocol keeps.
  static void write(DiskStore& store, std::uint64_t n, std::uint64_t kept) {
    const Bytes body = Bytes::copy_of(as_view(std::string(kBody, 'b')));
    std::vector<Persist> batch{{kBlocks, number(n), number(n), body, true},
                               {kLast, number(0), number(n), {}, true}};
    if (n >= kept) batch.push_back({kBlocks, number(n - kept), {}, {}, true});
    ASSERT_TRUE(store.write(batch, Sync::kYes));
  }
  static void release(DiskStore& store) {
    const auto named = [](std::uint32_t, ByteView, ByteView) { return std::nullopt; };
    ASSERT_TRUE(store.release(named, kLeading));
  }
  std::string destination() const { return home_.string() + "-copy"; }

  /// The copy has what the protocol had at one moment.
  void expect_whole(std::uint64_t kept) {
    const auto copy = back_up(options_, destination());
    ASSERT_TRUE(copy) << copy.error();
    {
      const auto store = DiskStore::open(destination() + "/data", [](const std::string&) {});
      ASSERT_TRUE(store) << store.error();
      std::set<std::uint64_t> blocks;
      std::optional<std::uint64_t> last;
      ASSERT_TRUE((*store)->replay([&](const Restored& r) {
        if (r.table == kBlocks) blocks.insert(Reader(r.value.view()).u64());
        if (r.table == kLast) last = Reader(r.value.view()).u64();
      }));
      ASSERT_TRUE(last) << "the newest number is in no part of the copy";
      std::set<std::uint64_t> missing;
      for (std::uint64_t k = 0; k < kept; ++k) {
        if (!blocks.contains(*last - k)) missing.insert(*last - k);
      }
      EXPECT_EQ(blocks.size(), kept)
          << "of those up to " << *last << " there are not " << testing::PrintToString(missing);
      EXPECT_TRUE(blocks.contains(*last));
    }
    fs::remove_all(destination());
  }

  fs::path home_;
  NodeOptions options_;
};

// The first file is given back only when all of it may go, and until then the log begins in it.
TEST_F(BackupPruned, ALogThatBeginsInItsFirstFileIsCopied) {
  constexpr std::uint64_t kSegment = 8u << 20;
  constexpr std::uint64_t kKept = 70;
  const auto store = open(kSegment);
  for (std::uint64_t n = 0; n < 2 * kKept; ++n) write(*store, n, kKept);
  release(*store);
  ASSERT_GT(store->released(), 0u);
  ASSERT_LT(store->released(), kSegment);
  expect_whole(kKept);
}

// What it no longer needed, and what replaced something, was in neither part of the copy.
TEST_F(BackupPruned, NothingIsMissingOfANodeThatPrunesMeanwhile) {
  constexpr std::uint64_t kKept = 80;
  const auto store = open(1u << 20);
  std::atomic<std::uint64_t> next{0};
  const auto write_one = [&] { write(*store, next++, kKept); };
  while (next < 2 * kKept) write_one();
  // Blocks that may still be written: with more than are kept nothing of what is being copied would
  // be left where copying takes long.
  std::atomic<std::uint64_t> left{0};
  std::atomic<bool> ends{false};
  std::thread writer([&] {
    while (!ends) {
      if (left > 0) {
        write_one();
        --left;
      }
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
  });
  std::thread pruner([&] {
    while (!ends) {
      release(*store);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  });
  for (int k = 0; k < 8 && !HasFailure(); ++k) {
    left = kKept / 4;
    expect_whole(kKept);
  }
  ends = true;
  writer.join();
  pruner.join();
}

}  // namespace
}  // namespace thresher::net
