// What may be noted of what a node signed.
#include "node/durable_pledge.hpp"

#include <gtest/gtest.h>

namespace thresher::net {
namespace {

TEST(DurablePledge, IsNeverMoreThanTheDiskHas) {
  DurablePledge pledge;
  EXPECT_FALSE(pledge.look({1, 0}));
  pledge.handed(1);
  pledge.durable(1);  // handed after the look, so all before it is on the disk
  EXPECT_EQ(pledge.look({5, 2}), (Pledge{1, 0}));
  EXPECT_FALSE(pledge.look({6, 2}));
  pledge.handed(2);
  pledge.handed(3);
  pledge.durable(1);
  EXPECT_FALSE(pledge.look({7, 2}));
  pledge.durable(2);
  EXPECT_EQ(pledge.look({8, 3}), (Pledge{5, 2}));
}

}  // namespace
}  // namespace thresher::net
