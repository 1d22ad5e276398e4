// The common coins of a simulated committee: ideal ones, or the real threshold coin as a dealer
// deals it.
//
//   Coins coins(experiment, committee);                  // as the parameter `coin` says
//   config.coin = coins.of(NodeId{2});
//
// Guarantees: `threshold` shares make a value, with either; the deal follows from the experiment's
// seed, so it hides nothing from who knows that.
#pragma once

#include <memory>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/crypto/coin_scheme.hpp"
#include "thresher/sim/outcome.hpp"

namespace thresher::sim {

class Coins {
 public:
  Coins(const Experiment& experiment, const Committee& committee,
        Threshold threshold = kAvailability);
  std::shared_ptr<const crypto::CoinScheme> of(NodeId id) const { return schemes_[id.value]; }

 private:
  std::vector<std::shared_ptr<const crypto::CoinScheme>> schemes_;
};

/// The parameter `coin` of protocols that toss one.
ParameterInfo coin_parameter();

}  // namespace thresher::sim
