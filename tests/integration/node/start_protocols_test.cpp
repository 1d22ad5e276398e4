// The question before the first signature, of every protocol that a node can run.
#include <filesystem>

#include "name_of_suite.hpp"
#include "network.hpp"

namespace thresher::net {
namespace {

namespace fs = std::filesystem;

class EveryProtocol : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Start, EveryProtocol, testing::ValuesIn(node_protocols()), name_of_suite);

TEST_P(EveryProtocol, AWholeClusterStartsByItselfAndWithoutOne) {
  Network net(4, GetParam());
  std::uint64_t sent = 0;
  for (std::size_t without = 2; without <= 4; without += 2) {
    for (std::size_t i = 4; i-- > 0;) {
      if (i == without) continue;
      ASSERT_EQ(net.start(i), "");
    }
    EXPECT_EQ(net.submit(1, "again").position, sent++);
    for (std::size_t i = 0; i < 4; ++i) net.stop(i);
  }
}

// A copy of the whole home, record and all: what came after it the peers remember, even if that
// start signed nothing.
TEST_P(EveryProtocol, AnOldCopyOfTheWholeHomeIsStopped) {
  Network net(4, GetParam());
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i), "");
  net.submit(3, "first");
  net.stop(3);
  fs::copy(net.home(3), net.home(3) + "-copy", fs::copy_options::recursive);
  ASSERT_EQ(net.start(3), "");
  ASSERT_TRUE(net.reaches(3, 1));
  net.submit(3, "second");
  net.stop(3);
  fs::remove_all(net.home(3));
  fs::rename(net.home(3) + "-copy", net.home(3));
  for (std::size_t i = 0; i < 3; ++i) net.stop(i);  // what peers know survives them
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i), "");
  const std::string why = net.ending(3);
  EXPECT_NE(why.find("One key must never sign twice"), std::string::npos) << why;
  EXPECT_NE(why.find(net.home(3)), std::string::npos) << why;
  net.submit(0, "the others go on");
}

// The key without anything: to itself a new node, to its peers one that has signed.
TEST_P(EveryProtocol, AKeyWithoutItsRecordAndDataIsStopped) {
  Network net(4, GetParam());
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i), "");
  net.submit(3, "first");
  net.stop(3);
  fs::remove_all(net.home(3) + "/data");
  for (const auto& entry : fs::directory_iterator(net.home(3))) {
    if (entry.path().string().find(".signed-") != std::string::npos) fs::remove(entry.path());
  }
  ASSERT_EQ(net.start(3), "");
  EXPECT_NE(net.ending(3).find("One key must never sign twice"), std::string::npos);
  net.submit(0, "the others go on");
}

}  // namespace
}  // namespace thresher::net
