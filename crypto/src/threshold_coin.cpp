#include "thresher/crypto/threshold_coin.hpp"

#include <algorithm>
#include <utility>

#include "proved_point.hpp"
#include "sha512.hpp"

namespace thresher::crypto {
namespace {

// Uniform in the scalars: 64 hashed bytes, reduced.
RistrettoScalar coefficient(const std::array<std::byte, 32>& seed, std::uint32_t index) {
  constexpr std::string_view kDomain = "thresher/coin-deal/1";
  const RistrettoScalar counter = shamir::number(index);
  Sha512 wide = sha512({as_view(kDomain), seed, counter});
  return shamir::scalar_of(wide);
}

}  // namespace

std::optional<CoinDeal> deal_coin(std::uint32_t n, std::uint32_t threshold,
                                  const std::array<std::byte, 32>& seed) {
  if (threshold == 0 || threshold > n) return std::nullopt;
  std::vector<RistrettoScalar> polynomial;
  polynomial.reserve(threshold);
  for (std::uint32_t k = 0; k < threshold; ++k) polynomial.push_back(coefficient(seed, k));
  CoinDeal out;
  out.secrets.reserve(n);  // no growth, so no copies are left behind
  out.keys.threshold = threshold;
  bool good = true;
  for (std::uint32_t i = 0; i < n; ++i) {
    const NodeId node{static_cast<std::uint16_t>(i)};
    RistrettoScalar value = shamir::evaluate(polynomial, shamir::place_of(node));
    const auto key = ristretto_base(value);
    good = good && key.has_value();  // a zero secret comes once in 2^252 deals
    out.keys.nodes.push_back(key.value_or(RistrettoPoint{}));
    out.secrets.push_back(value);
    sodium_memzero(value.data(), value.size());
  }
  for (RistrettoScalar& c : polynomial) sodium_memzero(c.data(), c.size());
  return good ? std::optional(std::move(out)) : std::nullopt;
}

bool coin_keys_agree(const CoinKeys& keys) {
  if (keys.threshold == 0 || keys.threshold > keys.nodes.size()) return false;
  if (!std::all_of(keys.nodes.begin(), keys.nodes.end(), ristretto_valid)) return false;
  std::vector<NodeId> first;
  for (std::uint32_t i = 0; i < keys.threshold; ++i) {
    first.push_back(NodeId{static_cast<std::uint16_t>(i)});
  }
  const std::span points(keys.nodes.data(), keys.threshold);
  for (std::size_t i = keys.threshold; i < keys.nodes.size(); ++i) {
    const NodeId node{static_cast<std::uint16_t>(i)};
    if (interpolate(first, points, shamir::place_of(node)) != keys.nodes[i]) return false;
  }
  return interpolate(first, points, shamir::number(0)).has_value();
}

ThresholdCoin::ThresholdCoin(const ChainContext& chain, CoinKeys keys, NodeId self,
                             std::optional<Secret<RistrettoScalar>> secret, ValuesOf values)
    : chain_(chain),
      keys_(std::move(keys)),
      self_(self),
      secret_(std::move(secret)),
      values_(values) {}

// A chain may have a coin for each of two thresholds; the values of a key have none.
Transcript ThresholdCoin::begun(std::string_view domain, std::uint64_t instance) const {
  Transcript t(domain, chain_);
  if (values_ == ValuesOf::kCommittee) t.u32(keys_.threshold);
  t.u64(instance);
  return t;
}

std::optional<RistrettoPoint> ThresholdCoin::element(std::uint64_t instance) const {
  const Digest name = context("thresher/coin-element/1", instance);
  const Sha512 uniform = sha512({name.bytes});
  return ristretto_map(std::span<const std::byte, 64>(
      reinterpret_cast<const std::byte*>(uniform.data()), uniform.size()));
}

std::optional<CoinShare> ThresholdCoin::share(std::uint64_t instance) const {
  const auto h = element(instance);
  if (!secret_ || !h) return std::nullopt;
  const auto made = prove_dleq(context("thresher/coin-proof/1", instance).bytes, **secret_, *h);
  if (!made) return std::nullopt;
  return CoinShare{joined(*made)};
}

void ThresholdCoin::verify(std::uint64_t instance, std::span<const CoinClaim> claims,
                           std::span<std::uint8_t> verdicts) const {
  const auto h = element(instance);
  const Digest proof_context = context("thresher/coin-proof/1", instance);
  for (std::size_t i = 0; i < claims.size(); ++i) {
    verdicts[i] = 0;
    if (!h || claims[i].from.value >= keys_.nodes.size()) continue;
    const ProvedPoint share = split(claims[i].share.bytes);
    const DleqStatement statement{keys_.nodes[claims[i].from.value], *h, share.point};
    verdicts[i] = verify_dleq(proof_context.bytes, statement, share.proof) ? 1 : 0;
  }
}

std::optional<Digest> ThresholdCoin::combine(std::uint64_t instance,
                                             std::span<const CoinClaim> shares) const {
  const auto point = combined_point(keys_.threshold, shares);
  if (!point) return std::nullopt;
  Transcript out = begun("thresher/coin-value/1", instance);
  out.bytes(*point);
  return out.digest();
}

}  // namespace thresher::crypto
