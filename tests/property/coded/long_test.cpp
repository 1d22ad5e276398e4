// As liars_test.cpp, 10,000 schedules of each protocol.
#include "schedules.hpp"

namespace thresher {
namespace {

TEST(CodedLiarsLong, BreakNothingOfAvidIn10000Schedules) {
  expect_all_good<Avid>(10'000);
}
TEST(CodedLiarsLong, BreakNothingOfDasXiangRenIn10000Schedules) {
  expect_all_good<DasXiangRen>(10'000);
}

}  // namespace
}  // namespace thresher
