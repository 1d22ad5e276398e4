// What every ordering protocol owes its node: a way back after a long absence.
#include "name_of_suite.hpp"
#include "network.hpp"

namespace thresher::net {
namespace {

class Away : public testing::TestWithParam<std::string> {};

NodeOptions short_memory() {
  NodeOptions o;
  o.gc_rounds = 32;
  o.sync_rounds = 16;
  o.delta_us = 5'000;  // a silent leader costs its patience in every circle
  return o;
}

TEST_P(Away, FarBehindItFetchesTheLog) {
  Network net(4, GetParam());
  for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(net.start(i, short_memory()), "");
  std::uint64_t sent = 0;
  while (net.submit(0, "early " + std::to_string(sent++)).slot < 80) {
  }
  ASSERT_EQ(net.start(3, short_memory()), "");
  EXPECT_TRUE(net.reaches(3, sent));
  EXPECT_EQ(net.submit(3, "mine").position, sent);
  net.expect_same_state(sent + 1);
}

INSTANTIATE_TEST_SUITE_P(Node, Away, testing::ValuesIn(node_protocols()), name_of_suite);

}  // namespace
}  // namespace thresher::net
