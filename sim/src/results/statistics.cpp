#include "thresher/sim/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace thresher::sim {

MeanWithin mean_within(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  // Counted from the first value: equal values have exactly their mean and no spread.
  double off = 0;
  for (const double value : values) off += value - values.front();
  MeanWithin out{values.front() + off / count, std::nullopt};
  if (values.size() < 2) return out;
  double squares = 0;
  for (const double value : values) squares += (value - out.mean) * (value - out.mean);
  const boost::math::students_t law(count - 1);
  out.half = boost::math::quantile(law, 0.975) * std::sqrt(squares / (count - 1) / count);
  return out;
}

double percentile(const std::vector<double>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

}  // namespace thresher::sim
