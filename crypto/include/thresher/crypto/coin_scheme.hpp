// The one interface behind which common coins live: shares in, a value out.
//
//   std::optional<CoinShare> mine = scheme.share(round);
//   scheme.verify(round, claims, verdicts);        // one call for all shares of a round
//   std::optional<Digest> value = scheme.combine(round, good_shares);
//
// Guarantees, of every implementation: the value of an instance does not depend on which shares
// made it; fewer than `threshold()` shares give none. How the value is hidden before that, each
// implementation says. Protocols know coins by this header alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "thresher/core/hash.hpp"
#include "thresher/core/ids.hpp"

namespace thresher::crypto {

/// 96 bytes, whatever the implementation puts there; from a peer until verify() said yes.
struct CoinShare {
  std::array<std::byte, 96> bytes{};
  friend bool operator==(const CoinShare&, const CoinShare&) = default;
};

/// A share and whose it claims to be.
struct CoinClaim {
  NodeId from;
  CoinShare share;
};

class CoinScheme {
 public:
  virtual ~CoinScheme() = default;
  /// Shares that make a value.
  virtual std::uint32_t threshold() const = 0;
  /// The own share of an instance; the same one every time. Empty when this node holds no secret.
  virtual std::optional<CoinShare> share(std::uint64_t instance) const = 0;
  /// verdicts[i] is 1 when claims[i] is the only share its node can make for the instance, else 0.
  /// Pre: equal sizes; claims may be anything a peer sent.
  virtual void verify(std::uint64_t instance, std::span<const CoinClaim> claims,
                      std::span<std::uint8_t> verdicts) const = 0;
  /// Empty with fewer than threshold() distinct nodes. Pre: every share was verified.
  virtual std::optional<Digest> combine(std::uint64_t instance,
                                        std::span<const CoinClaim> shares) const = 0;
};

}  // namespace thresher::crypto
