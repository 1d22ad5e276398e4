// A coin for simulations: values come from a seed, shares are free, everybody could compute them
// all.
//
//   auto scheme = std::make_shared<IdealCoin>(committee.at_least(kValidity), NodeId{2}, seed);
//
// Guarantees: the counting of CoinScheme, and values that look random. Hides nothing: an adversary
// that may call share() for another node or combine() early knows every value. Never in a
// deployment.
#pragma once

#include <algorithm>
#include <set>

#include "thresher/core/transcript.hpp"
#include "thresher/crypto/coin_scheme.hpp"

namespace thresher::coin {

class IdealCoin final : public crypto::CoinScheme {
 public:
  IdealCoin(std::uint32_t threshold, NodeId self, std::uint64_t seed)
      : threshold_(threshold), self_(self), seed_(seed) {}

  std::uint32_t threshold() const override { return threshold_; }
  std::optional<crypto::CoinShare> share(std::uint64_t instance) const override {
    return share_of(self_, instance);
  }
  void verify(std::uint64_t instance, std::span<const crypto::CoinClaim> claims,
              std::span<std::uint8_t> verdicts) const override {
    for (std::size_t i = 0; i < claims.size(); ++i) {
      verdicts[i] = claims[i].share == share_of(claims[i].from, instance) ? 1 : 0;
    }
  }
  std::optional<Digest> combine(std::uint64_t instance,
                                std::span<const crypto::CoinClaim> shares) const override {
    std::set<NodeId> nodes;
    for (const crypto::CoinClaim& claim : shares) nodes.insert(claim.from);
    if (nodes.size() < threshold_) return std::nullopt;
    Writer w;
    w.bytes(as_view("thresher/ideal-coin/1")).u64(seed_).u64(instance);
    return hash(w.view());
  }

 private:
  crypto::CoinShare share_of(NodeId node, std::uint64_t instance) const {
    Writer w;
    w.bytes(as_view("thresher/ideal-share/1")).u64(seed_).u64(instance).u16(node.value);
    const Digest tag = hash(w.view());
    crypto::CoinShare out;
    std::copy(tag.bytes.begin(), tag.bytes.end(), out.bytes.begin());
    return out;
  }

  std::uint32_t threshold_;
  NodeId self_;
  std::uint64_t seed_;
};

}  // namespace thresher::coin
