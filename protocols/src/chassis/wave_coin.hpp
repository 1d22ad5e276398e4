// The coin that names a leader when its wave is over: one toss for each wave. Rules U3 and U8 of
// docs/protocols/mahi-mahi.md, where each slot has its wave.
//
//   WaveCoin coin({.committee = committee, .self = self, .scheme = scheme}, rules.coin);
//   const auto named = [&](std::uint64_t wave, NodeId leader) { ... };
//   if (!coin.was_tossed(wave)) {                      // it is over
//     coin.tosses(wave);
//     coin.feed(Requested<coin::Toss>{{wave}}, fx, named);
//   }
//   coin.feed(Received<coin::Share>{peer, share}, fx, named);
//   coin.forget(next);                                 // earlier waves are decided
//
// Guarantees: those of ThresholdCoin, whose timers come back through a hop. A wave is remembered as
// tossed until it is decided; after that it is not tossed, and those that ask are told the share.
// When one is over is not its business. Rules that do not draw their leaders use no coin: whoever
// calls it asks before.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "thresher/core/assert.hpp"
#include "thresher/protocols/coin/leader_coin.hpp"

namespace thresher::chassis {

class WaveCoin {
 public:
  WaveCoin(const coin::Config& config, bool used) : committee_(config.committee) {
    if (used) coin_.emplace(config);
  }

  bool used() const { return coin_.has_value(); }
  bool was_tossed(std::uint64_t wave) const { return tossed_.contains(wave); }
  /// The coin of a wave is tossed now, by feed().
  void tosses(std::uint64_t wave) { tossed_.insert(wave); }
  /// A toss, a share of a peer, or a timer behind its hop. Calls `named(std::uint64_t wave, NodeId
  /// leader)` for what the coin says then. Pre: used().
  template <class Input, class Fx, class F>
  void feed(const Input& input, Fx& fx, F named) {
    THRESHER_ASSERT(used(), "the rules draw their leaders");
    for (const coin::Tossed& t : coin::feed(*coin_, input, kHop, fx))
      named(t.instance, coin::leader_named(t.value, committee_));
  }
  /// The waves before `next` are decided.
  void forget(std::uint64_t next) {
    tossed_.erase(tossed_.begin(), tossed_.lower_bound(next));
    if (coin_) coin_->settle_below(next);
  }

  /// Shares that were refused so far. Pre: used(), for both.
  std::uint64_t refused() const { return coin_->stats().refused; }
  std::uint64_t batches() const { return coin_->stats().batches; }
  /// By sender; empty when no coin is used.
  std::span<const std::uint64_t> false_shares() const {
    return coin_ ? std::span<const std::uint64_t>(coin_->stats().false_shares)
                 : std::span<const std::uint64_t>();
  }

 private:
  /// Leads timers back to the coin.
  static constexpr std::uint32_t kHop = 1;

  Committee committee_;
  std::optional<coin::ThresholdCoin> coin_;
  std::set<std::uint64_t> tossed_;  // undecided waves
};

}  // namespace thresher::chassis
