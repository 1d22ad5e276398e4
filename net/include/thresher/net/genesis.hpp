// The members of a ledger: the one file that all nodes share.
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
#include "thresher/core/error.hpp"
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
  /// Those of the protocol that are not the default: see parameters.hpp. Part of the chain id.
  Parameters parameters{};

  ChainContext context() const;
};

/// The protocols that a node can run: what `protocol` may be.
const std::vector<std::string>& node_protocols();

/// Whether the coin's keys may be missing though the protocol tosses coins: before they are made.
enum class MayLackCoin : bool { kNo, kYes };

/// Errors: kMissing, kForbidden and kIo: it cannot be opened; kMalformed: it is not a genesis file,
/// and `where` is then "genesis.json:12:5" as far as the place is known; kUnsupported: of another
/// schema.
Result<Genesis, Error> load_genesis(const std::string& path,
                                    MayLackCoin may_lack = MayLackCoin::kNo);
/// Errors: those of the system; `where` is the path.
Result<Unit, Error> save_genesis(const Genesis& genesis, const std::string& path);

}  // namespace thresher::net
