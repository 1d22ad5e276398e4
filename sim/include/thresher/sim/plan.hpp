// A small experiment for protocol tests: network, faults, seed, in ticks. World runs it.
//
//   Plan plan{.committee = *Committee::of(7), .seed = 3, .delay_max = 4};
//   plan.faults[NodeId{2}] = Fault{.kind = FaultKind::kTwins};
//
// Units: one tick is the shortest link delay, a round of the engine.
#pragma once

#include <cstdint>
#include <map>

#include "thresher/core/committee.hpp"
#include "thresher/sim/experiment.hpp"

namespace thresher::sim {

struct Fault {
  FaultKind kind = FaultKind::kSilent;
  std::uint64_t at = 0;    ///< crash tick
  std::uint64_t back = 0;  ///< restart tick; 0 stands for never
};

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

  /// The same as an experiment of the rounds engine.
  Experiment experiment() const;
};

}  // namespace thresher::sim
