// Every broadcast of the shelf under liars, attack by attack.
#include "../../how_many.hpp"
#include "schedules.hpp"

namespace thresher {
namespace {

template <class Node>
class CodedLiars : public ::testing::Test {};
TYPED_TEST_SUITE(CodedLiars, Shelf, ShelfNames);

TYPED_TEST(CodedLiars, BreakNothingInAnySchedule) {
  expect_all_good<TypeParam>(how_many(150, 300));
}

}  // namespace
}  // namespace thresher
