// What is known and counted of each peer: how far it is, what it may still send, what it was
// served.
#include <gtest/gtest.h>

#include "answers.hpp"
#include "frontier.hpp"
#include "names.hpp"
#include "service.hpp"

namespace thresher::chassis {
namespace {

TEST(Answers, AreAsManyAsQuestions) {
  Answers answers(*Committee::of(4), 2);
  EXPECT_FALSE(answers.expects(node(1)));
  answers.asked(node(1));
  EXPECT_TRUE(answers.expects(node(1)));
  EXPECT_FALSE(answers.expects(node(2)));
  answers.came(node(1));
  EXPECT_FALSE(answers.expects(node(1)));
  for (int i = 0; i < 9; ++i) answers.asked(node(1));
  answers.came(node(1));
  answers.came(node(1));
  EXPECT_FALSE(answers.expects(node(1)));  // the others were lost, as far as anybody knows
}

TEST(Frontier, IsWhereSomebodyCorrectIs) {
  Frontier frontier(*Committee::of(7), node(0));
  frontier.note(node(1), Round{1000});
  frontier.note(node(2), Round{900});
  EXPECT_EQ(frontier.reached(), Round{0});  // two may lie
  EXPECT_EQ(frontier.highest(), Round{1000});
  frontier.note(node(3), Round{5});
  EXPECT_EQ(frontier.reached(), Round{5});
  frontier.note(node(3), Round{4});  // an old one
  EXPECT_EQ(frontier.seen(node(3)), Round{5});
  frontier.note(node(4), Round{7});
  EXPECT_EQ(frontier.reached(), Round{7});
}

TEST(Service, WhoGotEnoughWaitsForTheTimer) {
  Service service(*Committee::of(4), 100);
  EXPECT_TRUE(service.count(node(1), 99));
  EXPECT_TRUE(service.may(node(1)));
  EXPECT_FALSE(service.count(node(1), 99));  // the timer runs
  EXPECT_FALSE(service.may(node(1)));
  EXPECT_TRUE(service.may(node(2)));
  service.afresh();
  EXPECT_TRUE(service.may(node(1)));
  EXPECT_TRUE(service.count(node(2), 1));
}

}  // namespace
}  // namespace thresher::chassis
