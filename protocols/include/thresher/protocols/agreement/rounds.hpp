// The skeleton of all binary agreements that go in rounds: many instances, each a sequence of
// rounds that run from proved tables (round.hpp), a coin in each round, and the termination gadget.
// What differs from one agreement to the next are the tables and the coin:
//
//   class BcaAgreement : public RoundAgreement<coin::ThresholdCoin> { ... kBcaRounds ... };
//
// Guarantees: those of BinaryAgreement (agreement.hpp), as far as the tables' proofs go. What a
// node says in a round, and what it learnt before it opens the round's coin, is durable before it
// leaves. Rounds that a node has left go on: somebody may be stuck there who is needed later. Of a
// peer that is ahead, the next kAhead rounds are counted. Every 4 Delta a node says again what may
// be lost, while an instance is open here, and those that hear it answer. The coin of round r of
// instance i is the coin's instance i * 2^16 + r: nothing else may toss those. Rules by number,
// bounds and their reasons: docs/protocols/agreement.md.
#pragma once

#include <map>
#include <set>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "thresher/core/bounded.hpp"
#include "thresher/protocols/agreement/agreement.hpp"
#include "thresher/protocols/agreement/round.hpp"
#include "thresher/protocols/coin/local_coin.hpp"
#include "thresher/protocols/coin/threshold_coin.hpp"

namespace thresher::agreement {

/// What the sender said in a round, all of it: one bit a counter.
struct Said {
  std::uint64_t instance = 0;
  std::uint32_t round = 0;
  BitSet counters = 0;
  bool asks = false;  ///< the sender is still open: it may lack what others said
};
/// The sender decided. `asks`: it wants to hear the receiver's decision.
struct Done {
  std::uint64_t instance = 0;
  bool value = false;
  bool asks = false;
};
/// The sender lacks the decision of this instance, and maybe of those after it.
struct Want {
  std::uint64_t instance = 0;
};

/// Rounds of a peer that are counted ahead of this node's own.
inline constexpr std::uint32_t kAhead = 4;
/// Rounds of an open instance that are kept, the last ones, and rounds that a node goes on after
/// the first in which it decides by itself. No more are needed but with probability 2^-64
/// (docs/protocols/agreement.md). Where nodes throw coins of their own, of older ones it is kept
/// what this node said.
inline constexpr std::uint32_t kKept = 64;
/// Decisions that a peer gets in 4 Delta because it asked for them (Want), however often it
/// asks.
inline constexpr std::size_t kAnswers = 64;
/// Bits of a coin's instance that name the round.
inline constexpr unsigned kRoundBits = 16;
/// No node goes beyond. Where nodes throw coins of their own, a hundred of them may come here
/// before they throw alike: then that instance stands still, until others tell how they decided,
/// and the node does all its other work.
inline constexpr std::uint32_t kLastRound = (1u << kRoundBits) - 1;

template <class Coin>
class RoundAgreement {
 public:
  using Message = std::variant<Said, Done, Want, typename Coin::Message>;
  using Output = Decision;
  using Request = Propose;
  using Fx = Effects<Message, Output>;

  struct Config {
    Committee committee = *Committee::make(4, 1);
    NodeId self{};
    std::uint64_t window = 64;  ///< instances open at a time
    /// Instances a group, where one that decides 1 answers the owner's question about all of them;
    /// 0: each is a question of its own. An answered group is over (rule A9).
    std::uint64_t group = 0;
    std::shared_ptr<const crypto::CoinScheme> coin{};
    /// Of coins that nodes throw themselves: LocalCoin's. A host draws it; simulations leave it
    /// zero.
    Digest entropy{};
    const RoundTables* tables = nullptr;  ///< null: the agreement's own; tests break them
    VoteLog* trace = nullptr;             ///< where steps are logged; null: nowhere
  };

  void on(const Restored&, Fx&);
  void on(const Start&, Fx&);
  void on(const Received<Message>&, Fx&);
  void on(const Requested<Propose>&, Fx&);
  void on(const Expired&, Fx&);

  void forget_below(std::uint64_t instance, Fx& fx);
  std::optional<bool> decided(std::uint64_t instance) const;
  std::uint32_t round(std::uint64_t instance) const;
  Footprint footprint() const;
  static Footprint most_held(const Config& config) {
    return {config.window, config.window * (kKept + kAhead)};
  }
  std::uint64_t refused() const {
    if constexpr (requires { coin_.stats().refused; }) return refused_ + coin_.stats().refused;
    return refused_;
  }
  /// Of those refused: false shares of the coin, by sender, which are found when somebody's share
  /// completes a batch. Empty where the coin has none.
  std::span<const std::uint64_t> false_shares() const {
    if constexpr (requires { coin_.stats().false_shares; }) return coin_.stats().false_shares;
    return {};
  }
  /// The lowest instance that is not over here: f+1 correct nodes have not said that they decided.
  std::uint64_t base() const { return base_; }

 protected:
  /// `own`: the agreement's tables, run where config.tables is null. Pre: the coin's scheme is
  /// there if the coin needs one.
  RoundAgreement(Config config, const RoundTables& own);

 private:
  struct State {
    std::uint32_t round = 0;  // 0: not proposed here
    std::map<std::uint32_t, Round> rounds;
    Tally done[2];  // who decided, by value
    NodeSet spoke;  // peers that said anything of it
    std::optional<bool> decided;
    bool tossed = false;     // the coin of the current round
    std::uint32_t last = 0;  // the round that this node does not leave; 0: not known yet
    std::uint32_t age = 0;   // ticks since something was said here
  };

  void receive(NodeId from, const Said& m, Fx& fx);
  void receive(NodeId from, const Done& m, Fx& fx);
  void receive(NodeId from, const Want& m, Fx& fx);
  void receive(NodeId from, const typename Coin::Message& m, Fx& fx);

  bool over(std::uint64_t instance) const;
  bool answered(std::uint64_t instance) const;
  State* open(std::uint64_t instance, NodeId by);
  State& place(std::uint64_t instance);
  Round& round_of(State& s, std::uint32_t round);
  bool reaches(const State& s, std::uint32_t round) const;
  void answer(NodeId to, std::uint64_t instance, std::uint32_t round, Fx& fx) const;
  void enter(std::uint64_t instance, State& s, std::uint32_t round, bool estimate, Fx& fx);
  void advance(std::uint64_t instance, State& s, std::uint32_t round, Fx& fx);
  void drive(std::uint64_t instance, Fx& fx);
  void finish_round(std::uint64_t instance, State& s, bool value, Fx& fx);
  void decide(std::uint64_t instance, State& s, bool value, std::uint32_t round, Fx& fx);
  bool close(std::uint64_t instance, Fx& fx);
  void leave_below(std::uint64_t instance, State& s, std::uint32_t round, Fx& fx);
  void drop_below(std::uint64_t instance, State& s, std::uint32_t round, Fx& fx);
  void end_group(std::uint64_t instance, Fx& fx);
  bool matters(const State& s) const;
  bool missed_far() const;
  void forget_coins(std::uint64_t first, std::uint64_t last);
  template <class Input>
  void feed_coin(const Input& input, Fx& fx);
  void show(const coin::Tossed& tossed);

  void keep(std::uint64_t instance, std::uint32_t round, const Round& state, Fx& fx) const;
  void repeat(std::uint64_t instance, const State& s, Fx& fx) const;
  void remind(Fx& fx);
  bool missed_one();
  bool all_know() const;
  void arm(Fx& fx);
  void raise_base();
  Trace trace_of(std::uint64_t instance, std::uint32_t round) const {
    return {config_.trace, instance, round};
  }

  Config config_;
  Coin coin_;
  std::map<std::uint64_t, State> open_;
  std::map<std::uint64_t, bool> over_;
  std::set<std::uint64_t> answered_;  // groups of which an instance is over with a 1
  std::uint64_t floor_ = 0;           // the owner forgot what is below
  std::uint64_t base_ = 0;            // the lowest instance that is not over
  std::uint64_t top_ = 0;             // one more than the highest that is over
  std::vector<std::uint64_t> told_;   // by peer: one more than the highest that it decided
  std::uint32_t reminders_ = 0;       // ticks since top_ rose
  std::uint64_t missed_ = 0;          // the lowest instance that this node seems to have missed
  std::uint32_t missed_ticks_ = 0;    // since when
  PeerQuota<kAnswers> served_;        // decisions sent as answers since the last tick
  bool serves_ = false;               // some were
  NodeSet beyond_;                    // peers that spoke of an instance out of reach, since asked
  std::uint64_t refused_ = 0;
  bool armed_ = false;
};

extern template class RoundAgreement<coin::LocalCoin>;
extern template class RoundAgreement<coin::ThresholdCoin>;

}  // namespace thresher::agreement
