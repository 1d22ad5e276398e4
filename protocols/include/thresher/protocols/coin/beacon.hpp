// A randomness beacon: one common coin a round, round after round, at every node of a committee.
//
//   Beacon beacon({.coin = {.committee = c, .self = id, .scheme = scheme}, .pause = Delay{0}});
//   Executor<Beacon, Backend> executor(std::move(beacon), backend);
//   executor.run(Start{});                        // Deliver<Tossed>{0, ...}, {1, ...}, ...
//
// A node tosses round r+1 when it has the value of round r and `pause` has passed, or when f+1
// peers speak of round r+1 or a later one, so that a correct node does.
// BasicBeacon<VrfCoin> does the same with weak coins, setup_free_beacon.hpp without keys.
// Guarantees: those of the coin for each round. Before f+1 peers of some correct node, or it,
// have the value of round r, no correct node reveals its share of round r+1. A node that was away
// comes to where the others are; of the rounds meanwhile it tosses the last kCatchUp.
// Rounds are delivered in the order in which their values come, which is not always that of their
// numbers. Durable, beside what the coin keeps, is how far a node tossed, before it says so: after
// an outage of more nodes than may fail nobody else knows it. A host that keeps no records says it
// at a restart (`tossed`), or the node begins at `first` and follows the others. The values are as
// good as the scheme: with IdealCoin anybody may know them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "thresher/core/compose.hpp"
#include "thresher/protocols/coin/threshold_coin.hpp"
#include "thresher/protocols/coin/vrf_coin.hpp"

namespace thresher::coin {

/// Rounds that are behind the others' and are tossed still: peers may need the shares. Fewer where
/// the coin keeps fewer.
inline constexpr std::uint64_t kCatchUp = 64;
template <class CoinConfig>
std::uint64_t caught_up(const CoinConfig& coin) {
  // What it makes room for it would forget at once.
  if constexpr (requires { coin.window; }) return std::min<std::uint64_t>(kCatchUp, coin.window);
  return kCatchUp;
}

/// The beacon's only table of records: the lowest round that was not tossed. No coin has it.
inline constexpr std::uint32_t kTossedTable = 0;

/// What a beacon has to know of a coin, by the type of its configuration.
inline std::uint64_t instance_of(const Share& share) {
  return share.instance;
}
inline bool makes_values_alone(const Config& config) {
  return config.scheme->threshold() == 1;
}
inline bool makes_values_alone(const VrfConfig& config) {
  return config.committee.at_least(kAvailability) == 1;
}
template <class Coin>
struct ConfigOf {
  using Type = typename Coin::Config;
};
template <>
struct ConfigOf<ThresholdCoin> {
  using Type = Config;
};

template <class Coin>
struct BasicBeaconConfig {
  typename ConfigOf<Coin>::Type coin{};
  Delay pause{0};           ///< between a value and the next toss; 0: none, or as short as can be
  std::uint64_t first = 0;  ///< the round that a start begins with
  /// Rounds below were tossed before a restart. The last kCatchUp of them are tossed again: peers
  /// that restart too may lack their values.
  std::uint64_t tossed = 0;
};

template <class Coin>
class BasicBeacon {
 public:
  using Message = typename Coin::Message;
  using Output = Tossed;
  using Request = Toss;
  using Fx = Effects<Message, Output>;

  /// Pre: config.coin.scheme is not null.
  explicit BasicBeacon(BasicBeaconConfig<Coin> config);

  void on(const Restored&, Fx&);
  void on(const Start&, Fx&);
  void on(const Received<Message>&, Fx&);
  /// Nobody asks a beacon for a round of its own choice: ignored.
  void on(const Requested<Toss>&, Fx&) {}
  void on(const Expired&, Fx&);

  /// The highest round that this node has tossed; before Start the one before the first.
  std::uint64_t round() const { return next_ == 0 ? 0 : next_ - 1; }
  const Coin& coin() const { return coin_; }

 private:
  void toss_up_to(std::uint64_t round, Fx& fx);
  template <class Input>
  void feed(const Input& input, Fx& fx);
  std::uint64_t vouched() const;

  BasicBeaconConfig<Coin> config_;
  Coin coin_;
  std::vector<std::uint64_t> spoken_;  // by peer: one more than the highest round it spoke of
  std::uint64_t next_;                 // the lowest round that was not tossed
  std::uint64_t due_ = 0;              // the end of the rounds that the running pause leads to
  bool started_ = false;
};

extern template class BasicBeacon<ThresholdCoin>;
extern template class BasicBeacon<VrfCoin>;

using Beacon = BasicBeacon<ThresholdCoin>;
using BeaconConfig = BasicBeaconConfig<ThresholdCoin>;

}  // namespace thresher::coin
