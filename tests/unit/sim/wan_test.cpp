#include "thresher/sim/wan.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace thresher::sim
