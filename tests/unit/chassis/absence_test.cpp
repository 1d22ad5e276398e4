// Rounds that went on without a node.
#include "absence.hpp"

#include <gtest/gtest.h>

#include "names.hpp"

namespace thresher::chassis {
namespace {

TEST(Absence, CoversWhatOthersReachedWhileTheNodeWasFarBehind) {
  Frontier others(*Committee::of(4), node(0));
  Absence absence;
  for (std::uint16_t peer = 1; peer <= 2; ++peer)
    others.note(node(peer), Round{10 + Absence::kAway});
  absence.look(Round{10}, others);
  EXPECT_FALSE(absence.covers(Round{1})) << "so far apart are nodes that hear each other";
  absence.look(Round{9}, others);
  EXPECT_TRUE(absence.covers(Round{10 + Absence::kAway}));
  EXPECT_FALSE(absence.covers(Round{11 + Absence::kAway}));
  // It has come up, and what others wrote meanwhile may still be found.
  absence.look(Round{10 + Absence::kAway}, others);
  EXPECT_TRUE(absence.covers(Round{10 + Absence::kAway}));
}

TEST(Absence, FLiarsDoNotMakeIt) {
  Frontier others(*Committee::of(4), node(0));
  Absence absence;
  others.note(node(1), Round{1000});
  absence.look(Round{1}, others);
  EXPECT_FALSE(absence.covers(Round{1}));
}

}  // namespace
}  // namespace thresher::chassis
