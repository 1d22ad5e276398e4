// A log whose folder is moved away while it is written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "store/wal.hpp"

namespace thresher::net {
namespace {

namespace fs = std::filesystem;

// The next start does not read what is written to a folder that is not at its path any more.
TEST(WalMoved, AFolderThatWasMovedAwayIsNotWrittenTo) {
  const fs::path folder =
      fs::temp_directory_path() / ("thresher-moved-" + std::to_string(::getpid()));
  const fs::path moved = folder.string() + "-moved";
  fs::create_directories(folder);
  WriteAheadLog wal;
  ASSERT_TRUE(wal.open((folder / "wal").string()));
  ASSERT_TRUE(wal.recover({}, [](const WalFrame&) { return true; }));
  const auto append = [&] {
    std::vector<BodyPlace> places;
    const Bytes key = Bytes::copy_of(as_view("key"));
    wal.append(std::vector<Persist>{{1, key, key, {}}}, places);
  };
  append();
  ASSERT_TRUE(wal.flush(Sync::kYes)) << wal.problem();
  const std::uint64_t written = wal.written();
  fs::rename(folder, moved);
  append();
  EXPECT_FALSE(wal.flush(Sync::kYes));
  EXPECT_EQ(wal.problem().code, ErrorCode::kMissing);
  EXPECT_THAT(wal.problem().text(),
              testing::HasSubstr("moved, removed or replaced while it was in use"));
  fs::create_directories(folder);
  std::ofstream(folder / "wal") << "another";
  EXPECT_FALSE(wal.flush(Sync::kYes)) << "another file is not it";
  EXPECT_EQ(wal.written(), written);
  fs::remove_all(folder);
  fs::remove_all(moved);
}

}  // namespace
}  // namespace thresher::net
