// A log with a hole in it: filled by peers, or the node stops with what is missing. Never read
// over.
#include <mutex>

#include "log_entry.hpp"
#include "network.hpp"
#include "thresher/net/disk_store.hpp"

namespace thresher::net {
namespace {

/// Collects what a node says.
struct Said {
  NodeOptions options() {
    NodeOptions o;
    o.gc_rounds = 32;
    o.sync_rounds = 16;
    o.log = [this](Level, const std::string& line) {
      const std::lock_guard lock(mutex);
      lines += line + "\n";
    };
    return o;
  }
  bool has(const std::string& part) {
    const std::lock_guard lock(mutex);
    return lines.find(part) != std::string::npos;
  }
  std::mutex mutex;
  std::string lines;
};

/// Erases the entries of the log with these ranks, as a defect of some program would have.
void lose_entries(const std::string& home, std::size_t from, std::size_t to) {
  std::filesystem::remove(home + "/data/snapshot");  // so that the log is read
  const auto store = DiskStore::open(home + "/data");
  ASSERT_TRUE(store) << store.error();
  std::vector<Persist> erasures;
  std::size_t rank = 0;
  ASSERT_TRUE((*store)->scan(kLedgerTable, {}, [&](ByteView key, ByteView) {
    if (rank >= from && rank < to) erasures.push_back({kLedgerTable, Bytes::copy_of(key), {}, {}});
    ++rank;
    return true;
  }));
  ASSERT_GT(rank, to == SIZE_MAX ? from + 40 : to) << "the log is too short for this test";
  ASSERT_TRUE((*store)->write(erasures, true));
}

std::uint64_t fill(Network& net, std::size_t node, std::uint64_t slots) {
  std::uint64_t sent = 0;
  while (net.submit(node, "text " + std::to_string(sent++)).slot < slots) {
  }
  return sent;
}

class Holes : public testing::TestWithParam<std::string> {};

// The protocol knows of far more than the log has: what lies between is gone from its memory.
TEST_P(Holes, BehindTheLogAreFilledByPeers) {
  std::vector<Said> said(4);
  Network net(4, GetParam());
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i, said[i].options()), "");
  const std::uint64_t sent = fill(net, 0, 120);
  ASSERT_TRUE(net.reaches(3, sent));
  net.stop(3);
  ASSERT_NO_FATAL_FAILURE(lose_entries(net.home(3), 5, SIZE_MAX));
  ASSERT_EQ(net.start(3, said[3].options()), "");
  EXPECT_TRUE(net.reaches(3, sent));
  EXPECT_TRUE(said[3].has("lacks commits"));
  EXPECT_EQ(net.submit(3, "mine").position, sent);
  net.expect_same_state(sent + 1);
}

TEST_P(Holes, InsideTheLogStopItWithTheRange) {
  std::vector<Said> said(4);
  Network net(4, GetParam());
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i, said[i].options()), "");
  ASSERT_TRUE(net.reaches(3, fill(net, 0, 60)));
  net.stop(3);
  ASSERT_NO_FATAL_FAILURE(lose_entries(net.home(3), 3, 5));
  const std::string why = net.start(3, said[3].options());
  EXPECT_NE(why.find("but the log ends with slot"), std::string::npos) << why;
}

INSTANTIATE_TEST_SUITE_P(Store, Holes, testing::Values("thresher", "anchored-bullshark"),
                         [](const auto& suite) {
                           std::string name = suite.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(HolesAlone, WithoutPeersTheNodeStopsWithTheRange) {
  Said said;
  Network net(1);
  ASSERT_EQ(net.start(0, said.options()), "");
  (void)fill(net, 0, 120);
  net.stop(0);
  ASSERT_NO_FATAL_FAILURE(lose_entries(net.home(0), 5, SIZE_MAX));
  ASSERT_EQ(net.start(0, said.options()), "");
  const std::string why = net.ending(0);
  EXPECT_NE(why.find("there is no peer to fetch them from"), std::string::npos) << why;
  EXPECT_NE(why.find("but the log ends with slot"), std::string::npos) << why;
}

// A snapshot of more than the log has would hide the hole from whoever asks for the log.
TEST(HolesAlone, ASnapshotOfMoreThanTheLogIsLeftAside) {
  std::vector<Said> said(4);
  Network net(4);
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i, said[i].options()), "");
  const std::uint64_t sent = fill(net, 0, 120);
  ASSERT_TRUE(net.reaches(3, sent));
  net.stop(3);
  const std::string snapshot = net.home(3) + "/data/snapshot";
  std::filesystem::copy_file(snapshot, net.home(3) + "/kept");
  ASSERT_NO_FATAL_FAILURE(lose_entries(net.home(3), 5, SIZE_MAX));
  std::filesystem::copy_file(net.home(3) + "/kept", snapshot);
  ASSERT_EQ(net.start(3, said[3].options()), "");
  EXPECT_TRUE(said[3].has("which the log does not have"));
  EXPECT_TRUE(net.reaches(3, sent));
  net.expect_same_state(sent);
}

}  // namespace
}  // namespace thresher::net
