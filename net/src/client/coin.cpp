#include "thresher/net/coin.hpp"

#include <algorithm>
#include <optional>

#include "thresher/crypto/coin_file.hpp"
#include "thresher/crypto/key_file.hpp"
#include "thresher/crypto/threshold_encryption.hpp"
#include "thresher/net/parameters.hpp"

namespace thresher::net {

bool needs_coin(const std::string& protocol) {
  return protocol == "bullshark-async" || protocol == "honeybadger" || protocol == "mahi-mahi";
}

// The seed of a fresh key: secret random bytes that are used for nothing else and wiped.
Result<Unit, Error> deal_coin(Genesis& genesis, const std::vector<std::string>& homes) {
  const auto n = static_cast<std::uint32_t>(genesis.nodes.size());
  const auto committee = Committee::make(n, genesis.f);
  if (!committee)
    return Error{ErrorCode::kRejected, "cannot deal a coin: " + std::to_string(n) +
                                           " nodes do not tolerate f=" + std::to_string(genesis.f)};
  const auto random = crypto::SigningKey::generate();
  auto deal = crypto::deal_coin(n, committee->at_least(kCoinShares), random.seed());
  if (!deal) return Error{ErrorCode::kRejected, "dealing the coin drew a zero", {}, "try again"};
  std::optional<Error> problem;
  for (std::size_t i = 0; i < n; ++i) {
    if (!problem) {
      const auto saved = crypto::save_coin_share(deal->secrets[i], homes[i] + "/coin.key");
      if (!saved) problem = saved.error();
    }
    crypto::wipe(deal->secrets[i]);
  }
  if (problem) return *problem;
  genesis.coin = std::move(deal->keys);
  return Unit{};
}

namespace {

using Share = crypto::Secret<crypto::RistrettoScalar>;

// The share in the file, if it is that of this node.
Result<Share, Error> open_share(const Genesis& genesis, const std::string& path, NodeId self) {
  if (!genesis.coin || self.value >= genesis.coin->nodes.size()) {
    const std::string node = "node " + std::to_string(self.value);
    return Error{ErrorCode::kMissing, "the genesis file holds no coin keys for " + node, node,
                 "protocol " + genesis.protocol +
                     " needs them: make them with thresher dkg at every node, or with thresher "
                     "testnet init --dealer"};
  }
  if (!crypto::coin_keys_agree(*genesis.coin)) {
    return Error{ErrorCode::kCorrupt,
                 "the coin keys of the genesis file do not belong together: somebody changed one",
                 {},
                 "restore the file from a backup"};
  }
  auto secret = crypto::load_coin_share(path);
  if (!secret) return secret.error();
  if (crypto::ristretto_base(**secret) == genesis.coin->nodes[self.value]) return *secret;
  return Error{ErrorCode::kMismatch,
               "the coin share '" + path + "' is not that of node " + std::to_string(self.value) +
                   " of this committee: it is another node's or of another deal",
               path,
               "put the file there that thresher dkg or thresher testnet init --dealer wrote for "
               "this node"};
}

}  // namespace

Result<std::shared_ptr<const crypto::CoinScheme>, Error> open_coin(const Genesis& genesis,
                                                                   const std::string& path,
                                                                   NodeId self) {
  std::shared_ptr<const crypto::CoinScheme> out;
  if (!needs_coin(genesis.protocol)) return out;
  const auto share = open_share(genesis, path, self);
  if (!share) return share.error();
  out = std::make_shared<crypto::ThresholdCoin>(genesis.context(), *genesis.coin, self, *share);
  return out;
}

bool encrypts(const Genesis& genesis) {
  return parameter_text(genesis.parameters, genesis.protocol, "encrypt") == "on";
}

Result<std::shared_ptr<const crypto::EncryptionScheme>, Error> open_encryption(
    const Genesis& genesis, const std::string& path, NodeId self) {
  std::shared_ptr<const crypto::EncryptionScheme> out;
  if (!encrypts(genesis)) return out;
  const auto share = open_share(genesis, path, self);
  if (!share) return share.error();
  out =
      std::make_shared<crypto::ThresholdEncryption>(genesis.context(), *genesis.coin, self, *share);
  return out;
}

}  // namespace thresher::net
