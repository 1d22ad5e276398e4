// Committees of other sizes than four, each through the stop of f nodes and their return.
#include "../node/network.hpp"

namespace thresher::net {
namespace {

class Sizes : public testing::TestWithParam<std::tuple<std::string, std::uint32_t>> {};

INSTANTIATE_TEST_SUITE_P(Certified, Sizes,
                         testing::Combine(testing::Values("bullshark", "anchored-bullshark",
                                                          "sparse-bullshark", "bullshark-async"),
                                          testing::Values(4u, 5u, 6u, 7u, 10u)),
                         [](const auto& suite) {
                           std::string name = std::get<0>(suite.param);
                           std::erase(name, '-');
                           return name + "N" + std::to_string(std::get<1>(suite.param));
                         });

TEST_P(Sizes, OrderAlikeThroughFStopsAndReturns) {
  const auto& [protocol, n] = GetParam();
  Network net(n, protocol);
  const std::uint32_t f = net.genesis().f;
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(net.start(i), "");
  std::uint64_t sent = 0;
  for (; sent < 2 * n; ++sent) net.submit(sent % n, "all " + std::to_string(sent));
  for (std::size_t i = 0; i < f; ++i) net.stop(i);
  for (std::uint64_t k = 0; k < 6; ++k, ++sent) net.submit(f + k % (n - f), "without");
  for (std::size_t i = 0; i < f; ++i) ASSERT_EQ(net.start(i), "");
  for (std::size_t i = 0; i < n; ++i, ++sent) net.submit(i, "again");
  for (std::size_t i = 0; i < n; ++i) EXPECT_TRUE(net.reaches(i, sent)) << "node " << i;
  for (std::size_t i = 1; i < n; ++i) EXPECT_EQ(net.app(i).state(), net.app(0).state());
}

}  // namespace
}  // namespace thresher::net
