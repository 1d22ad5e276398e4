// The write-ahead log and the store over it: what a power cut, a kill and a damaged disk leave.
#include "wal.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>

#include "thresher/net/disk_store.hpp"

namespace thresher::net {
namespace {

namespace fs = std::filesystem;

Bytes bytes(const std::string& text) {
  return Bytes::copy_of(as_view(text));
}
std::string text(ByteView v) {
  return {reinterpret_cast<const char*>(v.data()), v.size()};
}

class Wal : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::temp_directory_path() / ("thresher-wal-" + std::to_string(::getpid()) + "-" +
                                     testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path() const { return (folder_ / "wal").string(); }

  /// What a log gives back from its start, a line a record; the error if it is refused.
  std::string read(std::vector<std::string>& lines) const {
    WriteAheadLog wal;
    return wal.open(path(), {}, [&](const WalFrame& f) {
      for (const WalRecord& r : f.records) lines.push_back(text(r.key) + "=" + text(r.value));
      return true;
    });
  }
  std::vector<std::string> lines() const {
    std::vector<std::string> out;
    EXPECT_EQ(read(out), "");
    return out;
  }

  std::string at_place(std::uint64_t at) const {
    std::ifstream file(path(), std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    return std::string(1, static_cast<char>(file.get()));
  }
  void overwrite(std::uint64_t at, const std::string& with) const {
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at));
    file.write(with.data(), static_cast<std::streamsize>(with.size()));
    ASSERT_TRUE(file.good());
  }

  fs::path folder_;
};

/// Adds one record and returns where the log ends then.
std::uint64_t add(WriteAheadLog& wal, const std::string& key, bool sync, std::size_t body = 0) {
  std::vector<BodyPlace> places;
  const std::vector<Persist> batch{
      {1, bytes(key), bytes("v" + key), bytes(std::string(body, 'b'))}};
  wal.append(batch, places);
  EXPECT_TRUE(wal.flush(sync)) << wal.problem();
  return wal.end().offset;
}

bool ignore(const WalFrame&) {
  return true;
}

TEST_F(Wal, WhatWasWrittenComesBackAfterAnyNumberOfOpenings) {
  std::mt19937 random(7);
  std::vector<std::string> expected;
  WalPlace end;
  for (int life = 0; life < 12; ++life) {
    WriteAheadLog wal;
    ASSERT_EQ(wal.open(path(), end, ignore), "");
    for (int k = 0; k < 20; ++k) {
      const std::string key = std::to_string(life) + "-" + std::to_string(k);
      // Sizes around a block, around what is filled ahead, and far over it.
      const std::size_t sizes[] = {0, 1, 4000, 4096, 65'000, 300'000};
      add(wal, key, random() % 2 == 0, sizes[random() % 6]);
      expected.push_back(key + "=v" + key);
    }
    end = wal.end();
  }
  EXPECT_EQ(lines(), expected);
}

TEST_F(Wal, BodiesAreReadWhereTheyLie) {
  WriteAheadLog wal;
  ASSERT_EQ(wal.open(path(), {}, ignore), "");
  std::vector<BodyPlace> places;
  const std::vector<Persist> batch{{1, bytes("a"), bytes("v"), bytes("first body")},
                                   {1, bytes("b"), bytes("v"), {}},
                                   {1, bytes("c"), bytes("v"), bytes(std::string(100'000, 'x'))}};
  wal.append(batch, places);
  ASSERT_TRUE(wal.flush(false));
  ASSERT_EQ(places.size(), 3u);
  EXPECT_EQ(text(wal.read_body(places[0])->view()), "first body");
  EXPECT_EQ(wal.read_body(places[1])->size(), 0u);
  EXPECT_EQ(text(wal.read_body(places[2])->view()), std::string(100'000, 'x'));
  EXPECT_EQ(wal.read_body({wal.end().offset + (1u << 30), 5}).error(), Errc::kCorrupt);
}

// Reading its end at a start leaves nothing behind that hides what is written there afterwards.
TEST_F(Wal, WhatIsWrittenAfterAStartIsReadAsItIs) {
  for (int life = 0; life < 3; ++life) {
    WriteAheadLog wal;
    ASSERT_EQ(wal.open(path(), {}, ignore), "");
    std::vector<BodyPlace> places;
    for (int k = 0; k < 3; ++k) {
      const std::vector<Persist> batch{{1, bytes("k"), bytes("v"), bytes(std::string(50, 'x'))}};
      wal.append(batch, places);
      ASSERT_TRUE(wal.flush(true));
      EXPECT_EQ(text(wal.read_body(places.back())->view()), std::string(50, 'x')) << life;
    }
  }
}

// Whatever part of the last, unsynced frame reached the disk: it is gone, all before it is there,
// and what is written afterwards is not followed by what the cut left over.
TEST_F(Wal, AFrameThatWasCutOffEndsTheLog) {
  std::uint64_t first = 0;
  {
    WriteAheadLog wal;
    ASSERT_EQ(wal.open(path(), {}, ignore), "");
    first = add(wal, "a", true);
    add(wal, "b", false);
    add(wal, "c", false);
  }
  for (const std::uint64_t at : {first, first + 20, first + 50, first + 70}) {
    const fs::path whole = folder_ / "whole";
    fs::copy_file(path(), whole, fs::copy_options::overwrite_existing);
    overwrite(at, std::string(2, '\xee'));
    EXPECT_EQ(lines(), std::vector<std::string>{"a=va"}) << at;
    {
      WriteAheadLog wal;
      WalPlace end;
      ASSERT_EQ(wal.open(path(), {},
                         [&](const WalFrame& f) {
                           end = f.end;
                           return true;
                         }),
                "");
      EXPECT_EQ(wal.end().offset, first);
      add(wal, "d", true);  // as long as "b" was: "c" lies right behind it
    }
    EXPECT_EQ(lines(), (std::vector<std::string>{"a=va", "d=vd"})) << at;
    fs::rename(whole, path());
  }
}

// A frame that later ones call durable is not what it was: an end there would be forgetting.
TEST_F(Wal, ADurableFrameThatIsDamagedIsRefused) {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  {
    WriteAheadLog wal;
    ASSERT_EQ(wal.open(path(), {}, ignore), "");
    first = add(wal, "a", true);
    second = add(wal, "b", true, 2'000'000);
    add(wal, "c", true);
  }
  for (const std::uint64_t at : {std::uint64_t{2}, first + 2, first + 41, first + 60, second - 9}) {
    const std::string was = at_place(at);
    overwrite(at, std::string(1, '\xee'));
    std::vector<std::string> before;
    const std::string why = read(before);
    EXPECT_NE(why.find("is damaged at byte " + std::to_string(at < first ? 0 : first)),
              std::string::npos)
        << at << ": " << why;
    EXPECT_NE(why.find("restore the folder"), std::string::npos) << why;
    overwrite(at, was);
  }
}

TEST_F(Wal, AFileThatIsTooShortOrCannotBeOpenedIsRefused) {
  WriteAheadLog wal;
  const std::string why = wal.open(path(), {1'000'000, 3, 0}, ignore);
  EXPECT_NE(why.find("is shorter than the index says"), std::string::npos) << why;
  fs::create_directories(folder_ / "in the way");
  WriteAheadLog other;
  const std::string blocked = other.open((folder_ / "in the way").string(), {}, ignore);
  EXPECT_NE(blocked.find("cannot open"), std::string::npos) << blocked;
}

// One sync makes a batch durable, also one that unsynced ones came before.
TEST_F(Wal, CountsItsSyncs) {
  WriteAheadLog wal;
  ASSERT_EQ(wal.open(path(), {}, ignore), "");
  add(wal, "a", true);
  EXPECT_EQ(wal.syncs(), 1u);
  add(wal, "b", false, 10);
  add(wal, "c", true);
  EXPECT_EQ(wal.syncs(), 2u);
  ASSERT_TRUE(wal.flush(true));
  EXPECT_EQ(wal.syncs(), 2u) << "nothing was left to sync";
}

/// The records of a store by key, with their bodies.
std::map<std::string, std::string> content(const DiskStore& store) {
  std::map<std::string, std::string> out;
  EXPECT_TRUE(store.replay([&](const Restored& r) {
    const auto place = store.locate(r.table, r.key.view());
    ASSERT_TRUE(place);
    out[text(r.key.view())] = text(r.value.view()) + text(store.read_body(*place)->view());
  }));
  return out;
}

// A process that is killed has not closed its index: it is made again from the log, with what was
// erased and replaced.
TEST_F(Wal, AKilledStoreIsMadeAgainFromItsLog) {
  const std::string data = (folder_ / "data").string();
  const std::string left = (folder_ / "left by a kill").string();
  {
    const auto store = DiskStore::open(data);
    ASSERT_TRUE(store) << store.error();
    for (int i = 0; i < 200; ++i) {
      const std::string key = "k" + std::to_string(i % 50);
      const bool erase = i % 7 == 0;
      const std::vector<Persist> batch{
          {1, bytes(key), erase ? Bytes{} : bytes("v" + std::to_string(i) + ":"),
           erase ? Bytes{} : bytes(std::string(static_cast<std::size_t>(i) * 10, 'b'))}};
      ASSERT_TRUE((*store)->write(batch, i % 3 == 0 || i == 199));
    }
    fs::copy(data, left, fs::copy_options::recursive);
  }
  std::map<std::string, std::string> expected;
  for (int i = 0; i < 200; ++i) {
    const std::string key = "k" + std::to_string(i % 50);
    if (i % 7 == 0) {
      expected.erase(key);
    } else {
      expected[key] =
          "v" + std::to_string(i) + ":" + std::string(static_cast<std::size_t>(i) * 10, 'b');
    }
  }
  for (int life = 0; life < 2; ++life) {  // from the log, then from the index that was closed
    const auto store = DiskStore::open(left);
    ASSERT_TRUE(store) << store.error();
    EXPECT_EQ(content(**store), expected) << life;
  }
}

// The log has no room for what the index knows already: the index must not outlive it, or the node
// would not start again when there is room.
TEST_F(Wal, AFullDiskLeavesAStoreThatOpens) {
  const std::string data = (folder_ / "data").string();
  rlimit was{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &was), 0);
  {
    auto store = DiskStore::open(data);
    ASSERT_TRUE(store) << store.error();
    const rlimit least{17u << 20, was.rlim_max};  // one reservation of 16 MiB fits, a second not
    auto* const signal_was = std::signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &least), 0);
    const std::vector<Persist> first{
        {1, bytes("first"), bytes("v"), bytes(std::string((16u << 20) - 300'000, 'b'))}};
    EXPECT_TRUE((*store)->write(first, true));
    const std::vector<Persist> waits{{1, bytes("waits"), bytes(std::string(500'000, 'v')), {}}};
    EXPECT_TRUE((*store)->write(waits, false));
    const std::vector<Persist> last{{1, bytes("last"), bytes("v"), bytes("body")}};
    EXPECT_FALSE((*store)->write(last, true));
    EXPECT_NE((*store)->problem().find("reserving space"), std::string::npos);
    store->reset();
    (void)::setrlimit(RLIMIT_FSIZE, &was);
    (void)std::signal(SIGXFSZ, signal_was);
  }
  const auto store = DiskStore::open(data);
  ASSERT_TRUE(store) << store.error();
  const auto left = content(**store);
  EXPECT_EQ(left.size(), 1u);
  EXPECT_TRUE(left.contains("first"));
}

// The index is flushed as the log grows, and a start reads only what came after.
TEST_F(Wal, ALargeLogIsReadFromTheLastFlushOnly) {
  const std::string data = (folder_ / "data").string();
  const std::string body(8u << 20, 'b');
  {
    const auto store = DiskStore::open(data);
    ASSERT_TRUE(store) << store.error();
    for (int i = 0; i < 20; ++i) {
      const std::vector<Persist> batch{
          {1, bytes("k" + std::to_string(i)), bytes("v"), bytes(body)}};
      ASSERT_TRUE((*store)->write(batch, true));
    }
  }
  // The first frame is not looked at any more: its damage is its reader's to find.
  std::fstream file(data + "/wal", std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(2);
  file.put('x');
  file.close();
  const auto store = DiskStore::open(data);
  ASSERT_TRUE(store) << store.error();
  EXPECT_EQ(content(**store).size(), 20u);
}

}  // namespace
}  // namespace thresher::net
