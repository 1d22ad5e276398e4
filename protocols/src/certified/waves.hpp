// The waves of asynchronous rules: when their coins are tossed, whom they named, and on which side
// a header has to vote. Rules R16 to R18.
//
//   Waves waves(config, store, rounds, from_log, ordered, stats);
//   waves.toss_ready(fx, [&] { consider_all(fx); });      // something was accepted
//   if (waves.hear(peer, share, fx)) consider_all(fx);    // a coin told more
//   const auto side = waves.expected_fallback(header);
//   commit_async(store, rules, last, waves.coin());
//
// Guarantees: those of chassis/wave_coin.hpp and drawn_leaders.hpp, which it owns. A coin is tossed
// when the wave's last round is complete, not before. Other rules use none: every header is on the
// right side there. Orders nothing (commit_async.cpp).
#pragma once

#include <optional>
#include <span>

#include "../chassis/beside.hpp"
#include "../chassis/wave_coin.hpp"
#include "drawn_leaders.hpp"
#include "log_vertices.hpp"
#include "ordered.hpp"
#include "rounds.hpp"
#include "thresher/protocols/certified/committer.hpp"

namespace thresher::certified {

class Waves {
 public:
  using Fx = Bullshark::Fx;

  Waves(const Config& config, const Store& store, const Rounds& rounds, const LogVertices& from_log,
        Ordered& ordered, Stats& stats);

  /// By the rules of this node.
  bool used() const { return coin_.used(); }
  /// A share of a peer, and a timer of the coin. True: the coin named somebody.
  bool hear(NodeId from, const coin::Share& share, Fx& fx);
  bool expired(TimerId id, Fx& fx);
  /// R17. The coin of a wave is tossed when its last round is complete: the votes exist by then,
  /// and no schedule can fit them to the leader. Calls `news()` after each toss that named
  /// somebody. Pre: used().
  template <class F>
  void toss_ready(Fx& fx, F news) {
    const std::uint64_t lowest = std::max<std::uint64_t>(1, wave_of(store_->floor()));
    for (std::uint64_t wave = lowest; last_round_of(wave) <= store_->top(); ++wave) {
      if (coin_.was_tossed(wave) || !rounds_->complete(last_round_of(wave))) continue;
      if (toss(wave, fx)) news();
    }
  }

  /// Valid as long as these waves are.
  CoinOf coin() const {
    return [this](std::uint64_t wave) { return drawn_.of(wave); };
  }
  /// R18. What the header's author has to vote for; empty while the coin that tells is missing.
  std::optional<bool> expected_fallback(const Header& h) const;
  /// Rounds up to the floor are ordered.
  void forget(Round floor);
  /// By sender; empty when no coin is used.
  std::span<const std::uint64_t> false_shares() const { return coin_.false_shares(); }

 private:
  bool toss(std::uint64_t wave, Fx& fx);
  template <class Input>
  bool feed(const Input& input, Fx& fx);

  chassis::WaveCoin coin_;
  DrawnLeaders drawn_;
  chassis::Beside<const Config> config_;
  chassis::Beside<const Store> store_;
  chassis::Beside<const Rounds> rounds_;
  chassis::Beside<const LogVertices> from_log_;
  chassis::Beside<Ordered> ordered_;
  chassis::Beside<Stats> stats_;
};

}  // namespace thresher::certified
