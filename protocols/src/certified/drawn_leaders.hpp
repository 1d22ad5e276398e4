// Whom the coins of waves named, where rules draw a leader by one. Rule R16.
//
//   DrawnLeaders drawn;
//   drawn.note(wave, leader);
//   if (const auto leader = drawn.of(wave)) ...
//   drawn.forget(wave_of(floor));                // earlier waves are ordered
//
// Guarantees: a wave has one leader, whoever is told it when. Tosses no coin
// (chassis/wave_coin.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "thresher/core/ids.hpp"

namespace thresher::certified {

class DrawnLeaders {
 public:
  void note(std::uint64_t wave, NodeId leader) { leaders_.insert_or_assign(wave, leader); }
  /// Empty: its coin is not known.
  std::optional<NodeId> of(std::uint64_t wave) const {
    const auto it = leaders_.find(wave);
    return it == leaders_.end() ? std::nullopt : std::optional<NodeId>(it->second);
  }
  /// Waves before `next`.
  void forget(std::uint64_t next) { leaders_.erase(leaders_.begin(), leaders_.lower_bound(next)); }

 private:
  std::map<std::uint64_t, NodeId> leaders_;  // by wave
};

}  // namespace thresher::certified
