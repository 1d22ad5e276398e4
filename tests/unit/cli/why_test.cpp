#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/cluster.hpp"

namespace thresher::cli {
namespace {

// "try --storage memory" was said of a cluster in memory, too.
TEST(WhyNotFaster, AdviceIsNotWhatWasDoneAlready) {
  ClusterReport report;
  report.committed = 100;
  report.seconds = 2;
  ClusterOptions options;
  EXPECT_THAT(why_not_faster(options, report), testing::HasSubstr("try --storage memory"));
  options.memory = true;
  const std::string why = why_not_faster(options, report);
  EXPECT_THAT(why, testing::Not(testing::HasSubstr("disk")));
  EXPECT_THAT(why, testing::Not(testing::HasSubstr("--storage")));
  EXPECT_THAT(why, testing::HasSubstr("larger --window"));
}

// A file of four lines was over in less time than the work that was counted for it took.
TEST(WhyNotFaster, AShortFileTellsNothingOfTheCpu) {
  ClusterReport report;
  report.committed = 4;
  report.seconds = 0.01;
  report.cpu_share = 1;
  ClusterOptions options;
  options.from_file = true;
  EXPECT_THAT(why_not_faster(options, report), testing::HasSubstr("it was over after 0.01 s"));
  report.seconds = 5;
  EXPECT_THAT(why_not_faster(options, report), testing::HasSubstr("cores 100 % busy"));
}

}  // namespace
}  // namespace thresher::cli
