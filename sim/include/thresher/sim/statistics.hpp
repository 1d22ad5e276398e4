// The few statistics that results show: percentiles of one run, means with confidence over repeats.
//
//   MeanWithin m = mean_within({12.0, 13.5, 12.6});        // 12.7 within 1.9 at 95 %
//
// Guarantees: deterministic; one value has a mean and no confidence. Assumes repeats that are
// independent and roughly normal, as the t distribution does.
#pragma once

#include <optional>
#include <vector>

namespace thresher::sim {

struct MeanWithin {
  double mean = 0;
  /// Half of the 95 % confidence interval (Student's t); empty below two values.
  std::optional<double> half;
};
/// Pre: not empty.
MeanWithin mean_within(const std::vector<double>& values);

/// The smallest value that `share` of all do not exceed (nearest rank). Pre: sorted, not empty,
/// 0 < share <= 1.
double percentile(const std::vector<double>& sorted, double share);

}  // namespace thresher::sim
