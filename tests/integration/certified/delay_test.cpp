// One node far away: its links carry everything late, and the others do not wait for it.
#include "../node/network.hpp"

namespace thresher::net {
namespace {

class Starvation : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Certified, Starvation,
                         testing::Values("bullshark", "anchored-bullshark", "sparse-bullshark",
                                         "bullshark-async"),
                         [](const auto& suite) {
                           std::string name = suite.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST_P(Starvation, ASlowNodeIsHeardAndHoldsUpNobodyForEver) {
  Network net(4, GetParam());
  NodeOptions slow;
  slow.link_delay_us = 60'000;  // three times Delta
  for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(net.start(i), "");
  ASSERT_EQ(net.start(3, slow), "");
  for (std::uint64_t k = 0; k < 6; ++k) net.submit(k % 3, "near " + std::to_string(k));
  std::vector<std::future<Receipt>> receipts;
  for (std::size_t k = 0; k < 16; ++k) receipts.push_back(net.submit_later(k % 4, as_view("both")));
  for (auto& r : receipts) {
    ASSERT_EQ(r.wait_for(std::chrono::seconds(20)), std::future_status::ready);
    (void)r.get();
  }
  for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(net.reaches(i, 22)) << i;
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(net.app(i).state(), net.app(0).state());
}

}  // namespace
}  // namespace thresher::net
