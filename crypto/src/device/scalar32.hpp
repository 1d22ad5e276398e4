// Scalars modulo the group order L = 2^252 + 27742317777372353535851937790883648493, in 32-bit
// words, least significant first.
//
//   bool fine = below_order(s);  Scalar k = reduced(hash);  int d = digit16(biased16(k), i);
//
// Guarantees: s is compared as it came, never reduced. Signed digits are read off a biased scalar
// from any end, so no carry runs between them and every thread of a warp does the same.
#pragma once

#include "carry.hpp"

namespace thresher::crypto::device {

struct Scalar {
  u32 w[8];
};

THRESHER_HD Scalar group_order() {
  return {{0x5cf5d3edu, 0x5812631au, 0xa2f79cd6u, 0x14def9deu, 0, 0, 0, 0x10000000u}};
}

/// s < L.
THRESHER_HD bool below_order(const Scalar& s) {
  const Scalar order = group_order();
  Scalar rest = s;
  Carry c;
  sub_first(rest.w[0], order.w[0], c);
  THRESHER_UNROLLED for (int i = 1; i < 8; ++i) sub_next(rest.w[i], order.w[i], c);
  return borrow_mask(c) != 0;
}

/// out += a b, word by word with 64-bit sums: once a signature, so that no carry chain pays.
template <int kLeft, int kRight, int kOut>
THRESHER_HD void add_product(const u32* a, const u32* b, u32* out) {
  THRESHER_UNROLLED for (int i = 0; i < kLeft; ++i) {
    u64 carry = 0;
    THRESHER_UNROLLED for (int j = 0; j < kRight; ++j) {
      if (i + j >= kOut) continue;
      carry += u64{a[i]} * b[j] + out[i + j];
      out[i + j] = static_cast<u32>(carry);
      carry >>= 32;
    }
    if (i + kRight < kOut) out[i + kRight] = static_cast<u32>(carry);
  }
}

/// x mod L of sixteen words. Source: Barrett; Handbook of Applied Cryptography, 14.42.
THRESHER_HD Scalar reduced(const u32* x) {
  // floor(2^512 / L)
  const u32 inverse[9] = {0x0a2c131bu, 0xed9ce5a3u, 0x086329a7u, 0x2106215du, 0xffffffebu,
                          0xffffffffu, 0xffffffffu, 0xffffffffu, 0x0000000fu};
  const Scalar order = group_order();
  u32 estimate[18] = {};
  add_product<9, 9, 18>(x + 7, inverse, estimate);
  u32 taken[9] = {};
  add_product<9, 8, 9>(estimate + 9, order.w, taken);
  u32 rest[9];
  Carry c;
  THRESHER_UNROLLED for (int i = 0; i < 9; ++i) rest[i] = x[i];
  sub_first(rest[0], taken[0], c);
  THRESHER_UNROLLED for (int i = 1; i < 9; ++i) sub_next(rest[i], taken[i], c);
  THRESHER_ROLLED for (int round = 0; round < 2; ++round) {  // the estimate is at most 2 too low
    u32 less[9];
    THRESHER_UNROLLED for (int i = 0; i < 9; ++i) less[i] = rest[i];
    sub_first(less[0], order.w[0], c);
    THRESHER_UNROLLED for (int i = 1; i < 8; ++i) sub_next(less[i], order.w[i], c);
    sub_next(less[8], 0, c);
    const u32 keep = borrow_mask(c);
    THRESHER_UNROLLED for (int i = 0; i < 9; ++i) rest[i] = (rest[i] & keep) | (less[i] & ~keep);
  }
  return {{rest[0], rest[1], rest[2], rest[3], rest[4], rest[5], rest[6], rest[7]}};
}

/// x + a digit's half in every place: the digits of the sum, less that half, are x's signed digits.
/// Pre: x < 2^254.
THRESHER_HD Scalar biased(const Scalar& x, u32 halves) {
  Scalar out = x;
  Carry c;
  add_first(out.w[0], halves, c);
  THRESHER_UNROLLED for (int i = 1; i < 8; ++i) add_next(out.w[i], halves, c);
  return out;
}
/// The way back.
THRESHER_HD Scalar unbiased(const u32* words, u32 halves) {
  Scalar out;
  THRESHER_UNROLLED for (int i = 0; i < 8; ++i) out.w[i] = words[i];
  Carry c;
  sub_first(out.w[0], halves, c);
  THRESHER_UNROLLED for (int i = 1; i < 8; ++i) sub_next(out.w[i], halves, c);
  return out;
}
/// a z mod L, z of four words.
THRESHER_HD Scalar scaled(const u32* a, const u32* z) {
  u32 wide[16] = {};
  add_product<8, 4, 12>(a, z, wide);
  return reduced(wide);
}
inline constexpr u32 kHalves16 = 0x88888888u;
inline constexpr u32 kHalves256 = 0x80808080u;

/// Digit i of 64, base 16, -8..7, of a scalar that kHalves16 was added to.
THRESHER_HD int digit16(const u32* biased_words, int i) {
  return static_cast<int>(biased_words[i / 8] >> (4 * (i % 8)) & 15) - 8;
}
/// Digit i of 32, base 256, -128..127, of a scalar that kHalves256 was added to.
THRESHER_HD int digit256(const u32* biased_words, int i) {
  return static_cast<int>(biased_words[i / 4] >> (8 * (i % 4)) & 255) - 128;
}

}  // namespace thresher::crypto::device
