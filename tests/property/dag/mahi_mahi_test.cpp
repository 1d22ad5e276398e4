// `mahi-mahi`: the rules against the adversary of the arena, each rule taken away in turn, and
// progress without any synchrony.
#include <gtest/gtest.h>

#include <deque>

#include "../../how_many.hpp"
#include "arena.hpp"
#include "policies.hpp"
#include "thresher/crypto/threshold_coin.hpp"
#include "thresher/testing/delayed.hpp"

namespace thresher {
namespace {

using dag::Rules;
using Coins = std::vector<std::shared_ptr<const crypto::CoinScheme>>;

constexpr std::uint32_t kSizes[] = {4, 5, 6, 7, 10};

std::uint32_t size_of(std::uint64_t seed) {
  return kSizes[seed % std::size(kSizes)];
}

class MahiMahi : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  static Rules rules() { return Rules::mahi_mahi(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Wave, MahiMahi, ::testing::Values(4u, 5u, 6u));

TEST_P(MahiMahi, NothingBreaks) {
  std::uint64_t commits = 0;
  const std::uint64_t seeds = how_many(35, 100);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Arena arena(rules(), size_of(seed), seed);
    ASSERT_EQ(arena.run(3500), "") << "n " << size_of(seed) << " seed " << seed;
    commits += arena.commits();
  }
  std::printf("  %llu commits\n", static_cast<unsigned long long>(commits));
  EXPECT_GT(commits, seeds);  // else nothing was judged
}

TEST_P(MahiMahi, CutAfterAnyEffectItNeverContradictsItself) {
  std::uint64_t crashes = 0;
  std::uint64_t commits = 0;
  const std::uint64_t seeds = how_many(20, 60);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Arena arena(rules(), size_of(seed), seed, {.crashes_per_10000 = 50});
    ASSERT_EQ(arena.run(3500), "") << "n " << size_of(seed) << " seed " << seed;
    crashes += arena.crashes();
    commits += arena.commits();
  }
  EXPECT_GT(crashes, seeds * 5);
  EXPECT_GT(commits, seeds / 3);
}

TEST_P(MahiMahi, GarbageCollectionChangesNoDelivery) {
  std::uint64_t blocks = 0;
  const std::uint64_t seeds = how_many(10, 30);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Arena arena(rules(), size_of(seed), seed, {.gc_depth = 6 + seed % 6});
    ASSERT_EQ(arena.run(4000), "") << "n " << size_of(seed) << " seed " << seed;
    blocks += arena.witness().delivered();
  }
  EXPECT_GT(blocks, seeds * 100 / 3);
}

struct Taken {
  const char* name;
  Rules rules;
  std::uint64_t first;  // the seed to begin with: many before show nothing
};
std::vector<Taken> taken_away() {
  std::vector<Taken> all;
  const auto add = [&](const char* name, std::uint64_t first, std::uint32_t wave, auto change) {
    all.push_back({name, Rules::mahi_mahi(wave), first});
    change(all.back().rules);
  };
  add("SkipByFew", 250, 4, [](Rules& r) { r.skip = kValidity; });
  add("CommitByFewClaims", 95, 4, [](Rules& r) { r.commit = kAny; });
  add("CertifyByFewVotes", 1, 4, [](Rules& r) { r.certify = kAny; });
  add("AnchorAnywhere", 155, 4, [](Rules& r) { r.anchor_distance = 1; });
  add("UndecidedIgnored", 50, 5, [](Rules& r) { r.policy = &dag::kOne<dag::UndecidedIgnored<>>; });
  return all;
}

class MahiMahiWithout : public ::testing::TestWithParam<Taken> {};
INSTANTIATE_TEST_SUITE_P(Each, MahiMahiWithout, ::testing::ValuesIn(taken_away()),
                         [](const auto& suite) { return std::string(suite.param.name); });

TEST_P(MahiMahiWithout, IsCaught) {
  const Rules whole = Rules::mahi_mahi(GetParam().rules.wave);
  for (std::uint64_t seed = GetParam().first; seed <= 2000; ++seed) {
    Arena arena(GetParam().rules, size_of(seed), seed);
    const std::string why = arena.run(3500);
    if (why.empty()) continue;
    EXPECT_EQ(Arena(whole, size_of(seed), seed).run(3500), "");
    std::printf("  caught at seed %llu: %s\n", static_cast<unsigned long long>(seed), why.c_str());
    return;
  }
  FAIL() << "not caught in 2,000 seeds";
}

struct Uncertified {
  using Protocol = dag::Dag;
  Rules rules;
  Coins coins;

  dag::Dag make(const Committee& committee, NodeId self) const {
    dag::Config config;
    config.committee = committee;
    config.self = self;
    config.rules = rules;
    config.coin = coins[self.value];
    config.timeout = Delay{7};  // timers fire when the adversary likes: the first step is the last
    return dag::Dag(std::move(config));
  }
  static std::optional<Round> proposes(const dag::Message& message) {
    const auto* push = std::get_if<dag::Push>(&message);
    return push != nullptr ? std::optional(push->block->round()) : std::nullopt;
  }
  // The only one that can be known: the node whose turn it is. A coin tells too late to hold back.
  static std::optional<NodeId> leader(Round round, const Committee& committee) {
    return dag::leader_of(round, committee);
  }
  static Digest decided(const dag::Committed& c) { return c.leader; }
};

Coins ideal(std::uint32_t n) {
  Coins out;
  const std::uint32_t threshold = Committee::of(n)->at_least(kAvailability);
  for (std::uint16_t i = 0; i < n; ++i) {
    out.push_back(std::make_shared<coin::IdealCoin>(threshold, NodeId{i}, 77));
  }
  return out;
}
Coins real(std::uint32_t n) {
  std::array<std::byte, 32> seed{};
  seed[0] = std::byte{9};
  const auto deal = crypto::deal_coin(n, Committee::of(n)->at_least(kAvailability), seed);
  Coins out;
  for (std::uint16_t i = 0; i < n; ++i) {
    out.push_back(std::make_shared<crypto::ThresholdCoin>(ChainContext{}, deal->keys, NodeId{i},
                                                          deal->secrets[i]));
  }
  return out;
}

constexpr std::uint64_t kRounds = 60;
constexpr std::uint64_t kSteps = 150'000;

TEST(WithoutSynchrony, TheNextKnownLeaderDelayedStallsTheTimedRules) {
  for (Rules rules : {Rules::thresher(), Rules::mysticeti()}) {
    rules.leaders = dag::Leaders::kInTurn;  // the adversary's plan is for these
    for (const std::uint32_t n : kSizes) {
      testing::Delayed<Uncertified> run({rules, Coins(n)}, n, n);
      run.run(kRounds, kSteps);
      EXPECT_GE(run.lowest_round(), kRounds) << rules.name << " n " << n;
      EXPECT_EQ(run.shortest_log(), 0u) << rules.name << " n " << n;
    }
  }
}

// Whatever the order of messages, a slot commits with probability (quorum - equivocators)/n at
// least; here nobody equivocates. The second adversary hides f blocks of each round from each node
// until it has left the round: as much as can be hidden.
TEST(WithoutSynchrony, MahiMahiGoesOn) {
  for (const std::uint32_t n : kSizes) {
    for (const testing::Held held : {testing::Held::kLeader, testing::Held::kMost}) {
      std::uint64_t direct = 0;
      std::uint64_t slots = 0;
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        testing::Delayed<Uncertified> run({Rules::mahi_mahi(), ideal(n)}, n, seed, held);
        run.run(kRounds, kSteps);
        EXPECT_GE(run.lowest_round(), kRounds) << n;
        EXPECT_GT(run.held_back(), 0u);
        EXPECT_TRUE(run.agree());
        EXPECT_GE(run.shortest_log(), 10u) << "n " << n << " seed " << seed;
        const dag::Stats& s = run.node(0).stats();
        direct += s.direct_commits;
        slots += s.direct_commits + s.indirect_commits + s.skips;
        EXPECT_EQ(s.timeouts, 0u);
      }
      std::printf("  n=%u: %llu of %llu slots committed directly\n", n,
                  static_cast<unsigned long long>(direct), static_cast<unsigned long long>(slots));
      EXPECT_GE(direct * n, slots * Committee::of(n)->at_least(kQuorum) * 9 / 10);
    }
  }
}

TEST(WithoutSynchrony, MahiMahiGoesOnWithTheRealCoin) {
  testing::Delayed<Uncertified> run({Rules::mahi_mahi(), real(4)}, 4, 5);
  run.run(kRounds, kSteps);
  EXPECT_GE(run.lowest_round(), kRounds);
  EXPECT_GE(run.shortest_log(), 10u);
  EXPECT_TRUE(run.agree());
}

// Four correct nodes that hear each other in the order of sending, until each has a log.
class Calm {
 public:
  Calm() {
    for (std::uint16_t i = 0; i < 4; ++i) {
      nodes_.push_back(node(i));
      feed(i, Start{0});
    }
    const Bytes bytes = Bytes::copy_of(as_view("something to order"));
    feed(0, Requested<dag::Submit>{{{bytes, hash(bytes.view())}, {}}});
    while (!letters_.empty()) {
      const auto [from, to, message] = letters_.front();
      letters_.pop_front();
      feed(to, Received<dag::Message>{NodeId{from}, message});
    }
  }
  Round decided(std::uint16_t i) const { return nodes_[i].next_slot(); }
  /// As it is after a crash.
  dag::Dag restarted(std::uint16_t i) const {
    dag::Dag out = node(i);
    dag::Dag::Fx fx;
    (void)disks_[i].replay([&](const Restored& r) { step(out, InputOf<dag::Dag>{r}, fx); });
    step(out, InputOf<dag::Dag>{Start{0}}, fx);
    return out;
  }

 private:
  static dag::Dag node(std::uint16_t i) {
    return Uncertified{Rules::mahi_mahi(), ideal(4)}.make(*Committee::of(4), NodeId{i});
  }
  void feed(std::uint16_t i, const InputOf<dag::Dag>& input) {
    dag::Dag::Fx fx;
    step(nodes_[i], input, fx);
    for (auto& effect : fx.list()) {
      if (const auto* v = std::get_if<Verify>(&effect)) {
        feed(i, Verified{v->ticket, true});
      } else if (const auto* e = std::get_if<Endorse>(&effect)) {
        feed(i, Endorsed{e->ticket, {}});
      } else if (const auto* p = std::get_if<Persist>(&effect)) {
        (void)disks_[i].write(std::span(p, 1), Sync::kYes);
      } else if (const auto* s = std::get_if<Send<dag::Message>>(&effect)) {
        letters_.push_back({i, s->to.value, s->message});
      } else if (const auto* b = std::get_if<Broadcast<dag::Message>>(&effect)) {
        for (std::uint16_t to = 0; to < 4; ++to) {
          if (to != i) letters_.push_back({i, to, b->message});
        }
      }
    }
  }

  struct Letter {
    std::uint16_t from;
    std::uint16_t to;
    dag::Message message;
  };
  std::vector<dag::Dag> nodes_;
  std::vector<MemoryStorage> disks_ = std::vector<MemoryStorage>(4);
  std::deque<Letter> letters_;
};

std::size_t shares_of(dag::Dag::Fx& fx, std::uint64_t instance) {
  std::size_t out = 0;
  for (const auto& effect : fx.list()) {
    const auto* sent = std::get_if<Send<dag::Message>>(&effect);
    const auto* share = sent != nullptr ? std::get_if<coin::Share>(&sent->message) : nullptr;
    out += share != nullptr && share->instance == instance ? 1 : 0;
  }
  return out;
}

// A node that knew a coin may have restarted since: asked for its share of a slot that it decided,
// it reveals it once more. For a slot that is not decided, and whose wave is not over, it does not.
TEST(CoinShares, OfDecidedSlotsAreGivenAgainAfterARestart) {
  const Calm calm;
  dag::Dag node = calm.restarted(1);
  const std::uint64_t next = node.next_slot().value;
  ASSERT_EQ(next, calm.decided(1).value);
  ASSERT_GT(next, 1u);
  const coin::IdealCoin other(3, NodeId{2}, 77);
  const auto asked = [&](std::uint64_t slot) {
    dag::Dag::Fx fx;
    const coin::Share ask{slot, *other.share(slot), true};
    step(node, InputOf<dag::Dag>{Received<dag::Message>{NodeId{2}, ask}}, fx);
    return shares_of(fx, slot);
  };
  EXPECT_EQ(asked(1), 1u);
  EXPECT_EQ(asked(next + 20), 0u);
}

// A share of the coin is nothing to rules that toss none.
TEST(CoinShares, AreRefusedByRulesWithoutACoin) {
  dag::Dag node({.rules = Rules::thresher()});
  dag::Dag::Fx fx;
  node.on(Start{0}, fx);
  node.on(Received<dag::Message>{NodeId{1}, coin::Share{}}, fx);
  EXPECT_EQ(node.stats().refused, 1u);
}

}  // namespace
}  // namespace thresher
