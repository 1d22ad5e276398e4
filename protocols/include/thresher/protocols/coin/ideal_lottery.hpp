// A lottery for simulations: tickets come from a seed, proofs are hashes that everybody could make.
//
//   auto scheme = std::make_shared<IdealLottery>(NodeId{2}, seed);
//
// Guarantees: one value for each node and instance, and values that look random. Hides nothing.
// Never in a deployment.
#pragma once

#include <algorithm>

#include "thresher/core/transcript.hpp"
#include "thresher/crypto/vrf_scheme.hpp"

namespace thresher::coin {

class IdealLottery final : public crypto::VrfScheme {
 public:
  IdealLottery(NodeId self, std::uint64_t seed) : self_(self), seed_(seed) {}

  std::optional<crypto::VrfProof> draw(std::uint64_t instance) const override {
    return proof_of(self_, instance);
  }
  std::optional<Digest> check(std::uint64_t instance, NodeId from,
                              const crypto::VrfProof& proof) const override {
    return proof == proof_of(from, instance) ? std::optional(hash(proof)) : std::nullopt;
  }

 private:
  crypto::VrfProof proof_of(NodeId node, std::uint64_t instance) const {
    Writer w;
    w.bytes(as_view("thresher/ideal-ticket/1")).u64(seed_).u64(instance).u16(node.value);
    const Digest tag = hash(w.view());
    crypto::VrfProof out{};
    std::copy(tag.bytes.begin(), tag.bytes.end(), out.begin());
    return out;
  }

  NodeId self_;
  std::uint64_t seed_;
};

}  // namespace thresher::coin
