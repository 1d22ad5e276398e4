// The common coin of a network, for the protocols that toss one: made by `thresher dkg` or, for
// tests, dealt once.
//
//   if (needs_coin(genesis.protocol)) (void)deal_coin(genesis, homes);   // the dealer, at first
//   auto coin = open_coin(genesis, "node2/coin.key", NodeId{2});
//   auto seals = open_encryption(genesis, "node2/coin.key", NodeId{2});
//
// Guarantees: the public part is in the genesis file and in the chain id, so nodes of two deals
// never connect; a share that does not fit it is refused. The dealer is trusted, since it could
// keep every share. deal_coin() keeps none.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "thresher/core/error.hpp"
#include "thresher/core/ids.hpp"
#include "thresher/crypto/encryption_scheme.hpp"
#include "thresher/net/genesis.hpp"

namespace thresher::net {

/// Shares that make a value. With fewer correct ones than this the coin stays hidden, also when the
/// faulty nodes add theirs; f silent ones do not block it. Source: docs/protocols/mahi-mahi.md.
inline constexpr Threshold kCoinShares = kAvailability;

/// Whether nodes that run `protocol` toss coins.
bool needs_coin(const std::string& protocol);

/// Puts the public part of a new coin into `genesis` and writes homes[i]/coin.key for node i.
/// Pre: as many homes as nodes, which exist. kRejected: the nodes do not
/// tolerate f, or a zero was drawn. Also those of crypto::save_coin_share().
Result<Unit, Error> deal_coin(Genesis& genesis, const std::vector<std::string>& homes);

/// The coin of node `self`, whose share lies in `path`; null when the protocol tosses none.
/// kMissing: the genesis file has no keys for the node; `where` is "node 2". kCorrupt: its keys do
/// not belong together. kMismatch: the share is another's; `where` is `path`. Also those of
/// crypto::load_coin_share().
Result<std::shared_ptr<const crypto::CoinScheme>, Error> open_coin(const Genesis& genesis,
                                                                   const std::string& path,
                                                                   NodeId self);

/// Whether nodes of the ledger encrypt what they have not ordered yet (`encrypt` of honeybadger).
bool encrypts(const Genesis& genesis);
/// Threshold encryption with the coin's key, or null when the ledger does not encrypt. As
/// open_coin().
Result<std::shared_ptr<const crypto::EncryptionScheme>, Error> open_encryption(
    const Genesis& genesis, const std::string& path, NodeId self);

}  // namespace thresher::net
