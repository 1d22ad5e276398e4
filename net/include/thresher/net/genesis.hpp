// Who takes part in a ledger: the one file that all nodes share.
//
//   auto genesis = net::load_genesis("net/genesis.json");
//
// Guarantees: the digest of its content is the chain id, so nodes with different files never
// connect.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/core/result.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/crypto/threshold_coin.hpp"
#include "thresher/net/parameters.hpp"
#include "thresher/net/transport.hpp"

namespace thresher::net {

struct Genesis {
  std::string chain = "thresher";
  std::string protocol = "thresher";
  std::uint64_t epoch = 0;
  std::uint32_t f = 0;
  std::vector<PeerAddress> nodes;
  /// The public part of the coin, if the protocol tosses one: see coin.hpp.
  std::optional<crypto::CoinKeys> coin{};
  /// Of the protocol, where they are not the default: see parameters.hpp. Part of the chain id.
  Parameters parameters{};

  ChainContext context() const;
};

/// The protocols that a node can run: what `protocol` may be.
const std::vector<std::string>& node_protocols();

/// Whether the coin's keys may be missing though the protocol tosses coins: before they are made.
enum class MayLackCoin : bool { kNo, kYes };

Result<Genesis, std::string> load_genesis(const std::string& path,
                                          MayLackCoin may_lack = MayLackCoin::kNo);
Result<Unit, std::string> save_genesis(const Genesis& genesis, const std::string& path);

}  // namespace thresher::net
