#include "kept_coin.hpp"

#include <algorithm>

#include "thresher/crypto/beacon_proof.hpp"
#include "thresher/crypto/coin_file.hpp"
#include "thresher/crypto/key_file.hpp"
#include "thresher/crypto/ristretto_sum.hpp"
#include "thresher/net/coin.hpp"
#include "thresher/net/genesis.hpp"

namespace thresher::cli {
namespace {

std::optional<NodeId> place_in(const net::Genesis& genesis, const PublicKey& key) {
  const auto& nodes = genesis.nodes;
  const auto at = std::find_if(nodes.begin(), nodes.end(),
                               [&](const net::PeerAddress& node) { return node.key == key; });
  if (at == nodes.end()) return std::nullopt;
  return NodeId{static_cast<std::uint16_t>(at - nodes.begin())};
}

/// This node may deal the share of the old coin in the file only if it is its own.
Result<crypto::Secret<crypto::RistrettoScalar>, Error> old_share(const std::string& path,
                                                                 const net::Genesis& old,
                                                                 const std::string& old_path,
                                                                 const std::optional<NodeId>& was) {
  if (!was)
    return Error{ErrorCode::kMismatch,
                 "this node is not a member of '" + old_path +
                     "', so it has no share of the old coin: leave --old-share out",
                 path};
  auto secret = crypto::load_coin_share(path);
  if (!secret) return secret.error();
  const auto& shares = old.coin->nodes;
  const auto whose = std::find(shares.begin(), shares.end(), crypto::ristretto_base(**secret));
  if (whose == shares.end())
    return Error{ErrorCode::kMismatch,
                 "the share '" + path + "' is of another coin than that of '" + old_path + "'",
                 path, "give the coin.key of this node in that network"};
  const auto owner = static_cast<std::size_t>(whose - shares.begin());
  if (owner == was->value) return *secret;
  return Error{ErrorCode::kMismatch,
               "the share '" + path + "' is that of node " + std::to_string(owner) + " of '" +
                   old_path + "', and this node was node " + std::to_string(was->value) + " there",
               path};
}

}  // namespace

Result<KeptCoin, Error> kept_coin(const net::NodeOptions& options, const std::string& old_genesis,
                                  const std::string& share) {
  const auto old = net::load_genesis(old_genesis, net::MayLackCoin::kYes);
  if (!old) return old.error();
  const auto now = net::load_genesis(options.genesis, net::MayLackCoin::kYes);
  if (!now) return now.error();
  const auto key = crypto::load_key(options.key);
  if (!key) return key.error();
  if (!old->coin)
    return Error{ErrorCode::kMismatch,
                 "'" + old_genesis + "' names no coin, so there is no key to keep", old_genesis};
  if (old->context().chain == now->context().chain)
    return Error{ErrorCode::kMismatch,
                 "'" + old_genesis + "' is of the network that this node belongs to", old_genesis,
                 "--keep takes the genesis file of the one before it"};
  const auto group = crypto::group_key(*old->coin);
  if (!group || !crypto::coin_keys_agree(*old->coin))
    return Error{
        ErrorCode::kCorrupt,
        "the coin keys of '" + old_genesis + "' do not belong together: somebody changed one",
        old_genesis, "restore the file from a backup"};
  if (now->coin && crypto::group_key(*now->coin) != group)
    return Error{
        ErrorCode::kMismatch,
        "'" + options.genesis + "' names a coin with another key than '" + old_genesis + "'",
        options.genesis, "remove its 'coin' at every node if nobody uses it"};
  KeptCoin out{.old = {.keys = *old->coin, .before = {}}, .group = *group};
  for (const net::PeerAddress& node : now->nodes)
    out.old.before.push_back(place_in(*old, node.key));
  if (share.empty()) return out;
  auto mine = old_share(share, *old, old_genesis, place_in(*old, key->public_key()));
  if (!mine) return mine.error();
  out.share = std::move(*mine);
  return out;
}

}  // namespace thresher::cli
