// Arithmetic modulo p = 2^255 - 19 in eight words of 32 bits: the field of the GPU backend.
//
//   Fe x = fe_mul(a, b);  bool same = fe_is_zero(fe_sub(x, y));
//
// Guarantees: takes and gives any 256-bit value; equal values modulo p may differ by a multiple of
// 2^255 - 19 until fe_freeze(). No branch on data. Not constant time on purpose: public data only.
//
// A multiplication is 64 word products and 9 more for the fold by 38 = 2^256 mod p. Products of
// even and of odd weight go to two rows, so that each chain of carries adds aligned 64-bit pairs.
#pragma once

#include "carry.hpp"

namespace thresher::crypto::device {

struct Fe {
  u32 w[8];
};

THRESHER_HD Fe fe_small(u32 value) {
  return {{value, 0, 0, 0, 0, 0, 0, 0}};
}

/// x + 38 times, for the carry out of 2^256. Pre: the sum's overflow, if any, leaves x small.
THRESHER_HD void fe_fold_word(Fe& x, u32 times) {
  Carry c;
  add_first(x.w[0], 38 * times, c);
  THRESHER_UNROLLED for (int i = 1; i < 8; ++i) add_next(x.w[i], 0, c);
  u32 again = 0;
  add_carry(again, c);
  x.w[0] += 38 * again;
}

THRESHER_HD Fe fe_add(const Fe& a, const Fe& b) {
  Fe out = a;
  Carry c;
  add_first(out.w[0], b.w[0], c);
  THRESHER_UNROLLED for (int i = 1; i < 8; ++i) add_next(out.w[i], b.w[i], c);
  u32 over = 0;
  add_carry(over, c);
  fe_fold_word(out, over);
  return out;
}

THRESHER_HD Fe fe_sub(const Fe& a, const Fe& b) {
  Fe out = a;
  Carry c;
  sub_first(out.w[0], b.w[0], c);
  THRESHER_UNROLLED for (int i = 1; i < 8; ++i) sub_next(out.w[i], b.w[i], c);
  const u32 under = borrow_mask(c);
  sub_first(out.w[0], 38 & under, c);
  THRESHER_UNROLLED for (int i = 1; i < 8; ++i) sub_next(out.w[i], 0, c);
  // A second borrow leaves a value close to 2^256, so it cannot go further than the lowest word.
  out.w[0] -= 38 & borrow_mask(c);
  return out;
}

/// acc += a[0] b + a[2] b 2^64 + ... (`kCount` products); the carry goes on into acc[2 kCount].
template <int kCount>
THRESHER_HD void add_row(u32* acc, const u32* a, u32 b) {
  Carry c;
  madd_first(acc[0], acc[1], a[0], b, c);
  THRESHER_UNROLLED for (int i = 1; i < kCount; ++i) {
    madd_next(acc[2 * i], acc[2 * i + 1], a[2 * i], b, c);
  }
  add_carry(acc[2 * kCount], c);
}

/// even += odd 2^32, sixteen words. Pre: the sum is below 2^512.
THRESHER_HD void join_rows(u32* even, const u32* odd) {
  Carry c;
  add_first(even[1], odd[0], c);
  THRESHER_UNROLLED for (int i = 2; i < 16; ++i) add_next(even[i], odd[i - 1], c);
}

/// Sixteen words to eight.
THRESHER_HD Fe fe_fold(const u32* t) {
  u32 sum[9] = {t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], 0};
  u32 odd[9] = {};
  add_row<4>(sum, t + 8, 38);
  add_row<4>(odd, t + 9, 38);
  Carry c;
  add_first(sum[1], odd[0], c);
  THRESHER_UNROLLED for (int i = 1; i < 8; ++i) add_next(sum[i + 1], odd[i], c);
  Fe out{{sum[0], sum[1], sum[2], sum[3], sum[4], sum[5], sum[6], sum[7]}};
  fe_fold_word(out, sum[8]);
  return out;
}

THRESHER_HD Fe fe_mul(const Fe& x, const Fe& y) {
  u32 even[17] = {};
  u32 odd[16] = {};
  THRESHER_UNROLLED for (int i = 0; i < 8; i += 2) {
    add_row<4>(even + i, x.w, y.w[i]);
    add_row<4>(odd + i, x.w + 1, y.w[i]);
    add_row<4>(odd + i, x.w, y.w[i + 1]);
    add_row<4>(even + i + 2, x.w + 1, y.w[i + 1]);
  }
  join_rows(even, odd);
  return fe_fold(even);
}

/// 28 products twice and 8 squares instead of 64 products.
THRESHER_HD Fe fe_sqr(const Fe& x) {
  const u32* a = x.w;
  u32 even[17] = {};
  u32 odd[16] = {};
  add_row<3>(even + 2, a + 2, a[0]);
  add_row<3>(even + 4, a + 3, a[1]);
  add_row<2>(even + 6, a + 4, a[2]);
  add_row<2>(even + 8, a + 5, a[3]);
  add_row<1>(even + 10, a + 6, a[4]);
  add_row<1>(even + 12, a + 7, a[5]);
  add_row<4>(odd, a + 1, a[0]);
  add_row<3>(odd + 2, a + 2, a[1]);
  add_row<3>(odd + 4, a + 3, a[2]);
  add_row<2>(odd + 6, a + 4, a[3]);
  add_row<2>(odd + 8, a + 5, a[4]);
  add_row<1>(odd + 10, a + 6, a[5]);
  add_row<1>(odd + 12, a + 7, a[6]);
  join_rows(even, odd);
  THRESHER_UNROLLED for (int i = 15; i > 0; --i) even[i] = even[i] << 1 | even[i - 1] >> 31;
  even[0] <<= 1;
  Carry c;
  madd_first(even[0], even[1], a[0], a[0], c);
  THRESHER_UNROLLED for (int i = 1; i < 8; ++i) {
    madd_next(even[2 * i], even[2 * i + 1], a[i], a[i], c);
  }
  return fe_fold(even);
}

/// x^(2^n). Pre: n >= 1.
THRESHER_HD Fe fe_sqr_times(Fe x, int n) {
  THRESHER_ROLLED for (int i = 0; i < n; ++i) x = fe_sqr(x);
  return x;
}

/// The canonical form, below p.
THRESHER_HD Fe fe_freeze(Fe x) {
  Carry c;
  const u32 top = x.w[7] >> 31;
  x.w[7] &= 0x7fffffffu;
  add_first(x.w[0], 19 * top, c);
  THRESHER_UNROLLED for (int i = 1; i < 8; ++i) add_next(x.w[i], 0, c);
  // Now below 2^255 + 19: bit 255 of x + 19 says whether x >= p.
  Fe probe = x;
  add_first(probe.w[0], 19, c);
  THRESHER_UNROLLED for (int i = 1; i < 8; ++i) add_next(probe.w[i], 0, c);
  const u32 above = 0u - (probe.w[7] >> 31);
  probe.w[7] &= 0x7fffffffu;
  THRESHER_UNROLLED for (int i = 0; i < 8; ++i) {
    x.w[i] = (probe.w[i] & above) | (x.w[i] & ~above);
  }
  return x;
}

THRESHER_HD bool fe_is_zero(const Fe& x) {
  const Fe f = fe_freeze(x);
  return (f.w[0] | f.w[1] | f.w[2] | f.w[3] | f.w[4] | f.w[5] | f.w[6] | f.w[7]) == 0;
}

THRESHER_HD bool fe_is_odd(const Fe& x) {
  return (fe_freeze(x).w[0] & 1) != 0;
}

THRESHER_HD Fe fe_neg(const Fe& x) {
  return fe_sub(fe_small(0), x);
}

/// a where `take`, else b, without a branch.
THRESHER_HD Fe fe_select(bool take, const Fe& a, const Fe& b) {
  Fe out;
  THRESHER_UNROLLED for (int i = 0; i < 8; ++i) out.w[i] = take ? a.w[i] : b.w[i];
  return out;
}

/// x^(2^250 - 1); `x11` receives x^11.
THRESHER_HD Fe fe_pow_250_ones(const Fe& x, Fe& x11) {
  const Fe x2 = fe_sqr(x);
  const Fe x9 = fe_mul(x, fe_sqr_times(x2, 2));
  x11 = fe_mul(x9, x2);
  const Fe ones5 = fe_mul(fe_sqr(x11), x9);
  const Fe ones10 = fe_mul(fe_sqr_times(ones5, 5), ones5);
  const Fe ones20 = fe_mul(fe_sqr_times(ones10, 10), ones10);
  const Fe ones40 = fe_mul(fe_sqr_times(ones20, 20), ones20);
  const Fe ones50 = fe_mul(fe_sqr_times(ones40, 10), ones10);
  const Fe ones100 = fe_mul(fe_sqr_times(ones50, 50), ones50);
  const Fe ones200 = fe_mul(fe_sqr_times(ones100, 100), ones100);
  return fe_mul(fe_sqr_times(ones200, 50), ones50);
}

/// x^((p-5)/8).
THRESHER_HD Fe fe_pow_p58(const Fe& x) {
  Fe x11;
  return fe_mul(fe_sqr_times(fe_pow_250_ones(x, x11), 2), x);
}

/// 1/x, and 0 for 0: for the making of tables; no verdict needs it.
THRESHER_HD Fe fe_invert(const Fe& x) {
  Fe x11;
  const Fe ones250 = fe_pow_250_ones(x, x11);
  return fe_mul(fe_sqr_times(ones250, 5), x11);
}

/// d = -121665/121666, 2d and a square root of -1; RFC 8032, 5.1.
THRESHER_HD Fe fe_d() {
  return {{0x135978a3u, 0x75eb4dcau, 0x4141d8abu, 0x00700a4du, 0x7779e898u, 0x8cc74079u,
           0x2b6ffe73u, 0x52036ceeu}};
}
THRESHER_HD Fe fe_d2() {
  return {{0x26b2f159u, 0xebd69b94u, 0x8283b156u, 0x00e0149au, 0xeef3d130u, 0x198e80f2u,
           0x56dffce7u, 0x2406d9dcu}};
}
THRESHER_HD Fe fe_root_minus_one() {
  return {{0x4a0ea0b0u, 0xc4ee1b27u, 0xad2fe478u, 0x2f431806u, 0x3dfbd7a7u, 0x2b4d0099u,
           0x4fc1df0bu, 0x2b832480u}};
}

}  // namespace thresher::crypto::device
