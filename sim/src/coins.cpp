#include "coins.hpp"

#include "registry.hpp"
#include "thresher/crypto/threshold_coin.hpp"
#include "thresher/protocols/coin/ideal_coin.hpp"

namespace thresher::sim {
namespace {

constexpr const char* kIdeal = "ideal";
constexpr const char* kThreshold = "threshold";

// A deal fails when it draws a zero, which nobody has seen; the next one does not.
crypto::CoinDeal dealt(std::uint32_t n, std::uint32_t threshold, std::uint64_t seed) {
  for (std::uint64_t attempt = 0;; ++attempt) {
    Writer w;
    w.bytes(as_view("thresher/simulated-coin/1")).u64(seed).u64(attempt);
    auto deal = crypto::deal_coin(n, threshold, hash(w.view()).bytes);
    if (deal) return *std::move(deal);
  }
}

}  // namespace

Coins::Coins(const Experiment& e, const Committee& committee, Threshold shares) {
  const std::uint32_t n = committee.size();
  const std::uint32_t threshold = committee.at_least(shares);
  if (choice(e, "coin", kIdeal) == kIdeal) {
    for (std::uint16_t i = 0; i < n; ++i)
      schemes_.push_back(std::make_shared<coin::IdealCoin>(threshold, NodeId{i}, e.seed));
    return;
  }
  const crypto::CoinDeal deal = dealt(n, threshold, e.seed);
  for (std::uint16_t i = 0; i < n; ++i) {
    schemes_.push_back(std::make_shared<crypto::ThresholdCoin>(ChainContext{}, deal.keys, NodeId{i},
                                                               deal.secrets[i]));
  }
}

ParameterInfo coin_parameter() {
  return {"coin",
          std::string(kIdeal),
          0,
          0,
          "ideal: values from the seed, shares cost nothing; threshold: the real one, dealt",
          {kIdeal, kThreshold}};
}

}  // namespace thresher::sim
