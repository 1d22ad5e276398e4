#include "thresher/crypto/vrf_scheme.hpp"

#include <utility>

namespace thresher::crypto {

VrfLottery::VrfLottery(ChainContext chain, std::vector<PublicKey> keys,
                       std::optional<Secret<VrfSeed>> seed)
    : chain_(chain), keys_(std::move(keys)), seed_(std::move(seed)) {}

Digest VrfLottery::input(std::uint64_t instance) const {
  Transcript t("thresher/vrf-ticket/1", chain_);
  t.u64(instance);
  return t.digest();
}

std::optional<VrfProof> VrfLottery::draw(std::uint64_t instance) const {
  if (!seed_) return std::nullopt;
  const auto made = prove_vrf(**seed_, input(instance).bytes);
  return made ? std::optional(made->proof) : std::nullopt;
}

std::optional<Digest> VrfLottery::check(std::uint64_t instance, NodeId from,
                                        const VrfProof& proof) const {
  if (from.value >= keys_.size()) return std::nullopt;
  const auto output = verify_vrf(keys_[from.value], input(instance).bytes, proof);
  return output ? std::optional(hash(*output)) : std::nullopt;
}

}  // namespace thresher::crypto
