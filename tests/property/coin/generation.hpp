// A key generation of four nodes with real keys, for tests that play its messages themselves.
#pragma once

#include <memory>
#include <vector>

#include "thresher/crypto/dkg.hpp"
#include "thresher/protocols/agreement/bca_agreement.hpp"
#include "thresher/protocols/broadcast/avid.hpp"
#include "thresher/protocols/coin/dkg.hpp"
#include "thresher/protocols/coin/ideal_coin.hpp"

namespace thresher::generation {

using Node = Dkg<Avid, CoreSet<BcaAgreement>>;
inline constexpr std::uint16_t kNodes = 4;

inline crypto::SigningKey identity(std::uint16_t i) {
  crypto::SigningKey::Seed seed{};
  seed[0] = static_cast<std::byte>(i + 1);
  return crypto::SigningKey::from_seed(seed);
}

inline std::shared_ptr<const crypto::DkgScheme> scheme_of(NodeId id) {
  const Committee committee = *Committee::of(kNodes);
  crypto::DkgSetup setup{.committee = committee, .threshold = committee.at_least(kAvailability)};
  std::vector<PublicKey> identities;
  for (std::uint16_t i = 0; i < kNodes; ++i) identities.push_back(identity(i).public_key());
  setup.keys = *crypto::dkg_keys_of(identities);
  crypto::DealtKey::Seed seed{};
  seed[1] = static_cast<std::byte>(id.value);
  return std::make_shared<crypto::DealtKey>(setup, id, crypto::dkg_secret_of(identity(id.value)),
                                            crypto::Secret(seed));
}

inline Node node_with(NodeId id, std::shared_ptr<const crypto::DkgScheme> scheme) {
  const Committee committee = *Committee::of(kNodes);
  return Node({.committee = committee,
               .self = id,
               .scheme = std::move(scheme),
               .coin = std::make_shared<coin::IdealCoin>(committee.at_least(kValidity), id, 1)});
}

}  // namespace thresher::generation
