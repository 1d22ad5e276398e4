#include "service/queries.hpp"

#include <gtest/gtest.h>

namespace thresher::net {
namespace {

Queries::Query query(ConnectionId from, std::uint64_t id, std::uint64_t length = 0,
                     std::size_t bytes = 1) {
  return {from, id, length, Bytes::copy_of(as_view(std::string(bytes, 'q'))), {}};
}

TEST(Queries, WaitUntilTheirTransactionsAreApplied) {
  Queries queries;
  ASSERT_TRUE(queries.add(query(1, 1, 5)));
  ASSERT_TRUE(queries.add(query(2, 2, 0)));
  EXPECT_EQ(queries.take(4, true, 0)->id, 2u);  // who waits for more holds up nobody
  EXPECT_FALSE(queries.take(4, true, 0));
  EXPECT_FALSE(queries.next_us(4, true));
  EXPECT_TRUE(queries.next_us(5, true));
  EXPECT_EQ(queries.take(5, true, 0)->id, 1u);
  EXPECT_TRUE(queries.empty());
}

// A node that has just started may have told more before than its disk knows.
TEST(Queries, WithoutALengthWaitUntilTheNodeIsLevel) {
  Queries queries;
  ASSERT_TRUE(queries.add(query(7, 1, 0)));
  ASSERT_TRUE(queries.add(query(7, 2, 4)));
  EXPECT_EQ(queries.take(4, false, 0)->id, 2u) << "it has what was asked for";
  EXPECT_FALSE(queries.take(4, false, 0));
  EXPECT_FALSE(queries.next_us(4, false));
  EXPECT_TRUE(queries.next_us(4, true));
  EXPECT_EQ(queries.take(4, true, 0)->id, 1u);
  ASSERT_TRUE(queries.add(query(kOwnLink, 3, 0)));
  EXPECT_EQ(queries.take(4, false, 0)->id, 3u) << "the program itself asks";
}

TEST(Queries, OneLinkDoesNotTakeTheRoomOfOthers) {
  Queries queries;
  for (std::size_t i = 0; i < Queries::kMostOfOne; ++i) ASSERT_TRUE(queries.add(query(1, i, 9)));
  EXPECT_FALSE(queries.add(query(1, 99, 9)));
  EXPECT_TRUE(queries.add(query(2, 1, 9)));
  queries.leave(1);
  EXPECT_TRUE(queries.add(query(1, 1, 9)));
}

TEST(Queries, AreBoundedInNumberAndBytes) {
  Queries many;
  std::size_t taken = 0;
  for (ConnectionId link = 0; link < 200; ++link) {
    for (std::size_t i = 0; i < Queries::kMostOfOne; ++i) taken += many.add(query(link, i, 9));
  }
  EXPECT_EQ(taken, Queries::kMostOfAll);
  Queries large;
  std::size_t bytes = 0;
  for (ConnectionId link = 0; link < 1000; ++link) {
    if (large.add(query(link, 0, 9, 65536))) bytes += 65536;
  }
  EXPECT_EQ(bytes, Queries::kMostBytes);
  // A link that got no room is not counted as holding any.
  for (ConnectionId link = 0; link < 1000; ++link) large.leave(link);
  EXPECT_TRUE(large.empty());
  EXPECT_TRUE(large.add(query(1, 0, 9, Queries::kMostBytes)));
}

TEST(Queries, SlowAnswersTakeAPartOfTheTime) {
  Queries queries;
  std::uint64_t now = 1'000'000;
  std::uint64_t busy = 0;
  for (int i = 0; i < 10'000; ++i) {
    if (i % 10 == 0) (void)queries.add(query(1, 0));
    if (queries.take(0, true, now)) {
      queries.spent(now, now + 5000);
      busy += 5000;
      now += 5000;
    } else {
      now += 1000;
    }
  }
  EXPECT_LE(busy, (now - 1'000'000) / ThreadShare::kShare + 2 * 5000);
  EXPECT_GE(busy, (now - 1'000'000) / (2 * ThreadShare::kShare));
}

}  // namespace
}  // namespace thresher::net
