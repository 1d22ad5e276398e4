#include "service/queries.hpp"

#include <gtest/gtest.h>

namespace thresher::net {
namespace {

Queries::Query query(ConnectionId from, std::uint64_t id, std::uint64_t length = 0,
                     std::size_t bytes = 1) {
  return {from, id, length, Bytes::copy_of(as_view(std::string(bytes, 'q')))};
}

/// Among links of which none has more than another nothing gives way.
bool add(Queries& queries, Queries::Query query) {
  std::vector<Queries::Query> gave_way;
  const bool taken = queries.add(std::move(query), gave_way);
  EXPECT_TRUE(gave_way.empty());
  return taken;
}

TEST(Queries, WaitUntilTheirTransactionsAreApplied) {
  Queries queries;
  ASSERT_TRUE(add(queries, query(1, 1, 5)));
  ASSERT_TRUE(add(queries, query(2, 2, 0)));
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
  ASSERT_TRUE(add(queries, query(7, 1, 0)));
  ASSERT_TRUE(add(queries, query(7, 2, 4)));
  EXPECT_EQ(queries.take(4, false, 0)->id, 2u) << "it has what was asked for";
  EXPECT_FALSE(queries.take(4, false, 0));
  EXPECT_FALSE(queries.next_us(4, false));
  EXPECT_TRUE(queries.next_us(4, true));
  EXPECT_EQ(queries.take(4, true, 0)->id, 1u);
  ASSERT_TRUE(add(queries, query(kOwnLink, 3, 0)));
  EXPECT_EQ(queries.take(4, false, 0)->id, 3u) << "the program itself asks";
}

TEST(Queries, OneLinkDoesNotTakeTheRoomOfOthers) {
  Queries queries;
  for (std::size_t i = 0; i < Queries::kMostOfOne; ++i) ASSERT_TRUE(add(queries, query(1, i, 9)));
  EXPECT_FALSE(add(queries, query(1, 99, 9)));
  EXPECT_TRUE(add(queries, query(2, 1, 9)));
  queries.leave(1);
  EXPECT_TRUE(add(queries, query(1, 1, 9)));
}

TEST(Queries, AreBoundedInNumberAndBytes) {
  Queries many;
  std::vector<Queries::Query> gave_way;
  std::size_t taken = 0;
  for (ConnectionId link = 0; link < 200; ++link) {
    for (std::size_t i = 0; i < Queries::kMostOfOne; ++i)
      taken += many.add(query(link, i, 9), gave_way);
  }
  EXPECT_EQ(taken - gave_way.size(), Queries::kMostOfAll);
  Queries large;
  gave_way.clear();
  std::size_t bytes = 0;
  for (ConnectionId link = 0; link < 1000; ++link) {
    if (large.add(query(link, 0, 9, 65536), gave_way)) bytes += 65536;
  }
  EXPECT_EQ(bytes, Queries::kMostBytes);
  EXPECT_TRUE(gave_way.empty()) << "none had more than another";
  // A link that got no room is not counted as holding any.
  for (ConnectionId link = 0; link < 1000; ++link) large.leave(link);
  EXPECT_TRUE(large.empty());
  EXPECT_TRUE(add(large, query(1, 0, 9, Queries::kMostBytes)));
}

// A few links that ask for what never comes would else lock out everybody, the host too.
TEST(Queries, WhoHasMostGivesWay) {
  Queries queries;
  std::vector<Queries::Query> gave_way;
  constexpr std::uint64_t kNever = ~std::uint64_t{0};
  const std::size_t each = Queries::kMostBytes / 4 / Queries::kMostOfOne;
  for (ConnectionId link = 10; link < 14; ++link) {
    for (std::size_t i = 0; i < Queries::kMostOfOne; ++i)
      ASSERT_TRUE(queries.add(query(link, i, kNever, each), gave_way));
  }
  ASSERT_TRUE(gave_way.empty());
  ASSERT_TRUE(queries.add(query(kOwnLink, 1, 0, each), gave_way));
  ASSERT_EQ(gave_way.size(), 1u);
  EXPECT_EQ(gave_way[0].id, Queries::kMostOfOne - 1) << "the newest of who has most";
  EXPECT_EQ(queries.take(0, false, 0)->from, kOwnLink);
  // One that has as much as any other makes no room for itself.
  gave_way.clear();
  ASSERT_TRUE(queries.add(query(20, 1, kNever, each), gave_way));
  for (int i = 0; i < 1000; ++i) (void)queries.add(query(20, 2, kNever, each), gave_way);
  EXPECT_LE(gave_way.size(), 4 * Queries::kMostOfOne / 5 + 1);
}

// Links and places: 64 links that hold all places leave room for others, too.
TEST(Queries, WhoHasMostPlacesGivesWay) {
  Queries queries;
  std::vector<Queries::Query> gave_way;
  for (ConnectionId link = 0; link < 64; ++link) {
    for (std::size_t i = 0; i < Queries::kMostOfOne; ++i)
      ASSERT_TRUE(queries.add(query(link, i, 9), gave_way));
  }
  ASSERT_TRUE(gave_way.empty());
  EXPECT_TRUE(queries.add(query(99, 1, 9), gave_way));
  EXPECT_EQ(gave_way.size(), 1u);
}

TEST(Queries, WaitUntilTheirDeadline) {
  Queries queries;
  Queries::Query late = query(1, 1, 9);
  late.deadline_us = 500;
  ASSERT_TRUE(add(queries, late));
  ASSERT_TRUE(add(queries, query(1, 2, 9)));  // of the host, who may wait for ever
  EXPECT_EQ(queries.next_us(0, true), 500u);
  EXPECT_TRUE(queries.take_late(499).empty());
  const auto gone = queries.take_late(500);
  ASSERT_EQ(gone.size(), 1u);
  EXPECT_EQ(gone[0].id, 1u);
  EXPECT_FALSE(queries.next_us(0, true));
  for (std::size_t i = 1; i < Queries::kMostOfOne; ++i)
    EXPECT_TRUE(add(queries, query(1, 9, 9))) << "its place is free again";
}

TEST(Queries, SlowAnswersTakeAPartOfTheTime) {
  Queries queries;
  std::uint64_t now = 1'000'000;
  std::uint64_t busy = 0;
  for (int i = 0; i < 10'000; ++i) {
    if (i % 10 == 0) (void)add(queries, query(1, 0));
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
