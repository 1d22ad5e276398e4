// How likely a block of Filecoin is replaced: a bound that a node computes from the blocks that it
// sees, and the attack that it bounds.
//
//   FinalityCalculator calculator({});
//   double error = calculator.error(chain, target);     // chain: blocks of each epoch so far
//
// An epoch has Poisson(5) blocks, of which an adversary makes a share and keeps it to itself. The
// bound asks how far ahead it may have been at the target (L), what it made since (B) and may make
// from now on (M), each against what the honest made, and that is known: the chain.
// Guarantees: probabilities are truncated as the standard does (400 blocks of lead, 900 epochs
// back, 100 ahead). Not a proof of finality: rates are assumed. Source: FRC-0089 and arXiv
// 2603.01307.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "chance.hpp"

namespace thresher::sim {

class FinalityCalculator {
 public:
  struct Config {
    double blocks = 5;       ///< expected of an epoch
    double adversary = 0.3;  ///< its share of them
    std::size_t most_lead = 400;
    std::size_t epochs_back = 900;
    std::size_t epochs_ahead = 100;
    /// The adversary's blocks of the target's own epoch count. The standard's listing leaves them
    /// out, and what it gives is then less than what withholding achieves against young blocks.
    bool counts_target = false;
  };

  explicit FinalityCalculator(const Config& config)
      : config_(config), ahead_(lead_from_now_on(config)) {}

  /// A bound on the probability that the block of epoch `target` is replaced. Pre: target <
  /// chain.size().
  double error(const std::vector<std::uint32_t>& chain, std::size_t target) const {
    const double rate = config_.adversary * config_.blocks;
    std::size_t gap = 0;
    for (std::size_t i = target; i < chain.size(); ++i) gap += chain[i];
    const auto lead = lead_at(chain, target);
    const double epochs =
        static_cast<double>(chain.size() - target - (config_.counts_target ? 0 : 1));
    double error = tail(lead, gap);
    for (std::size_t l = 0; l < std::min(gap, lead.size()); ++l) {
      const std::size_t rest = gap - l;
      double caught_up = poisson_tail(rest, epochs * rate);
      for (std::size_t b = 0; b < rest; ++b) {
        caught_up += poisson(b, epochs * rate) * tail(ahead_, rest - b);
      }
      error += lead[l] * caught_up;
    }
    return std::min(error, 1.0);
  }

 private:
  // The largest probability of each lead over all epochs in which a private chain may have begun.
  std::vector<double> lead_at(const std::vector<std::uint32_t>& chain, std::size_t target) const {
    const double rate = config_.adversary * config_.blocks;
    std::vector<double> out(config_.most_lead + 1);
    double expected = 0;
    std::size_t seen = 0;
    const std::size_t back = std::min(config_.epochs_back, target);
    for (std::size_t i = 1; i <= back; ++i) {
      expected += rate;
      seen += chain[target - i];
      double before = 0;
      for (std::size_t k = 0; k <= config_.most_lead; ++k) {
        const double p = poisson(k + seen, expected);
        out[k] = std::max(out[k], p);
        if (k > 1 && p < 1e-25 && p < before) break;
        before = p;
      }
    }
    return with_rest_at_none(std::move(out));
  }

  // The same from now on, against the least that the honest chain grows by in an epoch while the
  // adversary splits its miners.
  static std::vector<double> lead_from_now_on(const Config& c) {
    const double theirs = c.adversary * c.blocks;
    const double honest = (1 - c.adversary) * c.blocks;
    double growth = 0;
    for (std::size_t j = 0; j < static_cast<std::size_t>(4 * c.blocks); ++j) {
      const double epochs = static_cast<double>(j);
      growth += (honest + epochs) / std::exp2(epochs) * poisson(j, theirs);
    }
    growth *= 1 - std::exp(-honest);
    std::vector<double> out(c.most_lead + 1);
    for (std::size_t i = 1; i <= c.epochs_ahead; ++i) {
      const double epochs = static_cast<double>(i);
      for (std::size_t k = 0; k <= c.most_lead; ++k) {
        const double p = skellam(k, epochs * theirs, epochs * growth);
        out[k] = std::max(out[k], p);
        if (p < 1e-25) break;
      }
    }
    return with_rest_at_none(std::move(out));
  }

  static std::vector<double> with_rest_at_none(std::vector<double> p) {
    double sum = 0;
    for (const double one : p) sum += one;
    p.front() += std::max(0.0, 1 - sum);
    return p;
  }
  // At least `k`; all of it for none.
  static double tail(const std::vector<double>& p, std::size_t k) {
    double sum = 0;
    for (std::size_t i = k; i < p.size(); ++i) sum += p[i];
    return k == 0 ? 1 : std::min(sum, 1.0);
  }

  Config config_;
  std::vector<double> ahead_;
};

/// One history of honest blocks and a private chain beside it: whether some private chain that left
/// before `target` outweighs the honest one at some time after it had `depth` epochs.
struct WithheldChain {
  std::vector<std::uint32_t> chain;  ///< honest blocks until `depth` epochs after the target
  bool replaced = false;
};

/// `before` epochs come before the target, and `after` are looked at when it is `depth` old.
inline WithheldChain withhold(Prng& prng, double adversary, std::size_t before, std::size_t depth,
                              std::size_t after) {
  constexpr double kBlocks = 5;
  WithheldChain out;
  double lead = 0;  // the best of all beginnings: it starts afresh whenever it falls behind
  for (std::size_t epoch = 0; epoch < before + depth + after; ++epoch) {
    const auto honest = draw_poisson(prng, (1 - adversary) * kBlocks);
    lead +=
        static_cast<double>(draw_poisson(prng, adversary * kBlocks)) - static_cast<double>(honest);
    if (epoch < before) lead = std::max(lead, 0.0);
    if (epoch < before + depth) out.chain.push_back(static_cast<std::uint32_t>(honest));
    if (epoch + 1 >= before + depth && lead >= 0) out.replaced = true;
  }
  return out;
}

}  // namespace thresher::sim
