// The conformance checker on traces written by hand: a good one, and one of every wrong kind.
#include "thresher/verify/conformance.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "thresher/protocols/broadcast/bracha.hpp"
#include "thresher/protocols/broadcast/imbs_raynal.hpp"

namespace thresher::verify {
namespace {

constexpr std::uint8_t kEchoRule = 0;
constexpr std::uint8_t kReadyRule = 1;
constexpr std::uint8_t kDeliverRule = 6;
constexpr std::uint64_t kValue = 77;

RuleEvent event(std::uint16_t node, std::uint8_t rule, std::uint32_t tally, bool says) {
  RuleEvent e{.node = NodeId{node}, .rule = rule, .tally = tally, .value = tally == 0 ? 0 : kValue};
  if (says) e.said = kValue;
  return e;
}

// Four correct nodes, one broadcast.
RuleLog good() {
  RuleLog log;
  for (std::uint16_t i = 0; i < 4; ++i) log.add(event(i, kEchoRule, 0, true));
  for (std::uint16_t i = 0; i < 4; ++i) log.add(event(i, kReadyRule, 3, true));
  for (std::uint16_t i = 0; i < 4; ++i) log.add(event(i, kDeliverRule, 4, false));
  return log;
}

std::string judge(const RuleLog& log, NodeSet faulty = NodeSet(4)) {
  Conformance check(bracha::kTable, *Committee::of(4), std::move(faulty));
  for (const RuleEvent& e : log.events) {
    if (const auto taken = check.add(e); !taken) return taken.error().text();
  }
  const auto end = check.finish(Conformance::End::kSettled);
  return end ? "" : end.error().text();
}

TEST(Conformance, AGoodTraceIsARunAndAnEmptyOneIsNot) {
  EXPECT_EQ(judge(good()), "");
  EXPECT_NE(judge({}).find("no step"), std::string::npos);
  // Steps of faulty nodes are not evidence.
  NodeSet faulty(4);
  faulty.insert(NodeId{0});
  RuleLog log;
  log.add(event(0, kEchoRule, 0, true));
  EXPECT_NE(judge(log, faulty).find("no step"), std::string::npos);
}

TEST(Conformance, EveryWrongStepIsNamed) {
  struct Case {
    const char* says;
    std::function<void(RuleLog&)> spoil;
  };
  const Case cases[] = {
      {"needs 3", [](RuleLog& l) { l.events[4].tally = 2; }},
      {"can have spoken", [](RuleLog& l) { l.events[4].tally = 5; }},
      {"can have spoken", [](RuleLog& l) { l.events[4].value = 78; }},
      {"other than the one it counted", [](RuleLog& l) { l.events[4].said = 78; }},
      {"did not send", [](RuleLog& l) { l.events[4].said.reset(); }},
      {"does not declare", [](RuleLog& l) { l.events[8].said = kValue; }},
      {"the rule starts in", [](RuleLog& l) { l.events[8].rule = kReadyRule; }},
      {"no such rule", [](RuleLog& l) { l.events[8].rule = 99; }},
      {"no member", [](RuleLog& l) { l.events[8].node = NodeId{4}; }},
      {"causal order", [](RuleLog& l) { l.events[8].clock = 8; }},
      {"never taken", [](RuleLog& l) { l.events.pop_back(); }},
      {"forgot a statement",
       [](RuleLog& l) {
         l.add({.node = NodeId{0}, .rule = RuleEvent::kRestart, .location = bracha::kIdle});
       }},
  };
  for (const Case& c : cases) {
    RuleLog log = good();
    c.spoil(log);
    const std::string problem = judge(log);
    EXPECT_NE(problem.find(c.says), std::string::npos) << c.says << ": '" << problem << "'";
  }
}

TEST(Conformance, ARestartMayForgetASilentStepOnly) {
  RuleLog log = good();
  log.add({.node = NodeId{0}, .rule = RuleEvent::kRestart, .location = bracha::kReady});
  log.add(event(0, kDeliverRule, 4, false));
  EXPECT_EQ(judge(log), "");
}

// Node 0 witnessed 7 and joins for it without a word: said again it would count twice, and five
// senders would seem to have spoken where four nodes are.
TEST(Conformance, WhatARuleForbidsToSayAgainIsNamed) {
  Conformance check(imbs_raynal::kTable, *Committee::of(6), NodeSet(6));
  RuleLog log;
  for (std::uint16_t i = 0; i < 4; ++i) log.add({.node = NodeId{i}, .rule = 0, .said = 7});
  for (const RuleEvent& e : log.events) ASSERT_TRUE(check.add(e));
  const RuleEvent again{
      .clock = 5, .node = NodeId{0}, .rule = 1, .tally = 4, .value = 7, .said = 7};
  const auto taken = check.add(again);
  ASSERT_FALSE(taken);
  EXPECT_NE(taken.error().text().find("said before"), std::string::npos) << taken.error();
}
TEST(Conformance, AnotherValueThanTheWitnessedOneIsSaid) {
  Conformance check(imbs_raynal::kTable, *Committee::of(6), NodeSet(6));
  RuleLog log;
  for (std::uint16_t i = 0; i < 4; ++i) log.add({.node = NodeId{i}, .rule = 0, .said = 7});
  log.add({.node = NodeId{4}, .rule = 0, .said = 8});
  log.add({.node = NodeId{4}, .rule = 1, .tally = 4, .value = 7, .said = 7});
  log.add({.node = NodeId{0}, .rule = 1, .tally = 5, .value = 7});
  for (const RuleEvent& e : log.events) {
    const auto taken = check.add(e);
    EXPECT_TRUE(taken) << taken.error();
  }
}

TEST(Conformance, FaultySendersCountOnceEachAndNoMoreThanFOfThem) {
  NodeSet faulty(4);
  faulty.insert(NodeId{3});
  RuleLog log;
  for (std::uint16_t i = 0; i < 2; ++i) log.add(event(i, kEchoRule, 0, true));
  log.add(event(0, kReadyRule, 3, true));  // two correct echoes and the faulty one
  Conformance check(bracha::kTable, *Committee::of(4), faulty);
  for (const RuleEvent& e : log.events) EXPECT_TRUE(check.add(e));
  EXPECT_TRUE(check.finish(Conformance::End::kCut));
  EXPECT_NE(judge(log).find("can have spoken"), std::string::npos) << "with nobody faulty";
  faulty.insert(NodeId{2});
  EXPECT_NE(judge(log, faulty).find("at most 1"), std::string::npos);
}

}  // namespace
}  // namespace thresher::verify
