// The standing comparison of logs against peers that differ, lie, lag and are gone.
#include "ledger/standing_check.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <set>

#include "thresher/core/prng.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/net/codec.hpp"

namespace thresher::net {
namespace {

constexpr std::uint64_t kSecond = 1'000'000;

// Log hashes after commits at some slots: a chain, as in the ledger.
struct Log {
  std::map<std::uint64_t, Digest> hashes;

  void append(std::uint64_t slot, std::uint64_t what) {
    Writer w;
    w.u64(slot).u64(what).bytes(at(head()).value_or(Digest{}).bytes);
    hashes[slot] = hash(w.view());
  }
  Round head() const { return Round{hashes.empty() ? 0 : hashes.rbegin()->first}; }
  std::optional<Digest> at(Round slot) const {
    if (slot > head()) return std::nullopt;
    const auto it = hashes.upper_bound(slot.value);
    return it == hashes.begin() ? Digest{} : std::prev(it)->second;
  }
};

class Peers : public testing::Test {
 protected:
  void make(std::uint32_t n) {
    committee = *Committee::of(n);
    logs.resize(n);
    lies.clear();
    gone.clear();
    check = std::make_unique<StandingCheck>(
        committee, NodeId{0},
        StandingCheck::Hooks{[this](NodeId to, const Frame& f) { asked.emplace_back(to, f); },
                             [this](Round slot) { return logs[0].at(slot); }});
  }
  void append_all(std::uint64_t slot) {
    for (Log& log : logs) log.append(slot, slot);
  }
  // Time passes, and questions are answered, the last one last.
  void run(std::uint64_t us) {
    for (const std::uint64_t end = now + us; now < end && !check->finding(); now += 20'000) {
      check->tick(logs[0].head(), logs[0].at(logs[0].head()).value_or(Digest{}), now);
      answer();
    }
  }
  void answer() {
    for (; !asked.empty(); asked.pop_front()) {
      const auto [to, frame] = asked.front();
      ++questions;
      if (gone.contains(to.value)) continue;
      const auto want = wire::decode<wire::WantLogHash>(frame.control.view());
      ASSERT_TRUE(want);
      auto hash = logs[to.value].at(want->slot);
      if (lies.contains(to.value)) hash = thresher::hash(Writer().u64(rng.next()).view());
      wire::LogHash out{want->slot, hash.value_or(Digest{}), hash.has_value()};
      check->hash(to, out, now);
      check->hash(to, out, now);  // said twice, counted once
    }
  }

  Committee committee = *Committee::of(4);
  std::vector<Log> logs;  // of all nodes; 0 is the one that checks
  std::set<std::uint32_t> lies;
  std::set<std::uint32_t> gone;
  std::unique_ptr<StandingCheck> check;
  std::deque<std::pair<NodeId, Frame>> asked;
  std::uint64_t now = 100 * kSecond;
  std::uint64_t questions = 0;
  Prng rng{7, 0};
};

TEST_F(Peers, TheFirstSlotThatDiffersIsFoundWhereverItIs) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Prng draw(seed, 0);
    logs.clear();
    make(seed % 3 == 0 ? 7 : 4);
    // Slots with gaps; at one of them the log here has another commit, or none.
    std::vector<std::uint64_t> slots;
    for (std::uint64_t slot = 0; slots.size() < 60;) slots.push_back(slot += 1 + draw.below(3));
    const std::uint64_t bad = draw.below(60);
    const bool left_out = draw.below(2) == 0 && bad < 59;
    const std::uint64_t first = slots[bad];
    for (std::uint64_t k = 0; k < 60; ++k) {
      for (std::size_t i = 1; i < logs.size(); ++i) logs[i].append(slots[k], slots[k]);
      if (k != bad || !left_out) logs[0].append(slots[k], k == bad ? 999'999 : slots[k]);
    }
    run(20 * kSecond);
    ASSERT_TRUE(check->finding()) << seed;
    EXPECT_EQ(check->finding()->first, Round{first}) << seed;
    EXPECT_EQ(check->finding()->same, Round{first - 1}) << seed;
    EXPECT_EQ(check->finding()->there, *logs[1].at(Round{first})) << seed;
    EXPECT_EQ(check->finding()->here, *logs[0].at(Round{first})) << seed;
  }
}

TEST_F(Peers, FewerThanAValiditySetOfLiarsStopNobody) {
  for (const std::uint32_t n : {4u, 7u, 10u}) {
    logs.clear();
    make(n);
    const std::uint32_t f = committee.faults();
    for (std::uint32_t i = 1; i <= f; ++i) lies.insert(i);
    for (std::uint64_t slot = 1; slot < 40; ++slot) {
      append_all(slot);
      run(kSecond);
      ASSERT_FALSE(check->suspects()) << n << " " << slot;
    }
  }
}

// The liars say that all is well, or change sides in the middle of the search.
TEST_F(Peers, LiarsDoNotHideADifferenceThatTheOthersSee) {
  make(7);
  for (std::uint64_t slot = 1; slot <= 100; ++slot) {
    for (std::size_t i = 0; i < 7; ++i) logs[i].append(slot, i < 3 && slot > 41 ? 999 : slot);
  }
  lies.insert(2);  // 1 and 2 are with node 0: two of f = 2
  run(20 * kSecond);
  ASSERT_TRUE(check->finding());
  EXPECT_EQ(check->finding()->first, Round{42});
}

TEST_F(Peers, WhoIsGoneOrBehindIsNotWaitedFor) {
  make(4);
  for (std::uint64_t slot = 1; slot <= 10; ++slot) {
    logs[0].append(slot, slot == 7 ? 999 : slot);
    logs[1].append(slot, slot);
    logs[2].append(slot, slot);
  }
  gone = {2, 3};
  run(5 * kSecond);
  EXPECT_FALSE(check->suspects());  // one alone says so
  gone.erase(2);
  run(3 * kSecond);
  ASSERT_TRUE(check->finding());
  EXPECT_EQ(check->finding()->first, Round{7});
}

TEST_F(Peers, ASearchEndsThoughNobodyAnswersAnyMore) {
  make(4);
  for (std::uint64_t slot = 1; slot <= 64; ++slot) {
    for (std::size_t i = 0; i < 4; ++i) logs[i].append(slot, i == 0 && slot > 20 ? 999 : slot);
  }
  check->tick(logs[0].head(), *logs[0].at(logs[0].head()), now);
  answer();
  const std::uint64_t steps = questions / 3;
  EXPECT_LT(steps, 10u);  // by halves, not slot by slot
  logs.clear();
  make(4);
  for (std::uint64_t slot = 1; slot <= 64; ++slot) {
    for (std::size_t i = 0; i < 4; ++i) logs[i].append(slot, i == 0 && slot > 20 ? 999 : slot);
  }
  check->tick(logs[0].head(), *logs[0].at(logs[0].head()), now);
  for (std::uint16_t peer = 1; peer < 4; ++peer) {
    check->hash(NodeId{peer}, {Round{64}, *logs[peer].at(Round{64}), true}, now);
  }
  EXPECT_TRUE(check->suspects());
  gone = {1, 2, 3};
  run(StandingCheck::kSearch + kSecond);
  ASSERT_TRUE(check->finding());
  EXPECT_EQ(check->finding()->same, Round{0});
  EXPECT_EQ(check->finding()->first, Round{64});
}

TEST_F(Peers, AnIdleClusterFallsSilent) {
  make(4);
  append_all(1);
  run(10 * kSecond);
  const std::uint64_t before = questions;
  EXPECT_GT(before, 0u);
  run(100 * kSecond);
  EXPECT_EQ(questions, before);
  append_all(2);
  run(3 * kSecond);
  EXPECT_EQ(questions, before + 3);
}

}  // namespace
}  // namespace thresher::net
