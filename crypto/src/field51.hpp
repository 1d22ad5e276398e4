// Arithmetic modulo p = 2^255 - 19 in five limbs of 51 bits: the field under the portable verifier.
//
//   Fe x = fe_mul(a, b);  bool same = fe_is_zero(fe_sub(x, y));
//
// Guarantees: products come back with limbs below 2^51 + 2^14 ("reduced"), and take limbs below
// 2^54. fe_add adds bounds up; fe_sub takes a subtrahend below 2^53 - 76 and adds 2^53 to the
// bound. Not constant time: for public data only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace thresher::crypto::ed25519 {

__extension__ using Wide = unsigned __int128;

inline constexpr std::uint64_t kLimbMask = (std::uint64_t{1} << 51) - 1;

struct Fe {
  std::array<std::uint64_t, 5> limb{};
};

inline constexpr Fe kZero{};
inline constexpr Fe kOne{{1, 0, 0, 0, 0}};

inline Fe fe_add(const Fe& a, const Fe& b) {
  Fe out;
  for (std::size_t i = 0; i < 5; ++i) out.limb[i] = a.limb[i] + b.limb[i];
  return out;
}

/// a - b + 4p, limb by limb.
inline Fe fe_sub(const Fe& a, const Fe& b) {
  constexpr std::uint64_t kLow = 4 * (kLimbMask - 18);
  constexpr std::uint64_t kHigh = 4 * kLimbMask;
  Fe out;
  out.limb[0] = a.limb[0] + kLow - b.limb[0];
  for (std::size_t i = 1; i < 5; ++i) out.limb[i] = a.limb[i] + kHigh - b.limb[i];
  return out;
}

inline Fe fe_carry(Wide r0, Wide r1, Wide r2, Wide r3, Wide r4) {
  Fe out;
  r1 += static_cast<std::uint64_t>(r0 >> 51);
  r2 += static_cast<std::uint64_t>(r1 >> 51);
  r3 += static_cast<std::uint64_t>(r2 >> 51);
  r4 += static_cast<std::uint64_t>(r3 >> 51);
  const std::uint64_t over = static_cast<std::uint64_t>(r4 >> 51);
  const Wide low = Wide{static_cast<std::uint64_t>(r0) & kLimbMask} + Wide{over} * 19;
  out.limb[0] = static_cast<std::uint64_t>(low) & kLimbMask;
  out.limb[1] =
      (static_cast<std::uint64_t>(r1) & kLimbMask) + static_cast<std::uint64_t>(low >> 51);
  out.limb[2] = static_cast<std::uint64_t>(r2) & kLimbMask;
  out.limb[3] = static_cast<std::uint64_t>(r3) & kLimbMask;
  out.limb[4] = static_cast<std::uint64_t>(r4) & kLimbMask;
  return out;
}

inline Fe fe_mul(const Fe& x, const Fe& y) {
  const auto& [a0, a1, a2, a3, a4] = x.limb;
  const auto& [b0, b1, b2, b3, b4] = y.limb;
  const std::uint64_t c1 = b1 * 19, c2 = b2 * 19, c3 = b3 * 19, c4 = b4 * 19;
  return fe_carry(Wide{a0} * b0 + Wide{a1} * c4 + Wide{a2} * c3 + Wide{a3} * c2 + Wide{a4} * c1,
                  Wide{a0} * b1 + Wide{a1} * b0 + Wide{a2} * c4 + Wide{a3} * c3 + Wide{a4} * c2,
                  Wide{a0} * b2 + Wide{a1} * b1 + Wide{a2} * b0 + Wide{a3} * c4 + Wide{a4} * c3,
                  Wide{a0} * b3 + Wide{a1} * b2 + Wide{a2} * b1 + Wide{a3} * b0 + Wide{a4} * c4,
                  Wide{a0} * b4 + Wide{a1} * b3 + Wide{a2} * b2 + Wide{a3} * b1 + Wide{a4} * b0);
}

inline Fe fe_sqr(const Fe& x) {
  const auto& [a0, a1, a2, a3, a4] = x.limb;
  const std::uint64_t d0 = 2 * a0, d1 = 2 * a1, d2 = 2 * a2;
  const std::uint64_t c3 = 19 * a3, c4 = 19 * a4;
  return fe_carry(
      Wide{a0} * a0 + Wide{d1} * c4 + Wide{d2} * c3, Wide{d0} * a1 + Wide{d2} * c4 + Wide{a3} * c3,
      Wide{d0} * a2 + Wide{a1} * a1 + Wide{2 * a3} * c4,
      Wide{d0} * a3 + Wide{d1} * a2 + Wide{a4} * c4, Wide{d0} * a4 + Wide{d1} * a3 + Wide{a2} * a2);
}

/// x^(2^n). Pre: n >= 1.
inline Fe fe_sqr_times(Fe x, int n) {
  for (int i = 0; i < n; ++i) x = fe_sqr(x);
  return x;
}

/// The low 255 bits, little-endian, not reduced: the top bit is ignored, y >= p is accepted.
Fe fe_from_bytes(std::span<const std::byte, 32> bytes);
/// The one canonical encoding. Pre: limbs below 2^54.
std::array<std::byte, 32> fe_to_bytes(const Fe& x);
bool fe_is_zero(const Fe& x);
/// x^((p-5)/8), the core of the square root.
Fe fe_pow_p58(const Fe& x);
/// 1/x, and 0 for 0.
Fe fe_invert(const Fe& x);

}  // namespace thresher::crypto::ed25519
