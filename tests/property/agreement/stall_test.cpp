// The scheduler that stalls MMR14 for ever, against every agreement on bv-broadcast.
//
// Four nodes, one of them a liar who knows its coin share, so that the scheduler knows the coin as
// soon as one correct node (P below) opens it. Before each round P and Z carry v, Q carries u. The
// scheduler lets P see both values and open the coin s while Z has approved nothing, then shows Z
// and Q the value 1-s alone: they carry that on, P carries s, and the next round begins as this one
// did. Binding makes the trick impossible: by the time that somebody opens the coin, it is fixed
// which value can still be told. Source of the attack: amiller/HoneyBadgerBFT, issue 59.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <optional>
#include <type_traits>
#include <vector>

#include "../../campaigns.hpp"
#include "agreements.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/protocols/agreement/bca_agreement.hpp"
#include "thresher/protocols/agreement/cobalt.hpp"
#include "thresher/protocols/agreement/graded_bca.hpp"
#include "thresher/protocols/agreement/mmr14.hpp"
#include "thresher/protocols/coin/ideal_coin.hpp"

namespace thresher {
namespace {

using agreement::Said;

constexpr std::uint32_t kNodes = 4;
constexpr std::uint16_t kLiar = 3;

// What the liar says, by the names that bv-broadcast and the step after it have in all tables.
BitSet bval(bool value) {
  return bits(value ? agreement::bv::kBval1 : agreement::bv::kBval0);
}
BitSet aux(bool value) {
  return bits(value ? agreement::mmr14::kAux1 : agreement::mmr14::kAux0);
}
static_assert(int{agreement::mmr14::kAux0} == int{agreement::bca::kEcho20});
static_assert(int{agreement::mmr14::kAux1} == int{agreement::bca::kEcho21});

template <class A>
class Stage {
 public:
  using Message = typename A::Message;

  /// `proposals`: of the correct nodes, a bit each.
  explicit Stage(std::uint64_t seed, unsigned proposals = 2) : random_(seed) {
    const Committee c = *Committee::of(kNodes);
    for (std::uint16_t i = 0; i < kNodes; ++i) {
      schemes_.push_back(std::make_shared<coin::IdealCoin>(c.at_least(kValidity), NodeId{i}, seed));
      if (i == kLiar) continue;
      typename A::Config config;
      config.committee = c;
      config.self = NodeId{i};
      config.coin = schemes_[i];
      nodes_.emplace_back(config);
    }
    for (std::uint16_t i = 0; i < kLiar; ++i)
      feed(i, Requested<agreement::Propose>{{0, (proposals >> i & 1) != 0}});
  }

  /// What the coin of a round shows: the scheduler's to know when a correct node opened it.
  bool coin(std::uint32_t round) const {
    std::vector<crypto::CoinClaim> claims;
    const std::uint64_t instance = round;
    for (const std::uint16_t i : {std::uint16_t{0}, kLiar})
      claims.push_back({NodeId{i}, *schemes_[i]->share(instance)});
    return (schemes_[0]->combine(instance, claims)->prefix() & 1) != 0;
  }
  bool all_decided() const {
    return std::all_of(nodes_.begin(), nodes_.end(),
                       [](const A& node) { return node.decided(0).has_value(); });
  }
  std::uint32_t round(std::uint16_t i) const { return nodes_[i].round(0); }
  /// The highest round in which a node decided.
  std::uint32_t last_round() const { return last_round_; }

  /// Delivers the statements of that round from one node to another that say nothing beyond
  /// `allowed`, in the order in which they were sent.
  void deliver(std::uint16_t from, std::uint16_t to, std::uint32_t round, BitSet allowed) {
    take([&](const Letter& l) {
      const Said* said = std::get_if<Said>(&l.message);
      return l.from == from && l.to == to && said != nullptr && said->round == round &&
             (said->counters & ~allowed) == 0;
    });
  }
  void lie(std::uint16_t to, std::uint32_t round, BitSet counters) {
    feed(to, Received<Message>{NodeId{kLiar}, Said{0, round, counters, false}});
  }
  /// Coin shares and decisions travel at once, and those of the liar with them.
  void open_coins(std::uint32_t round) {
    for (std::uint16_t to = 0; to < kLiar; ++to)
      feed(to,
           Received<Message>{NodeId{kLiar}, coin::Share{round, *schemes_[kLiar]->share(round)}});
    take([](const Letter& l) { return !std::holds_alternative<Said>(l.message); });
  }
  /// Every message arrives in the end: those of rounds that are over for all may come now.
  void release_below(std::uint32_t round) {
    take([&](const Letter& l) {
      const Said* said = std::get_if<Said>(&l.message);
      return said == nullptr || said->round < round;
    });
  }
  void release_one() {
    if (letters_.empty()) return;
    const std::size_t at = random_.below(letters_.size());
    const Letter l = letters_[at];
    letters_.erase(letters_.begin() + static_cast<std::ptrdiff_t>(at));
    feed(l.to, Received<Message>{NodeId{l.from}, l.message});
  }
  bool idle() const { return letters_.empty(); }
  /// The estimate with which a node entered the round, as its first statement there told.
  std::optional<bool> estimate(std::uint16_t i, std::uint32_t round) const {
    for (const auto& [node, r, value] : estimates_) {
      if (node == i && r == round) return value;
    }
    return std::nullopt;
  }

 private:
  struct Letter {
    std::uint16_t from;
    std::uint16_t to;
    Message message;
  };
  struct Estimate {
    std::uint16_t node;
    std::uint32_t round;
    bool value;
  };

  template <class F>
  void take(F which) {
    for (bool found = true; found;) {
      const auto at = std::find_if(letters_.begin(), letters_.end(), which);
      found = at != letters_.end();
      if (!found) return;
      const Letter l = *at;
      letters_.erase(at);
      feed(l.to, Received<Message>{NodeId{l.from}, l.message});
    }
  }
  void feed(std::uint16_t i, const InputOf<A>& input) {
    typename A::Fx fx;
    step(nodes_[i], input, fx);
    for (auto& effect : fx.list()) {
      if (auto* d = std::get_if<Deliver<agreement::Decision>>(&effect))
        last_round_ = std::max(last_round_, d->output.round);
      if (auto* b = std::get_if<Broadcast<Message>>(&effect)) sent(i, b->message);
      if (auto* s = std::get_if<Send<Message>>(&effect); s != nullptr && s->to.value != kLiar)
        letters_.push_back({i, s->to.value, s->message});
    }
  }
  void sent(std::uint16_t i, const Message& m) {
    if (const Said* said = std::get_if<Said>(&m); said != nullptr && !estimate(i, said->round))
      estimates_.push_back({i, said->round, (said->counters & bval(true)) != 0});
    for (std::uint16_t to = 0; to < kLiar; ++to) {
      if (to != i) letters_.push_back({i, to, m});
    }
  }

  Prng random_;
  std::vector<std::shared_ptr<const crypto::CoinScheme>> schemes_;
  std::vector<A> nodes_;
  std::deque<Letter> letters_;
  std::vector<Estimate> estimates_;
  std::uint32_t last_round_ = 0;
};

// One round of the attack. False: the nodes' estimates are alike, and there is nothing to play on.
template <class A>
bool play_round(Stage<A>& stage, std::uint32_t round) {
  std::uint16_t q = kLiar;
  for (std::uint16_t i = 0; i < kLiar; ++i) {
    const std::uint16_t other = static_cast<std::uint16_t>((i + 1) % kLiar);
    const std::uint16_t third = static_cast<std::uint16_t>((i + 2) % kLiar);
    const auto mine = stage.estimate(i, round);
    if (!mine || !stage.estimate(other, round) || !stage.estimate(third, round)) return false;
    if (*stage.estimate(other, round) != *mine && *stage.estimate(third, round) != *mine) q = i;
  }
  if (q == kLiar) return false;
  const auto p = static_cast<std::uint16_t>((q + 1) % kLiar);
  const auto z = static_cast<std::uint16_t>((q + 2) % kLiar);
  const bool u = *stage.estimate(q, round);
  const bool v = !u;
  const BitSet all = ~BitSet{0};
  stage.deliver(z, p, round, bval(v));  // P approves v first, then u, and relays u
  stage.lie(p, round, bval(v));
  stage.deliver(q, p, round, bval(u));
  stage.lie(p, round, bval(u));
  stage.deliver(p, q, round, all);  // Q approves u first
  stage.lie(q, round, bval(u));
  stage.deliver(q, p, round, all);
  stage.lie(p, round, aux(u));  // and P has seen both
  stage.open_coins(round);
  if (stage.round(p) == round) return true;  // P has not opened the coin
  const bool carried = !stage.coin(round);
  stage.lie(q, round, aux(carried));
  if (carried == v) {
    stage.deliver(p, z, round, all);
    stage.lie(z, round, bval(v) | aux(v));
    stage.deliver(z, q, round, all);
    stage.lie(q, round, bval(v));
  } else {
    stage.deliver(q, z, round, bval(u));
    stage.lie(z, round, bval(u));
    stage.deliver(q, z, round, all);
    stage.lie(z, round, aux(u));
    stage.deliver(z, q, round, all);
  }
  stage.open_coins(round);
  return true;
}

/// Plays the attack for as long as it works and up to so many rounds; what is stuck is released.
/// The highest round in which a node decided, or 0 when none had by then.
template <class A>
std::uint32_t attack(std::uint64_t seed, std::uint32_t rounds) {
  Stage<A> stage(seed);
  std::uint32_t round = 1;
  while (!stage.all_decided() && round <= rounds) {
    play_round(stage, round);
    // Fairness: a round in which the trick failed goes on with what was held back.
    while (!stage.all_decided() && !stage.idle() &&
           std::min({stage.round(0), stage.round(1), stage.round(2)}) <= round)
      stage.release_one();
    ++round;
    stage.release_below(std::min({stage.round(0), stage.round(1), stage.round(2)}));
  }
  if (!stage.all_decided()) return 0;
  return stage.last_round();
}

TEST(Stalling, Mmr14IsStalledForAsLongAsTheSchedulerLikes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) EXPECT_EQ(attack<Mmr14>(seed, 500), 0u) << seed;
}

template <class A>
class Bound : public ::testing::Test {};
using BoundAgreements = ::testing::Types<BcaAgreement, Cobalt, GradedBca>;
TYPED_TEST_SUITE(Bound, BoundAgreements);

// The coin is shown to the adversary first, in as many runs as one asks for: the promised mean is
// 10 rounds at most, and no run has 200.
TYPED_TEST(Bound, NoSchedulerThatKnowsTheCoinStallsIt) {
  const std::uint64_t runs = schedules(2000);
  std::uint64_t sum = 0;
  std::uint32_t most = 0;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    const std::uint32_t rounds = attack<TypeParam>(seed, 200);
    ASSERT_GT(rounds, 0u) << "seed " << seed;
    sum += rounds;
    most = std::max(most, rounds);
  }
  EXPECT_LE(sum, 10 * runs);
  EXPECT_LE(most, 200u);
  std::printf("%s: %llu runs, mean %.3f rounds, most %u\n", TypeParam::kName.data(),
              static_cast<unsigned long long>(runs),
              static_cast<double>(sum) / static_cast<double>(runs), most);
}

template <class A>
class Theory : public ::testing::Test {};
using TheoryAgreements = ::testing::Types<BcaAgreement, Cobalt, GradedBca, Mmr14>;
TYPED_TEST_SUITE(Theory, TheoryAgreements);

/// The mean of the rounds in which the last correct node decides, messages in any order.
template <class A>
double mean_rounds(unsigned proposals, std::uint64_t runs) {
  std::uint64_t sum = 0;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    Stage<A> stage(seed, proposals);
    while (!stage.all_decided() && !stage.idle()) stage.release_one();
    EXPECT_TRUE(stage.all_decided()) << "seed " << seed;
    sum += stage.last_round();
  }
  return static_cast<double>(sum) / static_cast<double>(runs);
}

// Proposals that are alike are decided when the coin shows them: 2 rounds in the mean, and one
// where grades decide without the coin. Others take 4 at most.
TYPED_TEST(Theory, RoundsAreAsManyAsComputed) {
  const std::uint64_t runs = schedules(4000);
  const bool graded = std::is_same_v<TypeParam, GradedBca>;
  const double alike = mean_rounds<TypeParam>(7, runs);
  const double split = mean_rounds<TypeParam>(2, runs);
  std::printf("{\"agreement\": \"%s\", \"runs\": %llu, \"alike\": %.4f, \"split\": %.4f}\n",
              TypeParam::kName.data(), static_cast<unsigned long long>(runs), alike, split);
  EXPECT_NEAR(alike, graded ? 1.0 : 2.0, graded ? 0.0 : 0.05 * 2);
  EXPECT_LE(split, 4.0);
}

}  // namespace
}  // namespace thresher
