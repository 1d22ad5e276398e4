#include "thresher/protocols/agreement/rounds.hpp"

#include <concepts>

#include "rounds_records.hpp"
#include "rounds_steps.hpp"

namespace thresher::agreement {
namespace {

template <class Coin, class Config>
Coin coin_of(const Config& config) {
  if constexpr (std::constructible_from<Coin, coin::Config>) {
    return Coin({.committee = config.committee,
                 .self = config.self,
                 .scheme = config.coin,
                 .keep = (config.window + 1) << kRoundBits,
                 // One for each of the agreements that may come to their coins together.
                 .early = coin::early_shares_for(config.window)});
  } else {
    return Coin(config.self, config.entropy);
  }
}

}  // namespace

template <class Coin>
RoundAgreement<Coin>::RoundAgreement(Config config, const RoundTables& own)
    : config_(std::move(config)),
      coin_(coin_of<Coin>(config_)),
      told_(config_.committee.size()),
      served_(config_.committee.size()),
      beyond_(config_.committee.size()) {
  if (config_.tables == nullptr) config_.tables = &own;
}

template class RoundAgreement<coin::LocalCoin>;
template class RoundAgreement<coin::ThresholdCoin>;

}  // namespace thresher::agreement
