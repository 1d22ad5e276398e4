#include "thresher/crypto/beacon_proof.hpp"

#include <algorithm>

#include "shamir.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/crypto/ristretto_sum.hpp"

namespace thresher::crypto {
namespace {

constexpr std::size_t kShareBytes = 2 + 32 + 96;

std::optional<RistrettoPoint> combined(std::span<const NodeId> nodes,
                                       std::span<const RistrettoPoint> keys) {
  const auto weights = shamir::lagrange_weights(nodes, shamir::number(0));
  return weights ? ristretto_sum(*weights, keys) : std::nullopt;
}

}  // namespace

ChainContext beacon_context(const RistrettoPoint& group) {
  Transcript t("thresher/beacon/1", {});
  t.bytes(group);
  return {t.digest(), 0};
}

std::optional<RistrettoPoint> group_key(const CoinKeys& keys) {
  if (keys.threshold == 0 || keys.threshold > keys.nodes.size()) return std::nullopt;
  std::vector<NodeId> nodes;
  for (const NodeId i : node_ids(keys.threshold)) nodes.push_back(i);
  return combined(nodes, std::span(keys.nodes).first(keys.threshold));
}

std::optional<Bytes> make_beacon_proof(const CoinKeys& keys, std::span<const CoinClaim> shares) {
  if (shares.size() < keys.threshold) return std::nullopt;
  Writer out;
  for (const CoinClaim& claim : shares.first(keys.threshold)) {
    out.u16(claim.from.value).bytes(keys.nodes[claim.from.value]).bytes(claim.share.bytes);
  }
  return Bytes::from(out.take());
}

std::optional<Digest> check_beacon_proof(const RistrettoPoint& group, std::uint64_t round,
                                         ByteView proof) {
  if (proof.empty() || proof.size() % kShareBytes != 0) return std::nullopt;
  const std::size_t threshold = proof.size() / kShareBytes;
  if (threshold > Committee::kMaxSize) return std::nullopt;
  Reader in(proof);
  CoinKeys keys{static_cast<std::uint32_t>(threshold), {}};
  std::vector<NodeId> nodes;
  std::vector<RistrettoPoint> points;
  std::vector<CoinClaim> claims;
  for (std::size_t i = 0; i < threshold; ++i) {
    const NodeId node{in.u16()};
    if (node.value >= Committee::kMaxSize) return std::nullopt;
    const ByteView key = in.bytes(32);
    const ByteView share = in.bytes(96);
    if (keys.nodes.size() <= node.value) keys.nodes.resize(node.value + std::size_t{1});
    RistrettoPoint& point = keys.nodes[node.value];
    std::copy(key.begin(), key.end(), point.begin());
    claims.push_back({node, {}});
    std::copy(share.begin(), share.end(), claims.back().share.bytes.begin());
    nodes.push_back(node);
    points.push_back(point);
  }
  // A node that is named twice has no weights.
  if (combined(nodes, points) != group || !ristretto_valid(group)) return std::nullopt;
  const ThresholdCoin coin(beacon_context(group), std::move(keys), NodeId{}, std::nullopt,
                           ValuesOf::kGroupKey);
  std::vector<std::uint8_t> verdicts(claims.size());
  coin.verify(round, claims, verdicts);
  if (std::find(verdicts.begin(), verdicts.end(), 0) != verdicts.end()) return std::nullopt;
  return coin.combine(round, claims);
}

}  // namespace thresher::crypto
