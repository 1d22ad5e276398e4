// An adversary that always delays the next known leader: it stalls the modes that wait for one, and
// not the one whose leader a coin names afterwards.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "thresher/core/prng.hpp"
#include "thresher/crypto/threshold_coin.hpp"
#include "thresher/protocols/certified/bullshark.hpp"
#include "thresher/protocols/coin/ideal_coin.hpp"

namespace thresher {
namespace {

using certified::Bullshark;
using certified::Message;
using certified::Rules;

using Coins = std::vector<std::shared_ptr<const crypto::CoinScheme>>;

Coins ideal(std::uint32_t n, std::uint32_t threshold) {
  Coins out;
  for (std::uint16_t i = 0; i < n; ++i) {
    out.push_back(std::make_shared<coin::IdealCoin>(threshold, NodeId{i}, 77));
  }
  return out;
}

Coins real(std::uint32_t n, std::uint32_t threshold) {
  std::array<std::byte, 32> seed{};
  seed[0] = std::byte{9};
  const auto deal = crypto::deal_coin(n, threshold, seed);
  Coins out;
  for (std::uint16_t i = 0; i < n; ++i) {
    out.push_back(std::make_shared<crypto::ThresholdCoin>(ChainContext{}, deal->keys, NodeId{i},
                                                          deal->secrets[i]));
  }
  return out;
}

// Correct nodes, any order of messages, timers at will; what the anchor of a round says about that
// round is held back until everybody else has left it.
class Delayed {
 public:
  Delayed(const Rules& rules, std::uint32_t n, const Coins& coins, std::uint64_t seed)
      : committee_(*Committee::of(n)), random_(seed), timers_(n), logs_(n) {
    for (std::uint16_t i = 0; i < n; ++i) {
      certified::Config config;
      config.committee = committee_;
      config.self = NodeId{i};
      config.rules = rules;
      config.coin = coins[i];
      nodes_.emplace_back(std::move(config));
    }
  }

  void run(std::uint64_t rounds, std::uint64_t steps) {
    for (std::uint16_t i = 0; i < nodes_.size(); ++i) feed(i, Start{i});
    for (std::uint64_t s = 0; s < steps && lowest_round() < rounds; ++s) {
      submit();
      if (random_.below(20) == 0 || letters_.empty()) {
        fire();
      } else {
        deliver();
      }
    }
  }
  std::uint64_t lowest_round() const {
    std::vector<std::uint64_t> rounds;
    for (const auto& node : nodes_) rounds.push_back(node.round().value);
    std::sort(rounds.begin(), rounds.end());
    return rounds[committee_.faults()];  // the delayed one may lag
  }
  std::size_t shortest_log() const {
    std::size_t out = logs_[0].size();
    for (const auto& log : logs_) out = std::min(out, log.size());
    return out;
  }
  bool agree() const {
    const auto& longest =
        *std::max_element(logs_.begin(), logs_.end(),
                          [](const auto& a, const auto& b) { return a.size() < b.size(); });
    return std::all_of(logs_.begin(), logs_.end(), [&](const auto& log) {
      return std::equal(log.begin(), log.end(), longest.begin());
    });
  }

 private:
  struct Letter {
    std::uint16_t from;
    std::uint16_t to;
    Message message;
  };

  bool held_back(const Letter& l) const {
    Round round{0};
    if (const auto* p = std::get_if<certified::Propose>(&l.message)) {
      round = p->proposal->header.round;
    } else if (const auto* c = std::get_if<certified::Certify>(&l.message)) {
      round = c->round;
    }
    if (!certified::has_anchor(round)) return false;
    const NodeId anchor = certified::anchor_of(round, committee_);
    if (anchor.value != l.from) return false;
    // Until f+1 others are two rounds ahead, so that nobody's vote can name it any more.
    std::uint32_t ahead = 0;
    for (std::uint16_t i = 0; i < nodes_.size(); ++i) {
      ahead += i != anchor.value && nodes_[i].round().value > round.value + 1 ? 1 : 0;
    }
    return ahead + committee_.faults() + 1 < nodes_.size();
  }
  void deliver() {
    for (int tries = 0; tries < 8; ++tries) {
      const std::size_t at = random_.below(letters_.size());
      if (held_back(letters_[at])) continue;
      const Letter l = std::move(letters_[at]);
      letters_[at] = std::move(letters_.back());
      letters_.pop_back();
      return feed(l.to, Received<Message>{NodeId{l.from}, l.message});
    }
    fire();
  }
  void fire() {
    const std::size_t i = random_.below(nodes_.size());
    if (timers_[i].empty()) return;
    auto it = timers_[i].begin();
    std::advance(it, static_cast<std::ptrdiff_t>(random_.below(timers_[i].size())));
    const TimerId id = *it;
    timers_[i].erase(it);
    feed(static_cast<std::uint16_t>(i), Expired{id});
  }
  void submit() {
    const auto i = static_cast<std::uint16_t>(random_.below(nodes_.size()));
    if (nodes_[i].pending_submits() > 0) return;
    Writer w;
    w.u64(++payloads_);
    const Bytes bytes = Bytes::from(w.take());
    feed(i, Requested<certified::Submit>{{{bytes, hash(bytes.view())}}});
  }
  void feed(std::uint16_t i, const InputOf<Bullshark>& input) {
    std::vector<InputOf<Bullshark>> todo{input};
    while (!todo.empty()) {
      const InputOf<Bullshark> next = std::move(todo.back());
      todo.pop_back();
      Bullshark::Fx fx;
      step(nodes_[i], next, fx);
      for (auto& effect : fx.list()) {
        if (const auto* v = std::get_if<Verify>(&effect)) {
          todo.push_back(Verified{v->ticket, true});
        } else if (const auto* e = std::get_if<Endorse>(&effect)) {
          todo.push_back(Endorsed{e->ticket, {}});
        } else if (const auto* s = std::get_if<Send<Message>>(&effect)) {
          letters_.push_back({i, s->to.value, s->message});
        } else if (const auto* b = std::get_if<Broadcast<Message>>(&effect)) {
          for (std::uint16_t to = 0; to < nodes_.size(); ++to) {
            if (to != i) letters_.push_back({i, to, b->message});
          }
        } else if (const auto* t = std::get_if<ArmTimer>(&effect)) {
          timers_[i].insert(t->id);
        } else if (const auto* c = std::get_if<CancelTimer>(&effect)) {
          timers_[i].erase(c->id);
        } else if (const auto* d = std::get_if<Deliver<certified::Committed>>(&effect)) {
          logs_[i].push_back(d->output.leader);
        }
      }
    }
  }

  Committee committee_;
  Prng random_;
  std::vector<Bullshark> nodes_;
  std::vector<std::set<TimerId>> timers_;
  std::vector<std::vector<Digest>> logs_;
  std::vector<Letter> letters_;
  std::uint64_t payloads_ = 0;
};

constexpr std::uint64_t kRounds = 60;
constexpr std::uint64_t kSteps = 60'000;

TEST(DelayedLeader, StallsTheTimedModes) {
  for (const Rules& rules : {Rules::bullshark(), Rules::anchored_bullshark()}) {
    for (const std::uint32_t n : {4u, 7u}) {
      Delayed run(rules, n, Coins(n), n);
      run.run(kRounds, kSteps);
      EXPECT_GE(run.lowest_round(), kRounds) << rules.name;
      EXPECT_EQ(run.shortest_log(), 0u) << rules.name << " n " << n;
    }
  }
}

TEST(DelayedLeader, DoesNotStallTheAsynchronousMode) {
  for (const std::uint32_t n : {4u, 7u, 10u}) {
    const Committee c = *Committee::of(n);
    for (const std::uint32_t threshold : {c.at_least(kValidity), c.at_least(kStrong)}) {
      Delayed run(Rules::bullshark_async(), n, ideal(n, threshold), n);
      run.run(kRounds, kSteps);
      EXPECT_GE(run.lowest_round(), kRounds) << n;
      EXPECT_GE(run.shortest_log(), 4u) << n;
      EXPECT_TRUE(run.agree());
    }
  }
}

TEST(DelayedLeader, DoesNotStallTheAsynchronousModeWithTheRealCoin) {
  Delayed run(Rules::bullshark_async(), 4, real(4, 3), 5);
  run.run(kRounds, kSteps);
  EXPECT_GE(run.lowest_round(), kRounds);
  EXPECT_GE(run.shortest_log(), 4u);
  EXPECT_TRUE(run.agree());
}

}  // namespace
}  // namespace thresher
