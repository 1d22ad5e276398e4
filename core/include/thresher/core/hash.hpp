// Digests, and the one hash that the core computes itself (BLAKE2b-256).
//
//   Digest d = hash(transcript.view());
//
// Guarantees: the same bytes on every machine. Payload digests may come from another function: the
// code that makes a payload computes its digest from the content, never from the wire.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstdint>
#include <cstring>

#include "thresher/core/bytes.hpp"

namespace thresher {

/// 32 bytes that stand for a content.
struct Digest {
  std::array<std::byte, 32> bytes{};
  friend auto operator<=>(const Digest&, const Digest&) = default;
  bool is_zero() const { return *this == Digest{}; }
  /// The first eight bytes, the lowest first on every machine: leaders and coins come of it. Good
  /// as a table key, not as an identity.
  std::uint64_t prefix() const {
    std::uint64_t out = 0;
    std::memcpy(&out, bytes.data(), sizeof out);
    if constexpr (std::endian::native == std::endian::big) out = __builtin_bswap64(out);
    return out;
  }
};

using PublicKey = std::array<std::byte, 32>;
using Signature = std::array<std::byte, 64>;

/// BLAKE2b with a 32-byte result.
Digest hash(ByteView bytes);

}  // namespace thresher
