// What the campaigns over coins count of a run, and how far shares of draws may be from what is
// expected.
#pragma once

#include <cmath>

#include "../../campaigns.hpp"

namespace thresher {

struct Counts {
  double tosses = 0;
  double alike = 0;
  double ones = 0;

  void add(const sim::Outcome& outcome) {
    for (const sim::Measure& m : outcome.measures) {
      tosses += m.name == "tosses" ? m.value : 0;
      alike += m.name == "alike" ? m.value : 0;
      ones += m.name == "ones" ? m.value : 0;
    }
  }
};

/// Five standard deviations of a share of so many draws.
inline double noise(double draws) {
  return 5 * 0.5 / std::sqrt(draws);
}

}  // namespace thresher
