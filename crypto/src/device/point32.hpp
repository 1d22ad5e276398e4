// Points of edwards25519 over field32: what the stages of the GPU backend are made of.
//
//   Extended a;  bool known = decode(bytes, a);
//   acc = to_extended(add(acc, table[m]));
//
// Guarantees: complete formulas without special cases; decoding by ZIP-215 (y >= p and a set sign
// bit on x = 0 are accepted). Public data only.
// Source: Hisil, Wong, Carter, Dawson, "Twisted Edwards Curves Revisited" (2008); RFC 8032, 5.1.
#pragma once

#include "field32.hpp"

namespace thresher::crypto::device {

/// x = X/Z, y = Y/Z, T = XY/Z.
struct Extended {
  Fe x, y, z, t;
};
/// y+x, y-x and 2dxy of an affine point.
struct alignas(16) Niels {
  Fe plus, minus, t2d;
};
/// Y+X, Y-X, 2dT and 2Z of any point: 128 bytes, one line of the cache.
struct alignas(16) Cached {
  Niels row;
  Fe z2;
};
/// The factors of a sum: X = EF, Y = GH, Z = FG, T = EH.
struct Factors {
  Fe e, f, g, h;
};

THRESHER_HD Extended identity() {
  return {fe_small(0), fe_small(1), fe_small(1), fe_small(0)};
}

THRESHER_HD Extended to_extended(const Factors& c) {
  return {fe_mul(c.e, c.f), fe_mul(c.g, c.h), fe_mul(c.f, c.g), fe_mul(c.e, c.h)};
}
/// Leaves T as it is: for a doubling that follows.
THRESHER_HD void to_projective(const Factors& c, Extended& out) {
  out.x = fe_mul(c.e, c.f);
  out.y = fe_mul(c.g, c.h);
  out.z = fe_mul(c.f, c.g);
}

THRESHER_HD Factors dbl(const Extended& p) {
  const Fe xx = fe_sqr(p.x), yy = fe_sqr(p.y), zz = fe_sqr(p.z);
  const Fe h = fe_add(xx, yy);
  const Fe g = fe_sub(xx, yy);
  return {fe_sub(h, fe_sqr(fe_add(p.x, p.y))), fe_add(fe_add(zz, zz), g), g, h};
}

/// 2^times P; T is made once, by the last doubling. Pre: times >= 1.
THRESHER_HD Extended doubled(Extended p, int times) {
  THRESHER_ROLLED for (int i = 1; i < times; ++i) to_projective(dbl(p), p);
  return to_extended(dbl(p));
}

/// p + q, or p - q: a table is read with its first two rows swapped and f and g change places.
THRESHER_HD Factors combined(const Extended& p, const Fe& plus, const Fe& minus, const Fe& c,
                             const Fe& d, bool negative) {
  const Fe a = fe_mul(fe_sub(p.y, p.x), minus), b = fe_mul(fe_add(p.y, p.x), plus);
  const Fe low = fe_sub(d, c), high = fe_add(d, c);
  return {fe_sub(b, a), fe_select(negative, high, low), fe_select(negative, low, high),
          fe_add(b, a)};
}

/// Sixteen bytes at a time, so that a thread's loads fill whole sectors.
THRESHER_HD Fe load(const Fe& from) {
#if defined(__CUDA_ARCH__)
  const uint4* at = reinterpret_cast<const uint4*>(&from);
  const uint4 low = at[0], high = at[1];
  return {{low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w}};
#else
  return from;
#endif
}

/// p plus or minus an entry of a table.
THRESHER_HD Factors add_entry(const Extended& p, const Niels& q, bool negative) {
  const Fe plus = load(negative ? q.minus : q.plus), minus = load(negative ? q.plus : q.minus);
  return combined(p, plus, minus, fe_mul(p.t, load(q.t2d)), fe_add(p.z, p.z), negative);
}
THRESHER_HD Factors add_entry(const Extended& p, const Cached& q, bool negative) {
  const Fe plus = load(negative ? q.row.minus : q.row.plus);
  const Fe minus = load(negative ? q.row.plus : q.row.minus);
  const Fe c = fe_mul(p.t, load(q.row.t2d));
  return combined(p, plus, minus, c, fe_mul(p.z, load(q.z2)), negative);
}

THRESHER_HD Cached to_cached(const Extended& p) {
  return {{fe_add(p.y, p.x), fe_sub(p.y, p.x), fe_mul(p.t, fe_d2())}, fe_add(p.z, p.z)};
}
/// For a point with Z = 1.
THRESHER_HD Niels to_niels(const Fe& x, const Fe& y, const Fe& t) {
  return {fe_add(y, x), fe_sub(y, x), fe_mul(t, fe_d2())};
}

THRESHER_HD Extended negated(const Extended& p) {
  return {fe_neg(p.x), p.y, p.z, fe_neg(p.t)};
}

/// False when no x belongs to y. `bytes`: the encoding as eight little-endian words.
THRESHER_HD bool decode(const Fe& bytes, Extended& out) {
  const bool sign = (bytes.w[7] >> 31) != 0;
  Fe y = bytes;
  y.w[7] &= 0x7fffffffu;
  const Fe one = fe_small(1);
  const Fe yy = fe_sqr(y);
  const Fe u = fe_sub(yy, one);
  const Fe v = fe_add(fe_mul(yy, fe_d()), one);
  const Fe v3 = fe_mul(fe_sqr(v), v);
  const Fe uv3 = fe_mul(u, v3);
  const Fe uv7 = fe_mul(fe_mul(fe_sqr(v3), v), u);
  Fe x = fe_mul(fe_pow_p58(uv7), uv3);
  const Fe check = fe_mul(fe_sqr(x), v);
  const bool direct = fe_is_zero(fe_sub(check, u));
  const bool turned = fe_is_zero(fe_add(check, u));
  x = fe_select(direct, x, fe_mul(x, fe_root_minus_one()));
  x = fe_select(fe_is_odd(x) != sign, fe_neg(x), x);
  out = {x, y, one, fe_mul(x, y)};
  return direct || turned;
}

/// 8 P is the identity; compared projectively, so nothing is inverted.
THRESHER_HD bool times_eight_is_identity(Extended p) {
  THRESHER_ROLLED for (int i = 0; i < 3; ++i) to_projective(dbl(p), p);
  return fe_is_zero(p.x) && fe_is_zero(fe_sub(p.y, p.z));
}

}  // namespace thresher::crypto::device
