// The certified family and mahi-mahi in the simulator: kills, two-faced members and starved leaders
// at every size of committee that the sizes of quorums tell apart, and at large ones.
#include <gtest/gtest.h>

#include <algorithm>

#include "../../family_sizes.hpp"
#include "thresher/sim/outcome.hpp"

namespace thresher::sim {
namespace {

class Sizes : public testing::TestWithParam<FamilySize> {
 protected:
  static Experiment base() {
    Experiment e;
    e.protocol = std::get<0>(GetParam());
    e.n = std::get<1>(GetParam());
    e.f = (e.n - 1) / 3;
    e.seed = e.n;
    e.stop.time = (e.n > kLarge ? 45 : 150) * kUnit;
    return e;
  }
  // All of the last f, a fault each.
  static Experiment with(FaultKind what) {
    Experiment e = base();
    for (std::uint32_t k = 1; k <= e.f; ++k) {
      FaultAction a{.who = {NodeId{static_cast<std::uint16_t>(e.n - k)}}, .what = what};
      if (what == FaultKind::kCrash) {
        a.from = (5 + k % 3) * kUnit;
        a.to = (25 + k % 5) * kUnit;
      }
      e.faults.push_back(a);
    }
    return e;
  }
  static void expect_progress(const Experiment& e, std::uint64_t least) {
    const Outcome o = simulate(e, {});
    EXPECT_EQ(o.verdict, Verdict::kPass) << o.oracle << ": " << o.why;
    EXPECT_GE(o.decisions, least);
    EXPECT_GT(o.faults_fired, 0U);
  }

  static constexpr std::uint32_t kLarge = 10;
  static constexpr std::uint64_t kFew = 3;
};

INSTANTIATE_TEST_SUITE_P(All, Sizes, family_sizes(), size_name);

TEST_P(Sizes, FKillsAndReturns) {
  expect_progress(with(FaultKind::kCrash), kFew);
}

TEST_P(Sizes, FEquivocators) {
  expect_progress(with(FaultKind::kEquivocate), kFew);
}

// No leader is heard in time before a third of the run is over.
TEST_P(Sizes, StarvedLeaders) {
  Experiment e = base();
  FaultAction late{.what = FaultKind::kStarve};
  late.to = *e.stop.time / 3;
  e.network.gst = *late.to;
  e.faults.push_back(late);
  expect_progress(e, kFew);
}

}  // namespace
}  // namespace thresher::sim
