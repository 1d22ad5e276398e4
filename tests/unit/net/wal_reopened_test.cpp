// A scan of a log that is written meanwhile, as a backup of a running node makes one.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "store/wal.hpp"
#include "store/wal_scan.hpp"

namespace thresher::net {
namespace {

namespace fs = std::filesystem;

// A scan that reads on must not see what the disk had when it was read before. In the last pieces
// of a file that were read, which the scan keeps, this showed.
TEST(WalReopened, AScanThatIsOpenedAgainSeesWhatWasWrittenSince) {
  const fs::path folder =
      fs::temp_directory_path() / ("thresher-reopened-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const std::string path = (folder / "wal").string();
  WriteAheadLog wal;
  ASSERT_TRUE(wal.open(path, 1u << 20));
  ASSERT_TRUE(wal.recover({}, [](const WalFrame&) { return true; }));
  const auto append = [&] {
    std::vector<BodyPlace> places;
    const Bytes key = Bytes::copy_of(as_view("key"));
    const Bytes value = Bytes::copy_of(as_view(std::string(8000, 'v')));
    wal.append(std::vector<Persist>{{1, key, value, {}}}, places);
    ASSERT_TRUE(wal.flush(Sync::kYes)) << wal.problem();
  };
  WalScan scan;
  WalPlace from;
  for (int frames = 1; frames <= 300 && !HasFailure(); ++frames) {
    append();
    int seen = 0;
    ASSERT_TRUE(scan.open(path));
    ASSERT_TRUE(scan.read(from, [&](const WalFrame&) { return ++seen > 0; }));
    from = scan.end();
    EXPECT_EQ(seen, 1) << frames;
    EXPECT_EQ(from.offset, wal.end().offset) << frames;
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace thresher::net
