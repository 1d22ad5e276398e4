// The leaders, as a function of the decided slots: docs/protocols/thresher.md, "Leaders".
#include "schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "thresher/core/prng.hpp"

namespace thresher::dag {
namespace {

constexpr std::uint32_t kNodes = 31;
constexpr std::uint32_t kFaults = 10;

NodeId node(std::uint64_t i) {
  return NodeId{static_cast<std::uint16_t>(i)};
}

Rules rules_of(Leaders leaders) {
  Rules rules = Rules::thresher();
  rules.leaders = leaders;
  return rules;
}

NodeSet all_but(std::set<std::uint32_t> out) {
  NodeSet named(kNodes);
  for (std::uint32_t i = 0; i < kNodes; ++i) {
    if (!out.contains(i)) named.insert(node(i));
  }
  return named;
}

// Decides slots one after another; `named` is what each committed leader names.
struct Log {
  Schedule schedule{*Committee::of(kNodes), rules_of(Leaders::kPrompt)};
  Round next{1};

  void commit(std::uint64_t slots, const NodeSet& named) {
    for (; slots > 0; --slots, ++next.value) schedule.note_commit(next, named);
  }
  // Commits, but the slots of these nodes are skipped.
  void commit_without(std::uint64_t slots, const std::set<std::uint32_t>& silent) {
    for (; slots > 0; --slots, ++next.value) {
      if (silent.contains(schedule.leader(next).value)) {
        schedule.note_skip(next);
      } else {
        schedule.note_commit(next, all_but(silent));
      }
    }
  }
  // The leaders of the next rounds.
  std::set<std::uint32_t> leaders(std::uint64_t rounds) const {
    std::set<std::uint32_t> out;
    for (std::uint64_t i = 0; i < rounds; ++i) {
      out.insert(schedule.leader(Round{next.value + i}).value);
    }
    return out;
  }
};

TEST(Schedule, EachHasOneTurnInTurnAndNeighboursAreNotNeighbours) {
  for (std::uint32_t n = 1; n <= 200; ++n) {
    const Committee committee = *Committee::of(n);
    std::set<NodeId> seen;
    for (std::uint64_t r = 5; r < 5 + n; ++r) {
      const NodeId one = turn_of(Round{r}, committee, Leaders::kPrompt);
      const NodeId other = turn_of(Round{r + 1}, committee, Leaders::kPrompt);
      seen.insert(one);
      const std::uint32_t apart = (one.value + n - other.value) % n;
      EXPECT_TRUE(n <= 6 || (apart > 1 && apart < n - 1)) << n;
    }
    EXPECT_EQ(seen.size(), n);
  }
}

// Fewer than three of eight leaders name it: then it leads no more, and does as soon as it is
// named.
TEST(Schedule, WhoIsNotNamedInTimeIsPassedOverUntilItIs) {
  Log log;
  log.commit(5, all_but({3, 7}));
  EXPECT_TRUE(log.leaders(3 * kNodes).contains(3));
  log.commit(20, all_but({3, 7}));
  EXPECT_FALSE(log.leaders(3 * kNodes).contains(3));
  EXPECT_FALSE(log.leaders(3 * kNodes).contains(7));
  EXPECT_EQ(log.leaders(6 * kNodes).size(), kNodes - 2);
  log.commit(20, all_but({7}));
  EXPECT_TRUE(log.leaders(3 * kNodes).contains(3));
  EXPECT_FALSE(log.leaders(3 * kNodes).contains(7));
}

// One that all name in time, but whose slots are skipped: it rests for n rounds, then for 2n, and
// leads again in between without any turn that ignores the schedule.
TEST(Schedule, WhoMissesItsSlotsRestsLongerEachTime) {
  Log log;
  std::vector<std::uint64_t> led;
  while (log.next.value < 12 * kNodes) {
    const bool misses = log.schedule.leader(log.next) == node(5);
    if (misses) led.push_back(log.next.value);
    misses ? log.schedule.note_skip(log.next)
           : static_cast<void>(log.schedule.note_commit(log.next, all_but({})));
    ++log.next.value;
  }
  ASSERT_GE(led.size(), 3u);
  EXPECT_LE(led.size(), 4u);
  EXPECT_GE(led[1] - led[0], kNodes);
  EXPECT_GE(led[2] - led[1], 2 * kNodes);
  log.commit(8 * kNodes, all_but({}));
  EXPECT_TRUE(log.leaders(kNodes).contains(5));
}

// Leaders that all leave the same nodes out: at most f are passed over, those who also miss slots.
TEST(Schedule, AtMostFArePassedOverTheWorstFirst) {
  Log log;
  std::set<std::uint32_t> unnamed;
  for (std::uint32_t i = 0; i < 15; ++i) unnamed.insert(i);
  log.commit(40, all_but(unnamed));
  EXPECT_EQ(log.leaders(8 * kNodes).size(), kNodes - kFaults);
  Log worse;
  worse.commit_without(2 * kNodes, {21, 22});
  unnamed.insert({21, 22});
  worse.commit(40, all_but(unnamed));
  EXPECT_EQ(worse.leaders(8 * kNodes).size(), kNodes - kFaults);
  for (const std::uint32_t id : {21u, 22u}) {
    EXPECT_FALSE(worse.leaders(2 * kNodes).contains(id)) << id;
  }
}

// Once in 16 times around the committee everybody leads, whoever is passed over, and in an order
// that no decision changes: nodes that decided different slots expect the same leaders there, and
// with f faulty ones three correct leaders follow one another.
TEST(Schedule, SomeTurnsIgnoreItAndAreTheSameForAll) {
  Log plain;
  Log other;
  other.commit_without(2 * kNodes, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  const Committee committee = *Committee::of(kNodes);
  const std::uint64_t from = 16 * kNodes - kNodes - 2;
  std::set<NodeId> seen;
  for (std::uint64_t r = from; r < 16 * kNodes; ++r) {
    const NodeId leader = plain.schedule.leader(Round{r});
    EXPECT_EQ(leader, other.schedule.leader(Round{r}));
    EXPECT_EQ(leader, turn_of(Round{r}, committee, Leaders::kPrompt));
    seen.insert(leader);
  }
  EXPECT_EQ(seen.size(), kNodes);
  bool differ = false;
  for (std::uint64_t r = 16 * kNodes; r < 17 * kNodes; ++r) {
    differ |= plain.schedule.leader(Round{r}) != other.schedule.leader(Round{r});
  }
  EXPECT_TRUE(differ);
}

// A record holds all that leads to the next leaders.
TEST(Schedule, GoesOnAfterARestartAsBefore) {
  for (const Leaders rule : {Leaders::kMisses, Leaders::kPrompt}) {
    Prng random(7, static_cast<std::uint64_t>(rule));
    Schedule whole(*Committee::of(kNodes), rules_of(rule));
    for (std::uint64_t slot = 1; slot < 2000; ++slot) {
      if (random.below(3) == 0) {
        whole.note_skip(Round{slot});
        continue;
      }
      NodeSet named(kNodes);
      for (std::uint32_t i = 0; i < kNodes; ++i) {
        if (random.below(kNodes) > i) named.insert(node(i));
      }
      whole.note_commit(Round{slot}, named);
      if (random.below(10) > 0) continue;
      Writer out;
      whole.encode(out);
      Reader in(out.view());
      Schedule restored(*Committee::of(kNodes), rules_of(rule));
      ASSERT_TRUE(restored.decode(in));
      ASSERT_EQ(restored, whole);
    }
  }
}

// A record tells which rule wrote it: by another rule the leaders that follow would be others.
TEST(Schedule, ARecordOfAnotherRuleIsRefused) {
  for (const bool prompt : {false, true}) {
    const Leaders rule = prompt ? Leaders::kPrompt : Leaders::kMisses;
    const Leaders other = prompt ? Leaders::kMisses : Leaders::kPrompt;
    Schedule wrote(*Committee::of(kNodes), rules_of(rule));
    for (std::uint64_t slot = 1; slot < 100; ++slot) {
      slot % 3 == 0 ? wrote.note_skip(Round{slot})
                    : static_cast<void>(wrote.note_commit(Round{slot}, all_but({1, 2})));
    }
    Writer out;
    wrote.encode(out);
    Reader in(out.view());
    Schedule reads(*Committee::of(kNodes), rules_of(other));
    const Schedule before = reads;
    EXPECT_FALSE(reads.decode(in));
    EXPECT_EQ(reads, before);
  }
}

}  // namespace
}  // namespace thresher::dag
