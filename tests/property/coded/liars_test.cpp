// The erasure-coded broadcasts, Bracha's and chained echo under liars, and the thresholds of the
// first: one less breaks something.
#include "schedules.hpp"

namespace thresher {
namespace {

template <class Node>
class CodedLiars : public ::testing::Test {};
using Protocols = ::testing::Types<Avid, DasXiangRen, Bracha, ChainedEcho>;
TYPED_TEST_SUITE(CodedLiars, Protocols);

TYPED_TEST(CodedLiars, BreakNothingInAnySchedule) {
  expect_all_good<TypeParam>(300);
}

/// What lowering (or raising) one threshold of `standard` breaks.
template <class Node>
std::string broken_by(coded::Thresholds standard, Threshold coded::Thresholds::*which, int by) {
  (standard.*which).c += by * (standard.*which).d;
  constexpr std::uint32_t kSmall[] = {4, 5, 6};
  return schedules<Node>(6000, standard, kSmall).first;
}

TEST(CodedThresholds, OfAvidAreTheLeastThatHold) {
  for (const auto which :
       {&coded::Thresholds::ready, &coded::Thresholds::amplify, &coded::Thresholds::deliver})
    EXPECT_NE(broken_by<Avid>(avid::kThresholds, which, -1), "");
}

TEST(CodedThresholds, OfDasXiangRenAreTheLeastThatHold) {
  for (const auto which : {&coded::Thresholds::ready, &coded::Thresholds::vouch,
                           &coded::Thresholds::amplify, &coded::Thresholds::deliver})
    EXPECT_NE(broken_by<DasXiangRen>(das_xiang_ren::kThresholds, which, -1), "");
}

// Fewer fragments would only be longer; with one more, f that withhold theirs stop everybody. For
// das-xiang-ren see CodedUnitDasXiangRen.OneMoreFragmentWouldBeTooMany.
TEST(CodedThresholds, OfAvidAskForAsManyFragmentsAsThereAre) {
  EXPECT_NE(broken_by<Avid>(avid::kThresholds, &coded::Thresholds::join, 1), "");
}

}  // namespace
}  // namespace thresher
