// The coin that names the leader of a slot when its wave is over: one toss for each slot. Rules U3
// and U8 of docs/protocols/mahi-mahi.md.
//
//   WaveCoin coin(config);
//   const auto named = [&](Round slot, NodeId leader) { ... };
//   if (!coin.was_tossed(slot)) {                      // its wave is over
//     coin.tosses(slot);
//     coin.feed(Requested<coin::Toss>{{slot.value}}, fx, named);
//   }
//   coin.feed(Received<coin::Share>{peer, share}, fx, named);
//   coin.forget(next);                                 // earlier slots are decided
//
// Guarantees: those of ThresholdCoin, whose timers come back through a hop. A slot is remembered as
// tossed until it is decided. When a wave is over is not its business. Rules that do not draw their
// leaders use no coin: whoever calls it asks before.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>

#include "thresher/protocols/coin/leader_coin.hpp"
#include "thresher/protocols/dag/dag.hpp"

namespace thresher::dag {

class WaveCoin {
 public:
  explicit WaveCoin(const Config& config) : committee_(config.committee) {
    if (!config.rules.coin) return;
    coin_.emplace(
        coin::Config{.committee = config.committee, .self = config.self, .scheme = config.coin});
  }

  bool used() const { return coin_.has_value(); }
  bool was_tossed(Round slot) const { return tossed_.contains(slot); }
  /// The coin of a slot is tossed now, by feed().
  void tosses(Round slot) { tossed_.insert(slot); }
  /// A toss, a share of a peer, or a timer behind its hop. Calls `named(Round slot, NodeId leader)`
  /// for what the coin says then. Pre: used().
  template <class Input, class F>
  void feed(const Input& input, Dag::Fx& fx, F named) {
    for (const coin::Tossed& t : coin::feed(*coin_, input, kHop, fx))
      named(Round{t.instance}, coin::leader_named(t.value, committee_));
  }
  /// The slots before `next` are decided.
  void forget(Round next) { tossed_.erase(tossed_.begin(), tossed_.lower_bound(next)); }

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
  std::set<Round> tossed_;  // undecided slots
};

}  // namespace thresher::dag
