// Questions for the application are answered once, by it or with what was against them.
#include "service/query_service.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace thresher::net {
namespace {

constexpr ConnectionId kLink = kFirstClient;

struct Asked {
  struct Reply {
    std::uint64_t id = 0;
    bool failed = false;
    std::string text;
  };
  std::uint64_t now = 1'000'000;
  std::uint64_t takes_us = 0;  // the application, for an answer
  std::optional<std::string> throws;
  std::size_t answer_bytes = 3;
  std::vector<Reply> replies;
  QueryService queries{
      {[this](ByteView, Bytes& answer) {
         now += takes_us;
         answer = Bytes::from(std::vector<std::byte>(answer_bytes));
         return throws;
       },
       [this](const Queries::Query& q, bool failed, ByteView answer) {
         replies.push_back(
             {q.id, failed, {reinterpret_cast<const char*>(answer.data()), answer.size()}});
       },
       [this] { return now; }}};
  bool ask(std::uint64_t id, std::uint64_t length = 1, std::size_t bytes = 1,
           std::function<void(Answer)> done = {}, std::uint64_t deadline = 0) {
    return queries.ask(
        {kLink, id, length, Bytes::from(std::vector<std::byte>(bytes)), deadline, std::move(done)});
  }
};

TEST(QueryService, AQuestionWaitsForTheLengthThatItNames) {
  Asked a;
  EXPECT_TRUE(a.ask(1, 5));
  EXPECT_TRUE(a.ask(2, 3));
  EXPECT_TRUE(a.ask(3, 0));  // whatever the node has, once it is level
  EXPECT_FALSE(a.queries.step(4, false));
  ASSERT_EQ(a.replies.size(), 1u);
  EXPECT_EQ(a.replies[0].id, 2u);
  EXPECT_FALSE(a.replies[0].failed);
  EXPECT_FALSE(a.queries.step(4, true));
  EXPECT_EQ(a.replies.back().id, 3u);
  EXPECT_FALSE(a.queries.step(5, true));
  EXPECT_EQ(a.replies.back().id, 1u);
}

TEST(QueryService, AnApplicationThatThrowsFailsOneQuestion) {
  Asked a;
  EXPECT_TRUE(a.ask(1));
  a.throws = "no such account";
  (void)a.queries.step(1, true);
  ASSERT_EQ(a.replies.size(), 1u);
  EXPECT_TRUE(a.replies[0].failed);
  EXPECT_EQ(a.replies[0].text, "no such account");
  a.throws.reset();
  EXPECT_TRUE(a.ask(2));
  (void)a.queries.step(1, true);
  EXPECT_FALSE(a.replies[1].failed);
}

TEST(QueryService, WhatIsTooMuchIsRefusedAtOnce) {
  Asked a;
  EXPECT_FALSE(a.ask(1, 1, kMostQuestion + 1));
  EXPECT_EQ(a.replies.back().text, "a question has at most 65536 bytes");
  for (std::size_t i = 0; i < Queries::kMostOfOne; ++i) EXPECT_TRUE(a.ask(2));
  EXPECT_FALSE(a.ask(3));
  EXPECT_EQ(a.replies.back().id, 3u);
  EXPECT_TRUE(a.replies.back().failed);
  Asked large;
  large.answer_bytes = QueryService::kMostAnswer + 1;
  EXPECT_TRUE(large.ask(4));
  (void)large.queries.step(1, true);
  EXPECT_TRUE(large.replies.back().failed);
}

TEST(QueryService, AnswersTakeAShareOfTheThread) {
  Asked a;
  a.takes_us = 2 * ThreadShare::kBurst;
  for (std::uint64_t id = 0; id < 10; ++id) EXPECT_TRUE(a.ask(id));
  const std::uint64_t began = a.now;
  for (std::size_t calls = 0; a.replies.size() < 10 && calls < 100; ++calls) {
    const auto next = a.queries.step(1, true);
    if (next) a.now = std::max(a.now, *next);
  }
  EXPECT_EQ(a.replies.size(), 10u);
  EXPECT_GE(a.now - began, 9 * ThreadShare::kShare * a.takes_us - ThreadShare::kBurst);
}

// The gateway gave up on such questions, and they held its places until the log came so far.
TEST(QueryService, WhatWaitsTooLongFailsAndGivesItsPlaceBack) {
  Asked a;
  const std::uint64_t end = a.now + 1000;
  for (std::size_t i = 0; i < Queries::kMostOfOne; ++i) EXPECT_TRUE(a.ask(i, 999, 1, {}, end));
  EXPECT_EQ(a.queries.step(1, true), end);
  EXPECT_TRUE(a.replies.empty());
  a.now = end;
  EXPECT_FALSE(a.queries.step(1, true));
  EXPECT_EQ(a.replies.size(), Queries::kMostOfOne);
  EXPECT_TRUE(a.replies.back().failed);
  EXPECT_TRUE(a.ask(99, 1, 1, {}, a.now + 1000));
  (void)a.queries.step(1, true);
  EXPECT_FALSE(a.replies.back().failed);
}

TEST(QueryService, WhoAsksFromThisProcessHearsThatTheNodeStops) {
  Asked a;
  EXPECT_TRUE(a.ask(1, 100));
  EXPECT_TRUE(a.ask(2, 100, 1, [](const Answer&) {}));
  a.queries.close("the node has stopped");
  ASSERT_EQ(a.replies.size(), 1u);
  EXPECT_EQ(a.replies[0].id, 2u);
  EXPECT_EQ(a.replies[0].text, "the node has stopped");
  a.queries.leave(kLink);
  EXPECT_FALSE(a.queries.step(100, true));
  EXPECT_EQ(a.replies.size(), 1u);
}

}  // namespace
}  // namespace thresher::net
