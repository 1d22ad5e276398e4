// What a simulated run is like: network, faults, seed. Plain data, checked by who reads it.
//
//   Plan plan{.committee = *Committee::of(7), .seed = 3, .delay_max = 4};
//   plan.faults[NodeId{2}] = Fault{.kind = FaultKind::kTwins};
//
// Units: one tick is the shortest link delay. In the rounds engine every delay is one tick.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "thresher/core/committee.hpp"

namespace thresher::sim {

enum class FaultKind : std::uint8_t {
  kSilent,  ///< sends nothing
  kTwins,   ///< two honest faces with one key, each shown to one half of the others
  kCrash,   ///< honest until `at`, gone until `back`, then restored from what was durable
};

struct Fault {
  FaultKind kind = FaultKind::kSilent;
  std::uint64_t at = 0;    ///< crash tick
  std::uint64_t back = 0;  ///< restart tick; 0 stands for never
};

/// The name of a fault as files and flags spell it; empty when unknown.
std::optional<FaultKind> fault_from_name(std::string_view name);

struct Plan {
  Committee committee = *Committee::make(4, 1);
  std::uint64_t seed = 1;
  std::uint64_t delay_min = 1;  ///< ticks
  std::uint64_t delay_max = 1;  ///< ticks, inclusive
  std::uint64_t loss_ppm = 0;   ///< messages lost before gst, in 10^-6
  std::uint64_t gst = 0;        ///< tick from which nothing is lost and links are not cut
  std::uint64_t cut_ppm = 0;    ///< links starved until gst, in 10^-6
  std::uint64_t delta = 2;      ///< ticks a Delta lasts
  std::map<NodeId, Fault> faults;
};

}  // namespace thresher::sim
