// As liars_test.cpp, 10,000 schedules of each protocol; and a payload of 64 MiB.
#include "bus.hpp"
#include "schedules.hpp"

namespace thresher {
namespace {

template <class Node>
class CodedLiarsLong : public ::testing::Test {};
TYPED_TEST_SUITE(CodedLiarsLong, Shelf, ShelfNames);

TYPED_TEST(CodedLiarsLong, BreakNothingIn10000Schedules) {
  expect_all_good<TypeParam>(10'000);
}

template <class Node>
void deliver_64_mib() {
  Bus<Node> bus(4, 1, std::size_t{64} << 20);
  const Bytes payload = payload_of(std::size_t{64} << 20);
  bus.deaf.insert(NodeId{3});
  bus.broadcast(0, payload);
  bus.settle();
  for (std::uint16_t i = 0; i < 3; ++i) {
    ASSERT_EQ(bus.got[i].size(), 1U) << "node " << i;
    EXPECT_EQ(bus.got[i].begin()->second, payload);
  }
}
TEST(CodedLong, AvidDelivers64MiB) {
  deliver_64_mib<Avid>();
}
TEST(CodedLong, DasXiangRenDelivers64MiB) {
  deliver_64_mib<DasXiangRen>();
}

}  // namespace
}  // namespace thresher
