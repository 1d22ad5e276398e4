#include "thresher/sim/wan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "thresher/sim/network.hpp"

namespace thresher::sim {
namespace {

TEST(Wan, TablesAreSymmetricAndFull) {
  ASSERT_GE(wan_tables().size(), 3U);
  for (const WanTable& table : wan_tables()) {
    const std::size_t n = table.regions.size();
    ASSERT_EQ(table.rtt_us.size(), n * n) << table.name;
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) {
        EXPECT_EQ(table.one_way(a, b), table.one_way(b, a)) << table.name;
        EXPECT_GT(table.one_way(a, b), 0U);
        if (a != b) {
          EXPECT_GT(table.one_way(a, b), table.one_way(a, a)) << table.name;
        }
      }
    }
  }
}

TEST(Wan, FindsTablesAndRegionsByName) {
  const WanTable* aws = wan_table("aws");
  ASSERT_NE(aws, nullptr);
  EXPECT_EQ(aws->one_way(*aws->index_of("ireland"), *aws->index_of("tokyo")), 106'200U);
  EXPECT_EQ(aws->index_of("atlantis"), std::nullopt);
  EXPECT_EQ(wan_table("azure"), nullptr);
}

TEST(Wan, LinksOfTheTableComeBeforeTheExperimentsOwn) {
  Network net;
  net.links.push_back({});
  EXPECT_EQ(links_with_wan(net).size(), 1U);
  net.wan = "aws";
  net.regions = {"ireland", "tokyo", "ireland"};
  const auto links = links_with_wan(net);
  ASSERT_EQ(links.size(), 5U);  // from and to each of two regions, and its own
  EXPECT_EQ(links[0].from, (std::vector<NodeId>{NodeId{0}, NodeId{2}}));
  EXPECT_EQ(links[0].delay.mean, 250U);
  EXPECT_EQ(links[1].delay.mean, 106'200U);
  EXPECT_TRUE(links[4].from.empty());
}

TEST(Wan, JitterWidensEveryWayAndLossStaysBetweenRegions) {
  Network net;
  net.matrix = {.regions = {"here", "there"},
                .rtt_us = {1000, 80'001, 90'000, 1000},
                .jitter_ppm = 30'000,
                .loss_ppm = 5'000};
  net.regions = {"here", "there"};
  const auto links = links_with_wan(net);
  ASSERT_EQ(links.size(), 4U);
  EXPECT_EQ(links[1].delay.kind, DelayLaw::Kind::kUniform);
  EXPECT_EQ(links[1].delay.min, 38'800U);  // half of 80,001 less 3 %
  EXPECT_EQ(links[1].delay.max, 41'200U);
  EXPECT_EQ(links[2].delay.mean, 45'000U);  // the way back is its own
  EXPECT_EQ(links[0].loss_ppm, 0U);
  EXPECT_EQ(links[1].loss_ppm, 5'000U);
}

// Both directions of every pair of regions, over many messages: within the jitter, about the mean,
// and about as many lost as the table says.
TEST(Wan, MessagesKeepTheTable) {
  Experiment e;
  e.n = 2;
  e.engine = Engine::kEvents;
  e.network.matrix = {.regions = {"here", "there"},
                      .rtt_us = {1000, 80'000, 90'000, 1000},
                      .jitter_ppm = 100'000,
                      .loss_ppm = 50'000};
  e.network.regions = {"here", "there"};
  const Links links(e, NodeSet{});
  EXPECT_TRUE(links.lossy());
  EXPECT_EQ(links.longest(), 49'500U);
  for (const auto& [from, to, way] : {std::tuple{0, 1, 40'000.0}, {1, 0, 45'000.0}}) {
    std::uint64_t lost = 0;
    double sum = 0;
    Ticks least = UINT64_MAX;
    Ticks most = 0;
    for (std::uint64_t number = 0; number < 10'000; ++number) {
      const Transit t = links.transit({NodeId{static_cast<std::uint16_t>(from)},
                                       NodeId{static_cast<std::uint16_t>(to)}, number, 7});
      lost += t.lost ? 1 : 0;
      if (t.lost) continue;
      sum += static_cast<double>(t.at - 7);
      least = std::min(least, t.at - 7);
      most = std::max(most, t.at - 7);
    }
    EXPECT_NEAR(static_cast<double>(lost), 500.0, 80.0);
    EXPECT_NEAR(sum / static_cast<double>(10'000 - lost), way, way / 200);
    EXPECT_GE(static_cast<double>(least), way * 0.9);
    EXPECT_LE(static_cast<double>(most), way * 1.1);
    EXPECT_LT(static_cast<double>(least), way * 0.91);
    EXPECT_GT(static_cast<double>(most), way * 1.09);
  }
}

}  // namespace
}  // namespace thresher::sim
