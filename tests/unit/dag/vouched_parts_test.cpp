// Which blocks of the log of peers may be shown to others.
#include <gtest/gtest.h>

#include "bookkeeping.hpp"
#include "vouched.hpp"

namespace thresher::dag {
namespace {

TEST(Vouched, IsLookedAtOnceBeforeItIsShown) {
  Vouched vouched;
  EXPECT_TRUE(vouched.may_be_shown(edge(1, 2)));
  vouched.add(edge(1, 2));
  EXPECT_FALSE(vouched.may_be_shown(edge(1, 2)));
  EXPECT_TRUE(vouched.may_be_shown(edge(1, 2, 9)));  // a twin that came by itself
  EXPECT_TRUE(vouched.begins_look(edge(1, 2)));
  EXPECT_FALSE(vouched.begins_look(edge(1, 2)));
  vouched.looked_at(edge(1, 2), true);
  EXPECT_TRUE(vouched.may_be_shown(edge(1, 2)));
}

TEST(Vouched, WithAFalseSignatureIsNeverShown) {
  Vouched vouched;
  vouched.add(edge(1, 2));
  EXPECT_TRUE(vouched.begins_look(edge(1, 2)));
  vouched.looked_at(edge(1, 2), false);
  vouched.add(edge(1, 2));
  EXPECT_FALSE(vouched.may_be_shown(edge(1, 2)));
  EXPECT_FALSE(vouched.begins_look(edge(1, 2)));
  vouched.forget(edge(1, 2));
  vouched.looked_at(edge(1, 2), false);  // too late
  EXPECT_TRUE(vouched.may_be_shown(edge(1, 2)));
}

}  // namespace
}  // namespace thresher::dag
