// The threshold coin of Cachin, Kursawe and Shoup on ristretto255: unique values that nobody knows
// before enough nodes spoke.
//
//   CoinDeal deal = *deal_coin(committee.size(), committee.at_least(kValidity), seed);
//   ThresholdCoin coin(chain, deal.keys, NodeId{2}, deal.secrets[2]);
//   auto mine = coin.share(round);
//
// Guarantees: the value is a hash of secret * H(instance), the same from any threshold() shares;
// with fewer it is as hard to guess as the computational Diffie-Hellman problem in this group. A
// share carries its proof (RFC 9497's DLEQ, one element) for its node, chain, epoch and instance,
// so it fits nowhere else; non-canonical encodings and the identity are refused. The dealer
// knows every value, so it is trusted. The secret lies in guarded memory (secret.hpp). Not
// audited.
// Source: Cachin, Kursawe, Shoup (PODC 2000), section 4.3.
#pragma once

#include <optional>
#include <vector>

#include "thresher/core/transcript.hpp"
#include "thresher/crypto/coin_scheme.hpp"
#include "thresher/crypto/dleq_group.hpp"
#include "thresher/crypto/secret.hpp"

namespace thresher::crypto {

/// What everybody knows: the key that belongs to each node's secret, by id.
struct CoinKeys {
  std::uint32_t threshold = 0;
  std::vector<RistrettoPoint> nodes;
};

struct CoinDeal {
  CoinKeys keys;
  /// secrets[i] goes to node i alone. The owner wipes them.
  std::vector<RistrettoScalar> secrets;
};

/// Shares a secret drawn from `seed` by a polynomial of degree threshold-1. Empty unless
/// 1 <= threshold <= n. The seed decides everything: 32 secret random bytes, used once.
std::optional<CoinDeal> deal_coin(std::uint32_t n, std::uint32_t threshold,
                                  const std::array<std::byte, 32>& seed);

/// True when any threshold nodes share one secret, not zero: what to check in keys from a file.
bool coin_keys_agree(const CoinKeys& keys);

/// What the values of a coin depend on: one committee with its threshold, or the key of the group,
/// which stays when it is shared anew among others with another threshold.
enum class ValuesOf : std::uint8_t { kCommittee, kGroupKey };

class ThresholdCoin final : public CoinScheme {
 public:
  /// Without a secret it verifies and combines, as an observer does.
  ThresholdCoin(const ChainContext& chain, CoinKeys keys, NodeId self,
                std::optional<Secret<RistrettoScalar>> secret,
                ValuesOf values = ValuesOf::kCommittee);
  ThresholdCoin(const ThresholdCoin&) = delete;
  ThresholdCoin& operator=(const ThresholdCoin&) = delete;

  std::uint32_t threshold() const override { return keys_.threshold; }
  std::optional<CoinShare> share(std::uint64_t instance) const override;
  void verify(std::uint64_t instance, std::span<const CoinClaim> claims,
              std::span<std::uint8_t> verdicts) const override;
  std::optional<Digest> combine(std::uint64_t instance,
                                std::span<const CoinClaim> shares) const override;

 private:
  Transcript begun(std::string_view domain, std::uint64_t instance) const;
  Digest context(std::string_view domain, std::uint64_t instance) const {
    return begun(domain, instance).digest();
  }
  std::optional<RistrettoPoint> element(std::uint64_t instance) const;

  ChainContext chain_;
  CoinKeys keys_;
  NodeId self_;
  std::optional<Secret<RistrettoScalar>> secret_;
  ValuesOf values_;
};

}  // namespace thresher::crypto
