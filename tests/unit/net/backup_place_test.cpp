// Where a backup grows: one at a time, at once, and nothing of anybody else is removed.
#include "life/backup_place.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "full_disk.hpp"
#include "life/file_copy.hpp"

namespace thresher::net {
namespace {

namespace fs = std::filesystem;

void put(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}
std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
std::size_t names_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

struct BackupPlaces : testing::Test {
  BackupPlaces() {
    std::string name = (fs::temp_directory_path() / "thresher-backup-XXXXXX").string();
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    folder = name;
  }
  ~BackupPlaces() override { fs::remove_all(folder); }
  /// Opens and fills one.
  static void begin(BackupPlace& place, const std::string& text) {
    ASSERT_TRUE(place.open());
    ASSERT_TRUE(place.clear());
    put(place.folder() + "/file", text);
  }
  void expect_alone(const std::string& name) const {
    EXPECT_EQ(names_in(folder), name.empty() ? 0u : 1u);
    EXPECT_EQ(fs::exists(folder / name), true);
  }
  std::string at(const std::string& name) const { return (folder / name).string(); }

  fs::path folder;
};

TEST_F(BackupPlaces, TheCopyGetsItsNameWhenItIsWhole) {
  {
    BackupPlace place(at("a/b/"));
    begin(place, "whole");
    EXPECT_FALSE(fs::exists(at("a/b")));
    EXPECT_TRUE(place.publish());
  }
  EXPECT_EQ(text_of(at("a/b/file")), "whole");
  EXPECT_EQ(names_in(at("a")), 1u);
  EXPECT_EQ(names_in(at("a/b")), 1u);
}

TEST_F(BackupPlaces, WhatIsNotPublishedGoes) {
  {
    BackupPlace place(at("b"));
    begin(place, "lost");
  }
  expect_alone("");
}

// The second removed what the first had written, and the first told of it as of a whole copy.
TEST_F(BackupPlaces, OneAtATime) {
  BackupPlace first(at("b"));
  begin(first, "first");
  {
    BackupPlace second(at("b/"));
    const Error busy = second.open().error();
    EXPECT_EQ(busy.code, ErrorCode::kBusy);
    const std::string why = busy.text();
    EXPECT_NE(why.find("another backup to '" + at("b") + "' runs"), std::string::npos) << why;
  }
  EXPECT_EQ(text_of(first.folder() + "/file"), "first");
  EXPECT_TRUE(first.publish());
  EXPECT_EQ(text_of(at("b/file")), "first");
  BackupPlace third(at("b"));
  const Error taken = third.open().error();
  EXPECT_EQ(taken.code, ErrorCode::kExists);
  EXPECT_EQ(taken.where, at("b"));
  EXPECT_NE(taken.text().find("is there already"), std::string::npos);
  expect_alone("b");
}

// They come and go in each other's steps: each has the place for itself, or is told why not.
TEST_F(BackupPlaces, ManyWhoComeAndGo) {
  std::atomic<int> inside{0};
  std::atomic<int> had{0};
  std::vector<std::thread> all;
  for (int i = 0; i < 4; ++i) {
    all.emplace_back([&, i] {
      for (int k = 0; k < 300; ++k) {
        BackupPlace place(at("b"));
        if (const auto opened = place.open(); !opened) {
          const std::string why = opened.error().text();
          const bool told = why.find("another backup to") != std::string::npos ||
                            why.find("come and go") != std::string::npos;
          EXPECT_TRUE(told) << why;
          continue;
        }
        EXPECT_EQ(inside++, 0);
        const std::string text = std::to_string(1000 * i + k);
        EXPECT_TRUE(place.clear());
        put(place.folder() + "/file", text);
        EXPECT_EQ(text_of(place.folder() + "/file"), text);
        --inside;
        ++had;
      }
    });
  }
  for (std::thread& one : all) one.join();
  EXPECT_GT(had, 0);
  expect_alone("");
}

TEST_F(BackupPlaces, WhatAKilledOneLeftIsRemoved) {
  fs::create_directories(at("b.partial/copy/data"));
  put(at("b.partial/thresher-backup"), "");
  put(at("b.partial/copy/data/wal"), "half");
  {
    BackupPlace place(at("b"));
    begin(place, "whole");
    EXPECT_FALSE(fs::exists(place.folder() + "/data"));
    EXPECT_TRUE(place.publish());
  }
  expect_alone("b");
  fs::remove_all(at("b"));
  fs::create_directories(at("b.partial"));  // killed before it had begun
  {
    BackupPlace place(at("b"));
    begin(place, "whole");
  }
  expect_alone("");
}

// All of it was removed without a word.
TEST_F(BackupPlaces, AFolderOfSomebodyElseIsLeftAlone) {
  fs::create_directories(at("b.partial/copy"));
  put(at("b.partial/mine"), "precious");
  put(at("b.partial/copy/mine"), "precious");
  put(at("file.partial"), "precious");
  fs::create_directory_symlink(at("b.partial/copy"), at("link.partial"));
  fs::create_directory_symlink(at("nothing"), at("dangling.partial"));
  for (const char* name : {"b", "file", "link", "dangling"}) {
    BackupPlace place(at(name));
    const std::string why = place.open().error().text();
    EXPECT_NE(why.find("is no partial backup"), std::string::npos) << name << ": " << why;
  }
  EXPECT_EQ(text_of(at("b.partial/mine")), "precious");
  EXPECT_EQ(text_of(at("b.partial/copy/mine")), "precious");
  EXPECT_EQ(text_of(at("file.partial")), "precious");
  EXPECT_EQ(names_in(folder), 4u);
}

TEST_F(BackupPlaces, AFileOfSomebodyElseInAPartialBackupStays) {
  fs::create_directories(at("b.partial/copy"));
  put(at("b.partial/thresher-backup"), "");
  put(at("b.partial/mine"), "precious");
  {
    BackupPlace place(at("b"));
    begin(place, "whole");
    EXPECT_TRUE(place.publish());
  }
  EXPECT_EQ(text_of(at("b/file")), "whole");
  EXPECT_EQ(text_of(at("b.partial/mine")), "precious");
}

TEST_F(BackupPlaces, WhatIsAtTheDestinationStays) {
  for (const bool empty : {false, true}) {
    {
      BackupPlace place(at("b"));
      begin(place, "late");
      fs::create_directory(at("b"));
      if (!empty) put(at("b/mine"), "precious");
      EXPECT_NE(place.publish().error().text().find("is there already"), std::string::npos);
    }
    EXPECT_EQ(names_in(at("b")), empty ? 0u : 1u);
    expect_alone("b");
    fs::remove_all(at("b"));
  }
  BackupPlace none("");
  EXPECT_NE(none.open().error().text().find("give the backup a folder"), std::string::npos);
}

// A part fits, so the first write fails only half: the error was read from a call that went well.
TEST_F(BackupPlaces, AFullDiskIsToldAsWhatItIs) {
  put(at("large"), std::string(300'000, 'x'));
  const Full full(100'000);
  const CopyEnd end = copy_file(at("large"), at("copy"));
  EXPECT_EQ(end.kind, CopyEnd::Kind::kUnwritable);
  EXPECT_NE(end.why.text().find("cannot write '" + at("copy") + "': File too large; free space"),
            std::string::npos)
      << end.why;
}

TEST_F(BackupPlaces, FilesAreCopiedWholeOrInPart) {
  const std::string text(3'000'000, 'y');
  put(at("from"), text);
  EXPECT_TRUE(copy_file(at("from"), at("whole")).good());
  EXPECT_TRUE(copy_file(at("from"), at("part"), 1'500'000).good());
  EXPECT_EQ(text_of(at("whole")), text);
  EXPECT_EQ(text_of(at("part")), text.substr(0, 1'500'000));
  EXPECT_EQ(copy_file(at("from"), at("whole")).kind, CopyEnd::Kind::kUnwritable);
  EXPECT_EQ(copy_file(at("from"), at("more"), 3'000'001).kind, CopyEnd::Kind::kUnreadable);
  EXPECT_EQ(copy_file(at("nothing"), at("n")).kind, CopyEnd::Kind::kAbsent);
}

TEST_F(BackupPlaces, FoldersAreCopiedWithAllThatIsWhole) {
  fs::create_directories(at("from/12/deep"));
  fs::create_directories(at("from/13.partial"));
  put(at("from/12/deep/state"), "s");
  put(at("from/13.partial/state"), "half");
  put(at("from/one"), "1");
  EXPECT_TRUE(copy_folder(at("from"), at("to")).good());
  EXPECT_EQ(text_of(at("to/12/deep/state")), "s");
  EXPECT_EQ(text_of(at("to/one")), "1");
  EXPECT_EQ(names_in(at("to")), 2u);
  EXPECT_EQ(copy_folder(at("nothing"), at("n")).kind, CopyEnd::Kind::kAbsent);
  EXPECT_EQ(copy_folder(at("from"), at("to")).kind, CopyEnd::Kind::kUnwritable);
}

}  // namespace
}  // namespace thresher::net
