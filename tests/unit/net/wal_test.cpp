// The write-ahead log and the store over it: what a power cut, a kill and a damaged disk leave.
#include "store/wal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>

#include "files/disk_problem.hpp"
#include "thresher/net/disk_store.hpp"

namespace thresher::net {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;

Bytes bytes(const std::string& text) {
  return Bytes::copy_of(as_view(text));
}
std::string text(ByteView v) {
  return {reinterpret_cast<const char*>(v.data()), v.size()};
}

Result<Unit, Error> open_log(WriteAheadLog& wal, const std::string& path, const WalPlace& from,
                             const WalScan::Visit& visit) {
  const auto opened = wal.open(path);
  return opened ? wal.recover(from, visit) : opened;
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
    const auto opened = open_log(wal, path(), {}, [&](const WalFrame& f) {
      for (const WalRecord& r : f.records) lines.push_back(text(r.key) + "=" + text(r.value));
      return true;
    });
    return opened ? std::string() : opened.error().text();
  }
  std::vector<std::string> lines() const {
    std::vector<std::string> out;
    EXPECT_EQ(read(out), "");
    return out;
  }

  std::string content_of_file() const {
    std::ifstream file(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void overwrite(std::uint64_t at, char with) const {
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at));
    file.put(with);
    ASSERT_TRUE(file.good());
  }
  void replace_file(const std::string& content) const {
    std::ofstream file(path(), std::ios::binary);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    ASSERT_TRUE(file.good());
  }

  fs::path folder_;
};

/// Adds one record and returns where the log ends then.
std::uint64_t add(WriteAheadLog& wal, const std::string& key, Sync sync, std::size_t body = 0) {
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
    ASSERT_TRUE(open_log(wal, path(), end, ignore));
    for (int k = 0; k < 20; ++k) {
      const std::string key = std::to_string(life) + "-" + std::to_string(k);
      // Sizes around a block, around what is filled ahead, and far over it.
      const std::size_t sizes[] = {0, 1, 4000, 4096, 65'000, 300'000};
      add(wal, key, random() % 2 == 0 ? Sync::kYes : Sync::kNo, sizes[random() % 6]);
      expected.push_back(key + "=v" + key);
    }
    end = wal.end();
  }
  EXPECT_EQ(lines(), expected);
}

TEST_F(Wal, BodiesAreReadWhereTheyLie) {
  WriteAheadLog wal;
  ASSERT_TRUE(open_log(wal, path(), {}, ignore));
  std::vector<BodyPlace> places;
  const std::vector<Persist> batch{{1, bytes("a"), bytes("v"), bytes("first body")},
                                   {1, bytes("b"), bytes("v"), {}},
                                   {1, bytes("c"), bytes("v"), bytes(std::string(100'000, 'x'))}};
  wal.append(batch, places);
  ASSERT_TRUE(wal.flush(Sync::kNo));
  ASSERT_EQ(places.size(), 3u);
  EXPECT_EQ(text(wal.read_body(places[0])->view()), "first body");
  EXPECT_EQ(wal.read_body(places[1])->size(), 0u);
  EXPECT_EQ(text(wal.read_body(places[2])->view()), std::string(100'000, 'x'));
  EXPECT_EQ(wal.read_body({wal.end().offset + (1u << 30), 5}).error(), Errc::kCorrupt);
}

// A body anywhere in the file, also where it ends: of that block the log holds a copy, which it
// writes again with what follows.
TEST_F(Wal, ADamagedBodyIsMendedInItsPlace) {
  const std::size_t sizes[] = {10, 4096, 9000, 3, 4090, 70'000, 20, 1};
  for (std::size_t hit = 0; hit < std::size(sizes); ++hit) {
    fs::remove(path());
    std::vector<BodyPlace> places;
    WalPlace end;
    const auto body = [&](std::size_t i) {
      return bytes(std::string(sizes[i], static_cast<char>('a' + i)));
    };
    {
      WriteAheadLog wal;
      ASSERT_TRUE(open_log(wal, path(), {}, ignore));
      for (std::size_t i = 0; i < std::size(sizes); ++i) {
        wal.append(std::vector<Persist>{{1, bytes(std::to_string(i)), bytes("v"), body(i)}},
                   places);
        ASSERT_TRUE(wal.flush(Sync::kYes));
      }
      end = wal.end();
    }
    overwrite(places[hit].offset + sizes[hit] / 2, '#');
    WriteAheadLog wal;
    ASSERT_TRUE(open_log(wal, path(), end, ignore));
    EXPECT_NE(wal.read_body(places[hit])->view()[sizes[hit] / 2], body(hit).view()[0]);
    wal.append(std::vector<Persist>{{1, bytes("waits"), bytes("v"), bytes("body")}}, places);
    ASSERT_TRUE(wal.mend_body(places[hit], body(hit).view())) << wal.problem();
    wal.append(std::vector<Persist>{{1, bytes("after"), bytes("v"), bytes("body")}}, places);
    ASSERT_TRUE(wal.flush(Sync::kYes));
    for (std::size_t i = 0; i < std::size(sizes); ++i) {
      EXPECT_EQ(text(wal.read_body(places[i])->view()), text(body(i).view())) << i << " " << hit;
    }
    std::vector<std::string> found;
    WalScan scan;
    ASSERT_TRUE(scan.open(path()));
    EXPECT_TRUE(scan.read({}, [&](const WalFrame& f) {
      for (const WalRecord& r : f.records) found.push_back(text(r.key));
      return true;
    }));
    EXPECT_EQ(found.size(), std::size(sizes) + 2) << hit;
  }
}

// Reading its end at a start leaves nothing behind that hides what is written there afterwards.
TEST_F(Wal, WhatIsWrittenAfterAStartIsReadAsItIs) {
  for (int life = 0; life < 3; ++life) {
    WriteAheadLog wal;
    ASSERT_TRUE(open_log(wal, path(), {}, ignore));
    std::vector<BodyPlace> places;
    for (int k = 0; k < 3; ++k) {
      const std::vector<Persist> batch{{1, bytes("k"), bytes("v"), bytes(std::string(50, 'x'))}};
      wal.append(batch, places);
      ASSERT_TRUE(wal.flush(Sync::kYes));
      EXPECT_EQ(text(wal.read_body(places.back())->view()), std::string(50, 'x')) << life;
    }
  }
}

/// What each sector of a frame may be after a power cut that came while it was written.
void zero_sectors(std::string& file, std::uint64_t from, std::uint64_t to, unsigned which) {
  unsigned part = 0;
  for (std::uint64_t at = from; at < to; ++part) {
    const std::uint64_t end = std::min(to, (at / kSector + 1) * kSector);
    if ((which >> part & 1u) != 0) std::fill(file.begin() + at, file.begin() + end, '\0');
    at = end;
  }
}

// Whatever sectors of the last, unsynced frames did not reach the disk: they are gone, all before
// is there, and what is written afterwards is not followed by what the cut left over.
TEST_F(Wal, AFrameThatWasCutOffEndsTheLog) {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  {
    WriteAheadLog wal;
    ASSERT_TRUE(open_log(wal, path(), {}, ignore));
    first = add(wal, "a", Sync::kYes);
    second = add(wal, "b", Sync::kNo, 1'400);
    add(wal, "c", Sync::kNo, 40);
  }
  const std::string whole = content_of_file();
  const unsigned sectors = static_cast<unsigned>((second - 1) / kSector - first / kSector + 1);
  ASSERT_GE(sectors, 4u);
  // Some sectors of the first one are missing, or all from a byte on.
  const unsigned subsets = 1u << sectors;
  const auto cuts = static_cast<unsigned>((second - kMark - first) / 211);
  for (unsigned which = 1; which < subsets + cuts; ++which) {
    std::string torn = whole;
    if (which < subsets) {
      zero_sectors(torn, first, second, which);
    } else {
      const std::uint64_t at = first + 211 * (which - subsets);
      std::fill(torn.begin() + static_cast<std::ptrdiff_t>(at), torn.end(), '\0');
    }
    replace_file(torn);
    EXPECT_EQ(lines(), std::vector<std::string>{"a=va"}) << which;
    {
      WriteAheadLog wal;
      ASSERT_TRUE(open_log(wal, path(), {}, ignore));
      EXPECT_EQ(wal.end().offset, first);
      const std::string cleared = content_of_file();
      EXPECT_EQ(cleared.find_first_not_of('\0', first), std::string::npos) << which;
      add(wal, "d", Sync::kYes, 1'400);  // as long as "b" was: "c" would lie right behind it
    }
    EXPECT_EQ(lines(), (std::vector<std::string>{"a=va", "d=vd"})) << which;
  }
}

// The node started without a word after one flipped bit in what it had stored last, and signed
// twice.
TEST_F(Wal, AnyFlippedBitInTheLastDurableFrameIsRefused) {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  {
    WriteAheadLog wal;
    ASSERT_TRUE(open_log(wal, path(), {}, ignore));
    first = add(wal, "a", Sync::kYes);
    second = add(wal, "b", Sync::kYes, 1'200);
  }
  const std::string whole = content_of_file();
  const std::uint64_t size = second - first - kFrameHeader;
  const std::uint64_t records = records_begin(first, size);
  // All of header and checksums, some of the records.
  for (std::uint64_t at = first; at < records_end(first, size); at += at < records ? 1 : 13) {
    overwrite(at, static_cast<char>(whole[at] ^ 1 << at % 8));
    std::vector<std::string> before;
    const std::string why = read(before);
    overwrite(at, whole[at]);
    ASSERT_NE(why.find("is damaged at byte " + std::to_string(first)), std::string::npos)
        << at << ": " << why;
    ASSERT_EQ(before, std::vector<std::string>{"a=va"});
  }
}

// A client's transaction held what frames began with, and one torn tail stopped the node for ever.
TEST_F(Wal, WhatClientsWriteIsNeverTakenForAFrame) {
  {
    WriteAheadLog wal;
    ASSERT_TRUE(open_log(wal, path(), {}, ignore));
    add(wal, "a", Sync::kYes);
  }
  const std::string empty = content_of_file();
  const auto tag = decode_head(as_view(empty).first(kFileHead));
  ASSERT_TRUE(tag);
  // Knowing the tag, one could still do it, so the test would see if the tag did not count.
  for (const std::uint64_t guess : {std::uint64_t{0}, *tag ^ 1, *tag}) {
    replace_file(empty);
    const FrameHeader header{0, 0, UINT64_MAX >> 1, UINT64_MAX >> 1, 0, 0};
    const auto raw = encode_header(guess, header);
    std::string evil;
    for (int i = 0; i < 400; ++i) evil += text(raw) + '\1';  // all alignments
    std::uint64_t begin = 0;
    {
      WriteAheadLog wal;
      ASSERT_TRUE(open_log(wal, path(), {}, ignore));
      begin = wal.end().offset;
      const std::vector<Persist> batch{{1, bytes("evil"), bytes("v"), bytes(evil)}};
      std::vector<BodyPlace> places;
      wal.append(batch, places);
      ASSERT_TRUE(wal.flush(Sync::kNo));
    }
    std::string torn = content_of_file();
    const std::uint64_t cut = begin + 9'000;
    std::fill(torn.begin() + static_cast<std::ptrdiff_t>(cut), torn.end(), '\0');
    replace_file(torn);
    std::vector<std::string> found;
    const std::string why = read(found);
    EXPECT_EQ(found, std::vector<std::string>{"a=va"});
    EXPECT_EQ(why.empty(), guess != *tag) << why;
  }
}

// A frame that later ones call durable is gone, sector by sector: an end there would be forgetting.
TEST_F(Wal, ADurableFrameThatIsDamagedIsRefused) {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  {
    WriteAheadLog wal;
    ASSERT_TRUE(open_log(wal, path(), {}, ignore));
    first = add(wal, "a", Sync::kYes);
    second = add(wal, "b", Sync::kYes, 2'000'000);
    add(wal, "c", Sync::kYes);
  }
  const std::string whole = content_of_file();
  const auto expect_refused = [&](const std::string& damaged, std::uint64_t at) {
    replace_file(damaged);
    std::vector<std::string> before;
    const std::string why = read(before);
    EXPECT_NE(why.find("is damaged at byte " + std::to_string(at)), std::string::npos) << why;
    EXPECT_NE(why.find("must not sign"), std::string::npos) << why;
  };
  for (const std::uint64_t at :
       {std::uint64_t{2}, first + 2, first + 41, first + 60, second - 20}) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    expect_refused(damaged, at < first ? 0 : first);
    const std::uint64_t sector = (at / kSector + 1) * kSector;  // all of it, and of the next one
    if (at < first || sector + 2 * kSector > second) continue;
    damaged = whole;
    zero_sectors(damaged, sector, sector + 2 * kSector, 3);
    expect_refused(damaged, first);
  }
}

TEST_F(Wal, AFileThatIsTooShortOrOfAnotherLogIsRefused) {
  {
    WriteAheadLog wal;
    const auto opened = open_log(wal, path(), {1'000'000, 3, 900'000, 0}, ignore);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::kCorrupt);
    EXPECT_THAT(opened.error().what, HasSubstr("lost its end"));
  }
  WalPlace end;
  {
    WriteAheadLog wal;
    ASSERT_TRUE(open_log(wal, path(), {}, ignore));
    add(wal, "a", Sync::kYes);
    end = wal.end();
  }
  fs::remove(path());
  {
    WriteAheadLog wal;
    ASSERT_TRUE(open_log(wal, path(), {}, ignore));
    add(wal, "a", Sync::kYes);
  }
  WriteAheadLog wal;
  const auto opened = open_log(wal, path(), end, ignore);
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().what, HasSubstr("is not the log that its index was made of"));
}

// What is read again while a node runs: each byte that counts, whatever it belongs to, and the rest
// of the log is looked at when the records of a frame are damaged.
TEST_F(Wal, WhatTheDiskHasChangedIsFoundAgain) {
  std::uint64_t until = 0;
  {
    WriteAheadLog wal;
    ASSERT_TRUE(open_log(wal, path(), {}, [](const WalFrame&) { return true; }));
    for (int i = 0; i < 3; ++i) {
      std::vector<BodyPlace> places;
      wal.append(std::vector<Persist>{{1, bytes("key"), bytes("value " + std::to_string(i)),
                                       bytes(std::string(700, 'b'))}},
                 places);
      ASSERT_TRUE(wal.flush(Sync::kYes));
    }
    until = wal.written();
  }
  const std::string whole = content_of_file();
  const auto check = [&] {
    WalScan scan;
    EXPECT_TRUE(scan.open(path()));
    return scan.check(until, until);
  };
  ASSERT_TRUE(check().done);
  std::size_t found = 0;
  for (std::uint64_t at = kFileHead; at < until; ++at) {
    overwrite(at, static_cast<char>(whole[at] ^ 1));
    const auto now = check();
    const bool told =
        now.problem && now.problem->what.find("is damaged at byte") != std::string::npos;
    const bool in_part = std::any_of(now.damaged.begin(), now.damaged.end(),
                                     [&](const Extent& e) { return e.begin <= at && at < e.end; });
    found += told || in_part ? 1 : 0;
    EXPECT_NE(now.done, told || in_part) << at;
    overwrite(at, whole[at]);
  }
  // The marks that end the frames are the one thing of which nothing depends on the value.
  EXPECT_EQ(found, until - kFileHead - 3 * kMark);
  EXPECT_TRUE(check().done);
}

// Each says what it is, and none that data are damaged.
TEST_F(Wal, ErrorsOfTheSystemAreToldAsSuch) {
  fs::create_directories(folder_ / "in the way");
  WriteAheadLog blocked;
  const auto opened = blocked.open((folder_ / "in the way").string());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().where, (folder_ / "in the way").string());
  EXPECT_THAT(opened.error().what, HasSubstr("Is a directory"));
  WriteAheadLog first;
  ASSERT_TRUE(first.open(path()));
  WriteAheadLog second;
  const auto taken = second.open(path());
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, ErrorCode::kBusy);
  EXPECT_THAT(taken.error().what,
              HasSubstr("this node runs already, in another process or in this one"));
  for (const auto& [error, advice] : std::map<int, std::string>{{ENOSPC, "free space"},
                                                                {EMFILE, "ulimit -n"},
                                                                {EROFS, "mount it for writing"},
                                                                {EIO, "the disk"}}) {
    const std::string told = disk_problem(error);
    EXPECT_EQ(told.rfind(std::strerror(error), 0), 0u) << told;
    EXPECT_NE(told.find(advice), std::string::npos) << told;
    EXPECT_EQ(told.find("damaged"), std::string::npos) << told;
    EXPECT_EQ(told.find("start the node"), std::string::npos) << "not only nodes say it: " << told;
    EXPECT_EQ(
        disk_problem_in("IO error: While open a file: /x: " + std::string(std::strerror(error))),
        told);
  }
  EXPECT_EQ(disk_problem_in("Corruption: bad block"), "");
}

// One sync makes a batch durable, also one that unsynced ones came before.
TEST_F(Wal, CountsItsSyncs) {
  WriteAheadLog wal;
  ASSERT_TRUE(open_log(wal, path(), {}, ignore));
  add(wal, "a", Sync::kYes);
  EXPECT_EQ(wal.syncs(), 1u);
  add(wal, "b", Sync::kNo, 10);
  add(wal, "c", Sync::kYes);
  EXPECT_EQ(wal.syncs(), 2u);
  ASSERT_TRUE(wal.flush(Sync::kYes));
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
      ASSERT_TRUE((*store)->write(batch, i % 3 == 0 || i == 199 ? Sync::kYes : Sync::kNo));
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
    EXPECT_TRUE((*store)->write(first, Sync::kYes));
    const std::vector<Persist> waits{{1, bytes("waits"), bytes(std::string(500'000, 'v')), {}}};
    EXPECT_TRUE((*store)->write(waits, Sync::kNo));
    const std::vector<Persist> last{{1, bytes("last"), bytes("v"), bytes("body")}};
    EXPECT_FALSE((*store)->write(last, Sync::kYes));
    ASSERT_TRUE((*store)->problem());
    EXPECT_THAT((*store)->problem()->what, HasSubstr("reserving space"));
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

// The advice was to restore a backup, which stopped the node for ever. All that the index says is
// in the log: it is made again.
TEST_F(Wal, ADamagedIndexIsMadeAgainFromTheLog) {
  const std::string data = (folder_ / "data").string();
  std::map<std::string, std::string> expected;
  {
    const auto store = DiskStore::open(data);
    ASSERT_TRUE(store) << store.error();
    std::vector<Persist> batch;  // many blocks of the index, of which a start needs one alone
    for (int i = 0; i < 400; ++i) {
      const std::string key = "k" + std::to_string(i);
      const std::string value(200, static_cast<char>('a' + i % 26));
      batch.push_back({1, bytes(key), bytes(value), bytes("body of " + key)});
      expected[key] = value + "body of " + key;
    }
    ASSERT_TRUE((*store)->write(batch, Sync::kYes));
  }
  const fs::path good = folder_ / "good";
  fs::rename(fs::path(data) / "index", good);
  int repaired = 0;
  for (const auto& entry : fs::directory_iterator(good)) {
    const auto size = static_cast<std::streamoff>(entry.file_size());
    for (const std::streamoff place : {size / 10, size / 2, std::streamoff{-1}}) {
      fs::remove_all(fs::path(data) / "index");
      fs::copy(good, fs::path(data) / "index", fs::copy_options::recursive);
      const fs::path damaged = fs::path(data) / "index" / entry.path().filename();
      if (place < 0) {
        fs::remove(damaged);
      } else {
        std::fstream file(damaged, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(place);
        file.write("\xff\xff\xff\xff\xff\xff\xff\xff", 8);
      }
      const auto store = DiskStore::open(data, [&](const std::string& line) {
        EXPECT_NE(line.find("is made again from the write-ahead log"), std::string::npos) << line;
        ++repaired;
      });
      ASSERT_TRUE(store) << damaged << ": " << store.error();
      EXPECT_EQ(content(**store), expected) << damaged << " " << place;
    }
  }
  EXPECT_GE(repaired, 4) << "the SST and the manifest, damaged and gone";
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
      ASSERT_TRUE((*store)->write(batch, Sync::kYes));
    }
  }
  // The first frame is not looked at any more: its damage is its reader's to find.
  std::fstream file(data + "/wal", std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(kFileHead + 2);
  file.put('x');
  file.close();
  const auto store = DiskStore::open(data);
  ASSERT_TRUE(store) << store.error();
  EXPECT_EQ(content(**store).size(), 20u);
}

}  // namespace
}  // namespace thresher::net
