// What tells transactions apart: 128 bits of client, sequence and data. Private to net/.
//
//   Fingerprinter prints(secret);                 // 32 random bytes that stay on this node
//   if (prints.of(client, 7, data) == seen) ...   // the same transaction
//
// Guarantees: two different transactions of up to 256 KiB have the same fingerprint with a
// probability below 2^-100, whoever chose them, as long as he does not know the secret. So nodes
// with different secrets give the same verdicts, and a Byzantine member has nothing to search a
// collision with: fingerprints never leave the node. Fast, because it must not be more than that:
// no digest, no MAC; who knows the secret makes collisions at will.
// Source: Black, Halevi, Krawczyk, Krovetz, Rogaway, UMAC, CRYPTO 1999: NH in two Toeplitz passes
// (2^-63 each), then a polynomial over GF(2^61 - 1) a pass.
#pragma once

#include <array>
#include <compare>
#include <cstdint>

#include "thresher/core/hash.hpp"
#include "thresher/net/client_id.hpp"

namespace thresher::net {

struct Fingerprint {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend auto operator<=>(const Fingerprint&, const Fingerprint&) = default;
};

class Fingerprinter {
 public:
  explicit Fingerprinter(const Digest& secret);
  Fingerprint of(const ClientId& client, std::uint64_t sequence, ByteView data) const;

 private:
  static constexpr std::size_t kChunkWords = 128;  // of 64 bits, that one key covers

  std::array<std::uint64_t, kChunkWords + 2> key_{};  // the second pass starts two words later
  std::array<std::uint64_t, 2> point_{};              // of the two polynomials
};

}  // namespace thresher::net
