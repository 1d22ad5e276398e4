// How a cost goes on growing, from what it was at a few sizes.
//
//   grown({{4, 48}, {7, 294}, {10, 900}}, 100);      // n^2 (n-1): 990,000
//
// Guarantees: a function of its arguments alone; finite, not negative, not below the value at the
// largest size, and at that size exactly that value. A polynomial through all points would follow
// any noise in them, and may fall below zero further out. Here no term has a negative factor, so
// that the cost only rises beyond the sizes, and the highest power is what the smallest and the
// largest of them show.
#pragma once

#include <vector>

namespace thresher::cli {

struct Sample {
  double x = 0;
  double y = 0;
};

/// What y is at `n`: the sum of 1, n-1, (n-1)^2 and so on, at most (n-1)^5, each with a factor that
/// is not negative, which fits the samples best. Larger sizes count more. (Powers of n-1 and not of
/// n, because a node sends to n-1 others: n(n-1) has a negative factor in powers of n.) Pre: there
/// is a sample; samples are in the order of x; x >= 2, y >= 0, n >= the last x, all finite.
/// Memory shows its growth late, because the program needs much anyway: it may grow with the
/// highest power that messages (`like`, not empty) have.
double grown(const std::vector<Sample>& samples, double n, const std::vector<Sample>& like);
inline double grown(const std::vector<Sample>& samples, double n) {
  return grown(samples, n, samples);
}

}  // namespace thresher::cli
