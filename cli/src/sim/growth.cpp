#include "growth.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <optional>

namespace thresher::cli {
namespace {

constexpr std::size_t kTerms = 6;
using Factors = std::array<double, kTerms>;
/// Factors of an equation, and its right side.
using Row = std::array<double, kTerms + 1>;

struct Fitted {
  Factors factors{};
  double error = 0;
};

/// A sample in shares of the largest one, with how much its relative error counts.
struct Weighed {
  double x = 0;
  double y = 0;
  double weight = 0;
};

double at(const Factors& factors, double x) {
  double out = 0;
  for (std::size_t k = kTerms; k > 0; --k) out = out * x + factors[k - 1];
  return out;
}

// Gauss with the largest pivot. Nothing where the equations say the same.
std::optional<std::vector<double>> solved(std::vector<Row> rows) {
  const std::size_t n = rows.size();
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t pivot = i;
    for (std::size_t r = i + 1; r < n; ++r) {
      if (std::abs(rows[r][i]) > std::abs(rows[pivot][i])) pivot = r;
    }
    std::swap(rows[i], rows[pivot]);
    if (std::abs(rows[i][i]) < 1e-14) return std::nullopt;
    for (std::size_t r = 0; r < n; ++r) {
      if (r == i) continue;
      const double factor = rows[r][i] / rows[i][i];
      for (std::size_t c = i; c <= n; ++c) rows[r][c] -= factor * rows[i][c];
    }
  }
  std::vector<double> out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(rows[i][n] / rows[i][i]);
  return out;
}

// The least squares of these powers; nothing where a factor would be negative.
std::optional<Fitted> fitted(const std::vector<Weighed>& samples, unsigned terms) {
  std::vector<std::size_t> powers;
  for (std::size_t k = 0; k < kTerms; ++k) {
    if ((terms >> k & 1U) != 0) powers.push_back(k);
  }
  std::vector<Row> rows(powers.size());
  for (const Weighed& s : samples) {
    for (std::size_t i = 0; i < powers.size(); ++i) {
      const double scaled = s.weight * std::pow(s.x, powers[i]);
      for (std::size_t j = 0; j < powers.size(); ++j)
        rows[i][j] += scaled * std::pow(s.x, powers[j]);
      rows[i][powers.size()] += scaled * s.y;
    }
  }
  const auto factors = solved(std::move(rows));
  if (!factors || *std::min_element(factors->begin(), factors->end()) < 0) return std::nullopt;
  Fitted out;
  for (std::size_t i = 0; i < powers.size(); ++i) out.factors[powers[i]] = (*factors)[i];
  for (const Weighed& s : samples) {
    const double off = at(out.factors, s.x) - s.y;
    out.error += s.weight * off * off;
  }
  return out;
}

// The best of all choices of up to `degree` powers: the factors that are left out would have been
// negative, or the samples are too few for them.
double fit(const std::vector<Sample>& samples, double x, std::size_t degree) {
  const Sample& last = samples.back();
  if (x == last.x) return last.y;
  const double unit = std::max(last.x, 1.0);
  double most = 0;
  for (const Sample& s : samples) most = std::max(most, s.y);
  if (most <= 0) return 0;
  std::vector<Weighed> shares;
  for (const Sample& s : samples) {
    const double y = s.y / most;
    // The square of the share, because small committees with faults behave differently: what they
    // wait for takes most of a short run. Where chance had nothing happen, that would count
    // infinitely: no less is expected than what grows with the cube.
    const double share = s.x / unit;
    const double relative = share * share / std::max(y, share * share * share);
    shares.push_back({share, y, std::isfinite(relative) ? relative * relative : 0});
  }
  std::optional<Fitted> best;
  for (unsigned terms = 1; terms < 2U << std::min(degree, kTerms - 1); ++terms) {
    if (static_cast<std::size_t>(std::popcount(terms)) > samples.size()) continue;
    const auto next = fitted(shares, terms);
    if (next && (!best || next->error < best->error)) best = next;
  }
  const double out = best ? at(best->factors, x / unit) * most : 0;
  return std::isfinite(out) ? std::max(out, last.y) : last.y;
}

// What the first and the last sample show, rounded up. Noise between two that are near each other
// shows far too much, and a higher power would follow it.
std::size_t highest_power(const std::vector<Sample>& samples) {
  const Sample& last = samples.back();
  const auto first =
      std::find_if(samples.begin(), samples.end(), [](const Sample& s) { return s.y > 0; });
  if (first == samples.end() || !(first->x < last.x)) return 3;
  const double exponent = std::log(last.y / first->y) / std::log(last.x / first->x);
  if (!(exponent > 1)) return 1;
  // A cube with a small factor does not show yet, and is most of it further out.
  const double least = exponent > 1.5 ? 3 : 1;
  return static_cast<std::size_t>(std::clamp(std::ceil(exponent), least, kTerms - 1.0));
}

}  // namespace

double grown(const std::vector<Sample>& samples, double n, const std::vector<Sample>& like) {
  const auto of_others = [](std::vector<Sample> all) {
    for (Sample& s : all) s.x -= 1;
    return all;
  };
  const std::vector<Sample> others = of_others(samples);
  return fit(others, n - 1, std::max(highest_power(others), highest_power(of_others(like))));
}

}  // namespace thresher::cli
