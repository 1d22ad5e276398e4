#include "thresher/protocols/agreement/rounds.hpp"

#include "rounds_records.hpp"
#include "rounds_steps.hpp"

namespace thresher::agreement {
namespace {

coin::ThresholdCoin coin_of(const Committee& committee, NodeId self, std::uint64_t window,
                            const std::shared_ptr<const crypto::CoinScheme>& scheme) {
  return coin::ThresholdCoin(
      {.committee = committee, .self = self, .scheme = scheme, .keep = (window + 1) << kRoundBits});
}

}  // namespace

template <class Coin>
RoundAgreement<Coin>::RoundAgreement(Config config)
    : config_(std::move(config)),
      coin_(coin_of(config_.committee, config_.self, config_.window, config_.coin)),
      told_(config_.committee.size()) {}

template class RoundAgreement<coin::ThresholdCoin>;

}  // namespace thresher::agreement
