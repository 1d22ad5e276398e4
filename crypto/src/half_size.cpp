#include "half_size.hpp"

#include <sodium.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

namespace thresher::crypto::ed25519 {
namespace {

__extension__ using Wide = unsigned __int128;

struct Long {
  std::uint64_t limb[4];

  bool below(const Long& other) const {
    for (std::size_t i = 4; i-- > 0;) {
      if (limb[i] != other.limb[i]) return limb[i] < other.limb[i];
    }
    return false;
  }
  std::size_t bits() const {
    std::size_t top = 3;
    while (top > 0 && limb[top] == 0) --top;
    return 64 * top + static_cast<std::size_t>(std::bit_width(limb[top]));
  }
  /// 64 bits from bit `from` on.
  std::uint64_t window(std::size_t from) const {
    const std::size_t at = from / 64, shift = from % 64;
    std::uint64_t out = limb[at] >> shift;
    if (shift != 0 && at < 3) out |= limb[at + 1] << (64 - shift);
    return out;
  }
  Long shifted(std::size_t by) const {
    Long out{};
    for (std::size_t i = by / 64; i < 4; ++i) {
      const std::size_t from = i - by / 64;
      out.limb[i] = limb[from] << (by % 64);
      if (by % 64 != 0 && from > 0) out.limb[i] |= limb[from - 1] >> (64 - by % 64);
    }
    return out;
  }
  void subtract(std::uint64_t q, const Long& other) {
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const Wide take = Wide{q} * other.limb[i] + borrow;
      const auto low = static_cast<std::uint64_t>(take);
      borrow = static_cast<std::uint64_t>(take >> 64) + (limb[i] < low ? 1 : 0);
      limb[i] -= low;
    }
  }
};

/// L, little-endian; RFC 8032, 5.1.
constexpr Long kOrder{{0x5812631a5cf5d3ed, 0x14def9dea2f79cd6, 0, 0x1000000000000000}};
constexpr std::size_t kStop = 127;
/// Beyond it the leading bits say too little about a quotient; chance makes no such gap.
constexpr std::size_t kLargeGap = 30;

const unsigned char* raw(const Scalar& s) {
  return reinterpret_cast<const unsigned char*>(s.data());
}
unsigned char* raw(Scalar& s) {
  return reinterpret_cast<unsigned char*>(s.data());
}

}  // namespace

// Kept all the way: r = t k (mod L) up to the sign of t, which alternates; and t next to r is at
// most L / (the r before), so that t is short where r has become short.
HalfSized half_sized(const Scalar& k, const Scalar& s) {
  Long before = kOrder, r;
  std::memcpy(r.limb, k.data(), 32);
  Wide t_before = 0, t = 1;
  bool negative = false;
  while (r.bits() > kStop) {
    // A quotient that is never too large: what is missing comes in the next turn.
    const std::size_t size = before.bits(), gap = size - r.bits();
    if (gap > kLargeGap) {
      before.subtract(1, r.shifted(gap - 1));
      t_before += t << (gap - 1);
    } else {
      const std::uint64_t above = before.window(size - 64), below = r.window(size - 64);
      const std::uint64_t q = above / 2 > below ? above / (below + 1) : 1;
      before.subtract(q, r);
      t_before += q * t;
    }
    if (before.below(r)) {
      std::swap(before, r);
      std::swap(t_before, t);
      negative = !negative;
    }
  }
  HalfSized out{};
  std::memcpy(out.a.data(), r.limb, 32);
  std::memcpy(out.c.data(), &t, sizeof t);
  out.negative = negative;
  crypto_core_ed25519_scalar_mul(raw(out.s), raw(out.c), raw(s));
  if (negative) crypto_core_ed25519_scalar_negate(raw(out.s), raw(out.s));
  return out;
}

}  // namespace thresher::crypto::ed25519
