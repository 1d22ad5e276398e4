#include "committee_coin_claims.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>

#include "../models/committee_coin.hpp"

namespace thresher::sim {
namespace {

/// The slope of a line through the points (log n, log bits), by least squares.
double slope(std::uint32_t k) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (std::uint32_t parties = 64; parties <= 4096; parties *= 2) {
    const CommitteeCoinShape shape({.n = parties, .k = k});
    const double a = std::log(parties), b = std::log(shape.plain_cost());
    n += 1;
    x += a;
    y += b;
    xx += a * a;
    xy += a * b;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

/// How likely the sum of so many fair signs is further from 0 than `reach`, exactly.
double chance_beyond(std::uint32_t signs, std::uint32_t reach) {
  double inside = 0;
  for (std::uint32_t ones = 0; ones <= signs; ++ones) {
    const auto sum = 2 * static_cast<std::int64_t>(ones) - signs;
    if (std::abs(sum) > reach) continue;
    inside += std::exp(std::lgamma(signs + 1.0) - std::lgamma(ones + 1.0) -
                       std::lgamma(signs - ones + 1.0) - signs * std::log(2.0));
  }
  return 1 - inside;
}

struct Tosses {
  double agreed = 0;
  double ones = 0;    ///< of those that agreed
  double broken = 0;  ///< tosses that the proof covers and the parties disagree on
  double overpowered = 0;
};

Tosses tossed(const CommitteeCoinShape& shape, const ReproduceOptions& o, std::uint64_t count) {
  const CommitteeCoin coin(shape);
  Tosses out;
  std::uint64_t agreed = 0, ones = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const CommitteeCoin::Toss t = coin.toss(mix64(o.seed ^ mix64(i)));
    agreed += t.agreed ? 1 : 0;
    ones += t.agreed && t.value ? 1 : 0;
    out.broken += t.within_bound && !t.agreed ? 1 : 0;
    out.overpowered = std::max<double>(out.overpowered, t.overpowered);
  }
  out.agreed = static_cast<double>(agreed) / static_cast<double>(count);
  out.ones = agreed == 0 ? 0 : static_cast<double>(ones) / static_cast<double>(agreed);
  return out;
}

Chart costs() {
  Chart out{"Bits of a toss", "log2 of n", "log10 of the bits", {}};
  for (const std::uint32_t k : {3u, 4u}) {
    Series& line = out.series.emplace_back();
    line.name = "committees, k = " + std::to_string(k);
    for (std::uint32_t n = 64; n <= 4096; n *= 2)
      line.points.push_back(
          {std::log2(n), std::log10(CommitteeCoinShape({.n = n, .k = k}).cost().total())});
  }
  Series& strong = out.series.emplace_back();
  strong.name = "the n^3 coin";
  for (std::uint32_t n = 64; n <= 4096; n *= 2)
    strong.points.push_back(
        {std::log2(n), std::log10(CommitteeCoinShape({.n = n, .k = 3}).strong_cost())});
  return out;
}

}  // namespace

Reproduction committee_coin(const ReproduceOptions& o) {
  std::vector<CheckedClaim> out;
  const std::string computed = "counted, not drawn; s = 3 n^(1/k), n = 64 to 4096";
  for (const std::uint32_t k : {3u, 4u}) {
    const double published = 3 - 2.0 / k;
    out.push_back({"slope of bits over n, powers of log n divided out, k = " + std::to_string(k),
                   published - 0.1, published + 0.1, slope(k), computed});
  }
  const std::uint64_t count = 10 * o.runs;
  for (const std::uint32_t k : {3u, 4u}) {
    // 5 of 64 parties for k = 3, 3 for k = 4: at this s the proof's constant is far away.
    const CommitteeCoinShape shape(
        {.n = 64, .k = k, .slack_ppm = k == 3 ? 250'000u : 200'000u, .gamma_ppm = 150'000});
    const Tosses t = tossed(shape, o, count);
    const double bound = chance_beyond(shape.committees(), 6 * shape.bound());
    const double deviation = std::sqrt(0.25 / static_cast<double>(count));
    const std::string of = ", n = 64, k = " + std::to_string(k);
    out.push_back({"tosses that the proof covers and parties disagree on" + of, 0, 0, t.broken,
                   "the adversary corrupts after it has seen all committees' coins"});
    out.push_back({"share of tosses on which all agree" + of, bound - 4 * deviation, 1, t.agreed,
                   "at least the chance that |Z| > 6b, less four standard deviations"});
    out.push_back({"share of ones among them" + of, 0.44 - 6 * deviation, 0.5 + 6 * deviation,
                   t.ones,
                   "a tie is 0, as one sum in twenty is; six standard deviations of all tosses"});
  }
  const Tosses lost =
      tossed(CommitteeCoinShape({.n = 64, .k = 3, .slack_ppm = 100'000}), o, o.runs);
  out.push_back({"share of tosses on which all agree, 14 of 64 corrupt, k = 3", 0, 0.05,
                 lost.agreed, "committees this small do not bear what the strong coin bears"});
  for (const auto& [n, least, most] : {std::tuple(64u, 1.0, 2.0), std::tuple(4096u, 0.05, 0.2)}) {
    const CommitteeCoinShape shape({.n = n, .k = 3});
    out.push_back({"bits beside the n^3 coin's, n = " + std::to_string(n) + ", k = 3", least, most,
                   shape.cost().total() / shape.strong_cost(), computed});
  }
  return {{}, {}, std::move(out), {costs()}};
}

}  // namespace thresher::sim
