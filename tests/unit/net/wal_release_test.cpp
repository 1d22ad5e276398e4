// The front of a write-ahead log is given back to the disk: what has to stay stays, whatever
// interrupts it.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "store/wal_scan.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/net/disk_store.hpp"
#include "thresher/net/node.hpp"

namespace thresher::net {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSegment = 1u << 20;
constexpr std::size_t kBody = 100'000;
constexpr std::uint32_t kBlocks = 1;     // of the protocol, with bodies
constexpr std::uint32_t kVotes = 2;      // of the protocol, without
constexpr std::uint32_t kLeading = 101;  // of the host: where its data begin
constexpr std::uint32_t kEntries = 100;  // of the host: values name bodies of erased blocks

Bytes bytes(const std::string& text) {
  return Bytes::copy_of(as_view(text));
}
std::string text(ByteView view) {
  return std::string(as_text(view));
}
Bytes number(std::uint64_t n) {
  return Bytes::from(Writer().u64(n).take());
}
Bytes body_of(std::uint64_t n) {
  return bytes(std::string(kBody, static_cast<char>('a' + n % 26)));
}

/// Bytes that the files of a folder's log take on the disk.
std::uint64_t on_disk(const fs::path& folder) {
  std::uint64_t sum = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    struct stat info {};
    if (entry.is_regular_file() && ::stat(entry.path().c_str(), &info) == 0)
      sum += static_cast<std::uint64_t>(info.st_blocks) * 512;
  }
  return sum;
}

std::optional<std::uint64_t> named(std::uint32_t table, ByteView, ByteView value) {
  if (table != kEntries) return std::nullopt;
  Reader in(value);
  return in.u64();
}

class WalRelease : public testing::Test {
 protected:
  void SetUp() override {
    root_ =
        fs::temp_directory_path() / ("thresher-release-" + std::to_string(::getpid()) + "-" +
                                     testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(root_);
    fs::create_directories(root_);
    folder_ = root_ / "data";
  }
  void TearDown() override { fs::remove_all(root_); }

  std::unique_ptr<DiskStore> open() {
    auto store = DiskStore::open(
        folder_.string(), [this](const std::string& line) { warnings_.push_back(line); }, kSegment);
    EXPECT_TRUE(store) << store.error();
    return store ? std::move(*store) : nullptr;
  }
  std::string refused() const {
    const auto store = DiskStore::open(
        folder_.string(), [](const std::string&) {}, kSegment);
    return store ? std::string() : store.error().text();
  }

  /// Blocks with bodies of 100 kB and an entry that names each, a vote in front and one in between;
  /// then all that the first `gone` need is erased but for the votes.
  void fill(DiskStore& store, std::uint64_t count, std::uint64_t gone) {
    ASSERT_TRUE(
        store.write(std::vector<Persist>{{kVotes, bytes("first"), bytes("vote"), {}}}, true));
    for (std::uint64_t n = 0; n < count; ++n) {
      std::vector<Persist> batch{{kBlocks, number(n), bytes("header"), body_of(n)}};
      if (n == 7) batch.push_back({kVotes, bytes("seventh"), bytes("vote"), {}});
      batch.push_back({kEntries, number(n), number(0), {}});
      batch.back().value = number(store.places_of(batch).front().offset);
      ASSERT_TRUE(store.write(batch, true));
    }
    std::vector<Persist> erasures;
    for (std::uint64_t n = 0; n < count; ++n) erasures.push_back({kBlocks, number(n), {}, {}});
    for (std::uint64_t n = 0; n < gone; ++n) erasures.push_back({kEntries, number(n), {}, {}});
    ASSERT_TRUE(store.write(erasures, true));
  }
  /// All that a node reads of it at a start, a line a record.
  static std::vector<std::string> content(const DiskStore& store) {
    std::vector<std::string> out;
    EXPECT_TRUE(store.replay([&](const Restored& r) {
      out.push_back(std::to_string(r.table) + " " + text(r.key.view()) + "=" +
                    text(r.value.view()));
    }));
    EXPECT_TRUE(store.scan(kEntries, {}, [&](ByteView key, ByteView value) {
      Reader in(value);
      const auto body = store.read_body({in.u64(), kBody});
      Reader of(key);
      const std::uint64_t n = of.u64();
      EXPECT_TRUE(body && *body == body_of(n)) << "the body of entry " << n;
      out.push_back("entry " + std::to_string(n));
      return true;
    }));
    return out;
  }

  fs::path root_;
  fs::path folder_;
  std::vector<std::string> warnings_;
};

TEST_F(WalRelease, ALogOfManyFilesIsOneLog) {
  std::vector<std::string> expected;
  {
    const auto store = open();
    fill(*store, 60, 0);
    expected = content(*store);
  }
  EXPECT_GE(std::distance(fs::directory_iterator(folder_), {}), 7) << "files of a MiB";
  ASSERT_EQ(content(*open()), expected);
  fs::remove_all(folder_ / "index");
  EXPECT_EQ(content(*open()), expected) << "the index is made again from all files";
}

TEST_F(WalRelease, TheFrontIsGivenBackAndWhatIsNeededStays) {
  std::vector<std::string> expected;
  {
    const auto store = open();
    fill(*store, 100, 80);
    const std::uint64_t before = on_disk(folder_);
    ASSERT_GT(before, 9 * kSegment);
    expected = content(*store);
    ASSERT_TRUE(store->release(&named, kLeading));
    EXPECT_GT(store->released(), 5 * kSegment);
    EXPECT_LE(store->released(), 80 * (kBody + 4096)) << "the body of entry 80 is needed";
    EXPECT_LT(on_disk(folder_), before - 5 * kSegment) << "what the disk itself says";
    EXPECT_EQ(content(*store), expected);
    ASSERT_TRUE(store->release(&named, kLeading)) << "nothing more to give";
  }
  EXPECT_EQ(content(*open()), expected);
  EXPECT_TRUE(warnings_.empty()) << warnings_.front();
  fs::remove_all(folder_ / "index");
  const auto again = open();
  EXPECT_EQ(content(*again), expected) << "in the order in which it was written";
  EXPECT_GT(again->released(), 5 * kSegment);
  // It goes on: more is written, and given back again.
  fill(*again, 40, 20);
  EXPECT_TRUE(again->release(&named, kLeading));
}

// What replaced it went with the kill, and it went with the front: neither was left.
TEST_F(WalRelease, WhatWasReplacedWithoutASyncIsThereAfterAKill) {
  {
    const auto store = open();
    fill(*store, 60, 50);
    const std::vector<Persist> vote{{kVotes, bytes("first"), bytes("another"), {}}};
    ASSERT_TRUE(store->write(vote, false));
    ASSERT_TRUE(store->release(&named, kLeading));
    EXPECT_GT(store->released(), 0u);
    // Its files alone: the index removes some of its own meanwhile, and is made again.
    fs::copy(folder_, root_ / "killed");
  }
  fs::remove_all(folder_);
  fs::rename(root_ / "killed", folder_);
  const auto found = content(*open());
  EXPECT_NE(std::ranges::find(found, "2 first=vote"), found.end());
}

TEST_F(WalRelease, WhatEntriesNameIsNotGivenBack) {
  const auto store = open();
  fill(*store, 60, 0);
  ASSERT_TRUE(store->release(&named, kLeading));
  EXPECT_LT(store->released(), 2 * kBody) << "the first entry names the first body";
  EXPECT_EQ(content(*store).size(), 62u);
}

// A release writes what stays, then removes one file after the other. Whatever it was interrupted
// at, a start finds all and removes the rest.
TEST_F(WalRelease, AKillAtAnyStepLosesNothing) {
  std::vector<std::string> expected;
  {
    const auto store = open();
    fill(*store, 100, 80);
    expected = content(*store);
  }
  const fs::path before = root_ / "before", after = root_ / "after";
  fs::copy(folder_, before, fs::copy_options::recursive);
  {
    const auto store = open();
    ASSERT_TRUE(store->release(&named, kLeading));
    ASSERT_GT(store->released(), 0u);
    fs::copy(folder_, after, fs::copy_options::recursive);
  }
  std::vector<fs::path> removed{"wal"};  // cut to its head, first
  std::vector<std::pair<std::uint64_t, fs::path>> others;
  for (const auto& entry : fs::directory_iterator(before)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("wal.") && !fs::exists(after / name))
      others.emplace_back(std::stoull(name.substr(4)), name);
  }
  std::ranges::sort(others);
  for (const auto& [at, name] : others) removed.push_back(name);
  ASSERT_GE(removed.size(), 5u);
  for (std::size_t steps = 0; steps <= removed.size(); ++steps) {
    for (const bool with_index : {true, false}) {
      fs::remove_all(folder_);
      fs::copy(before, folder_, fs::copy_options::recursive);
      fs::copy(after / "wal.base", folder_ / "wal.base");
      std::ofstream(folder_ / "wal.base.new") << "half";
      for (std::size_t k = 0; k < steps; ++k) {
        fs::remove(folder_ / removed[k]);
        if (fs::exists(after / removed[k])) fs::copy(after / removed[k], folder_ / removed[k]);
      }
      if (!with_index) fs::remove_all(folder_ / "index");
      const auto store = open();
      ASSERT_NE(store, nullptr) << steps;
      EXPECT_EQ(content(*store), expected) << steps;
      EXPECT_FALSE(fs::exists(folder_ / removed.back())) << "a start ends what was begun";
      EXPECT_EQ(fs::file_size(folder_ / "wal"), 4096u);
    }
  }
}

TEST_F(WalRelease, ADamagedOrForeignBeginningIsRefused) {
  {
    const auto store = open();
    fill(*store, 60, 50);
    ASSERT_TRUE(store->release(&named, kLeading));
    ASSERT_GT(store->released(), 0u);
  }
  const fs::path base = folder_ / "wal.base";
  for (const std::uintmax_t at :
       {std::uintmax_t{0}, fs::file_size(base) / 2, fs::file_size(base) - 1}) {
    fs::copy(base, root_ / "good", fs::copy_options::overwrite_existing);
    {
      std::fstream file(base, std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(static_cast<std::streamoff>(at));
      const char c = static_cast<char>(file.get() ^ 1);
      file.seekp(static_cast<std::streamoff>(at));
      file.put(c);
    }
    EXPECT_NE(refused().find("says where the log begins"), std::string::npos) << at;
    fs::copy(root_ / "good", base, fs::copy_options::overwrite_existing);
  }
  EXPECT_EQ(refused(), "");
  fs::remove(base);
  EXPECT_NE(refused().find("is gone"), std::string::npos) << refused();
}

// The message named the first file, which was whole, and said nothing of what to do.
TEST_F(WalRelease, AFileThatIsMissingOrShortInTheMiddleIsNamed) {
  {
    const auto store = open();
    fill(*store, 60, 0);
  }
  fs::remove_all(folder_ / "index");
  const auto expect_named = [this](const std::string& file) {
    const std::string why = refused();
    EXPECT_NE(why.find("/" + file + "' was cut short"), std::string::npos) << why;
    EXPECT_NE(why.find("Put it back"), std::string::npos) << why;
    EXPECT_NE(why.find("--observe"), std::string::npos) << why;
    return why;
  };
  const fs::path third = folder_ / ("wal." + std::to_string(2 * kSegment));
  fs::resize_file(third, kSegment / 2);
  expect_named(third.filename().string());
  fs::resize_file(third, 0);
  EXPECT_EQ(expect_named(third.filename().string()).find("is gone"), std::string::npos);
  fs::remove(third);
  const std::string why = expect_named("wal." + std::to_string(kSegment));
  EXPECT_NE(why.find("or '" + third.string() + "' is gone"), std::string::npos) << why;
}

// Its message named 'wal.', the files' common beginning.
TEST_F(WalRelease, AFileThatIsMissingBehindWhatWasGivenBackIsToldOf) {
  std::vector<std::string> files;
  {
    const auto store = open();
    fill(*store, 60, 50);
    ASSERT_TRUE(store->release(&named, kLeading));
    ASSERT_GT(store->released(), 0u);
  }
  for (const auto& file : fs::directory_iterator(folder_)) {
    const std::string name = file.path().filename().string();
    if (name.starts_with("wal.") && name != "wal.base") files.push_back(name);
  }
  ASSERT_GT(files.size(), 1u);
  fs::remove(folder_ / *std::ranges::min_element(files, {}, [](const std::string& name) {
               return std::stoull(name.substr(4));
             }));
  fs::remove_all(folder_ / "index");
  const std::string why = refused();
  EXPECT_NE(why.find("the file behind '" + (folder_ / "wal").string() + "' is gone"),
            std::string::npos)
      << why;
}

// The message said what RocksDB said, and not that nothing is lost with the index.
TEST_F(WalRelease, AnIndexThatCannotBeOpenedIsSaidToBeMadeAgain) {
  std::vector<std::string> expected;
  {
    const auto store = open();
    fill(*store, 20, 5);
    expected = content(*store);
  }
  const fs::path index = folder_ / "index";
  fs::remove(index / "LOCK");
  fs::create_directory(index / "LOCK");
  EXPECT_NE(refused().find("move 'index' away: it is made again"), std::string::npos) << refused();
  fs::remove_all(index);
  std::ofstream(index) << "a file";
  EXPECT_NE(refused().find("move 'index' away: it is made again"), std::string::npos) << refused();
  fs::rename(index, root_ / "away");
  EXPECT_EQ(content(*open()), expected);
}

TEST_F(WalRelease, WhereALogBeginsIsCheckedWithoutANode) {
  NodeOptions options;
  options.home = root_.string();
  options.data = folder_.string();
  EXPECT_TRUE(check_log(options)) << "there is none yet";
  {
    const auto store = open();
    fill(*store, 60, 50);
    EXPECT_TRUE(check_log(options)) << "of a node that runs, too";
    ASSERT_TRUE(store->release(&named, kLeading));
  }
  EXPECT_TRUE(check_log(options));
  const fs::path base = folder_ / "wal.base";
  const fs::path good = root_ / "good";
  fs::copy(base, good);
  fs::resize_file(base, fs::file_size(base) - 1);
  EXPECT_EQ(check_log(options).error().where, base.string());
  fs::remove(base);
  EXPECT_EQ(check_log(options).error().where, base.string());
  fs::copy(good, base);
  EXPECT_TRUE(check_log(options));
  fs::remove(folder_ / "wal");
  EXPECT_NE(check_log(options).error().what.find("the first file of the log"), std::string::npos);
  options.store = StoreKind::kMemory;
  EXPECT_TRUE(check_log(options));
}

TEST_F(WalRelease, WhatLeadsIsReadBeforeTheRest) {
  {
    const auto store = open();
    fill(*store, 60, 50);
    ASSERT_TRUE(
        store->write(std::vector<Persist>{{kLeading, bytes("begin"), bytes("50"), {}}}, true));
    ASSERT_TRUE(store->release(&named, kLeading));
    ASSERT_GT(store->released(), 0u);
  }
  WalScan scan;
  ASSERT_TRUE(scan.open((folder_ / "wal").string()));
  std::vector<std::uint32_t> tables;
  ASSERT_TRUE(scan.read({}, [&](const WalFrame& frame) {
    for (const WalRecord& r : frame.records) tables.push_back(r.table);
    return true;
  }));
  ASSERT_FALSE(tables.empty());
  EXPECT_EQ(tables.front(), kLeading);
  EXPECT_EQ(std::ranges::count(tables, kLeading), 2) << "and where it was written";
}

// The disk is looked through from where the log begins now.
TEST_F(WalRelease, TheRestOfTheLogIsCheckedAsBefore) {
  const auto store = open();
  fill(*store, 60, 40);
  ASSERT_TRUE(store->release(&named, kLeading));
  WalScan scan;
  ASSERT_TRUE(scan.open((folder_ / "wal").string()));
  EXPECT_EQ(scan.begin().offset, store->released());
  const auto found = scan.check(store->written(), ~std::uint64_t{0} >> 1);
  EXPECT_FALSE(found.problem);
  EXPECT_TRUE(found.damaged.empty());
  EXPECT_TRUE(found.done);
}

}  // namespace
}  // namespace thresher::net
