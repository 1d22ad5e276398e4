// Schemes for tests: one deal, one scheme a node.
#pragma once

#include <memory>
#include <vector>

#include "thresher/crypto/threshold_coin.hpp"

namespace thresher {

inline std::array<std::byte, 32> coin_seed(std::uint8_t value) {
  std::array<std::byte, 32> out{};
  out.fill(static_cast<std::byte>(value));
  return out;
}

using Schemes = std::vector<std::shared_ptr<const crypto::CoinScheme>>;

inline Schemes dealt(std::uint32_t n, std::uint32_t threshold, std::uint8_t seed = 7,
                     const ChainContext& chain = {}) {
  const auto deal = crypto::deal_coin(n, threshold, coin_seed(seed));
  Schemes out;
  for (std::uint16_t i = 0; i < n; ++i) {
    out.push_back(
        std::make_shared<crypto::ThresholdCoin>(chain, deal->keys, NodeId{i}, deal->secrets[i]));
  }
  return out;
}

}  // namespace thresher
