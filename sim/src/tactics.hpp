// Schedules that go for what breaks agreement: a run is cut into phases, and in each the network
// and the liars do something else, to some nodes and to messages of some label.
//
//   if (goes_by_tactics(seed, menu)) draw_tactics(experiment, seed, menu);
//
// What they are made of is known to find bugs that single faults do not: each run has a random half
// of the features (swarm testing, Groce et al. 2012), splits that change from phase to phase
// and liars with two faces (Twins, Bano et al. 2021), few messages that come last of all (PCT,
// Burckhardt et al. 2010), liars that say what others say (to complete a quorum, or two).
//
// Guarantees: a function of the arguments; up to f nodes lie. Private to sim/.
#pragma once

#include "thresher/sim/fuzz.hpp"

namespace thresher::sim {

/// Two thirds of the seeds, where the menu has tactics.
bool goes_by_tactics(std::uint64_t seed, const Menu& menu);

/// Adds to `experiment`, whose seed is set.
void draw_tactics(Experiment& experiment, std::uint64_t seed, const Menu& menu);

}  // namespace thresher::sim
