// The common coins of a simulated committee: ideal ones, or the real threshold coin on a key that
// a dealer deals or that the nodes generate; and the threshold encryption on the same key.
//
//   Coins coins(experiment, committee);                  // as the parameter `coin` says
//   config.coin = coins.of(NodeId{2});
//
// Guarantees: `threshold` shares make a value, with either; the deal follows from the experiment's
// seed, so it hides nothing from those that know it.
#pragma once

#include <memory>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/crypto/coin_scheme.hpp"
#include "thresher/crypto/encryption_scheme.hpp"
#include "thresher/sim/outcome.hpp"

namespace thresher::sim {

class Coins {
 public:
  Coins(const Experiment& experiment, const Committee& committee,
        Threshold threshold = kAvailability);
  std::shared_ptr<const crypto::CoinScheme> of(NodeId id) const { return schemes_[id.value]; }
  /// Null unless the parameter `encrypt` asks for one. Pre: the protocol has that parameter.
  std::shared_ptr<const crypto::EncryptionScheme> encryption_of(NodeId id) const {
    return encryptions_[id.value];
  }

 private:
  std::vector<std::shared_ptr<const crypto::CoinScheme>> schemes_;
  std::vector<std::shared_ptr<const crypto::EncryptionScheme>> encryptions_;
};

/// The parameter `coin` of protocols that toss one.
ParameterInfo coin_parameter();
/// The parameter `encrypt` of protocols that can encrypt.
ParameterInfo encryption_parameter();
bool encrypts(const Experiment& experiment);

}  // namespace thresher::sim
