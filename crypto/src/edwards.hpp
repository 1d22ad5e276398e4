// Points of edwards25519 over field51: what the portable verifier and the tables of the lane
// engines are made of. Private to crypto/.
//
//   auto a = decode(key);  Extended p = to_extended(add(*a, to_cached(q)));
//
// Guarantees: complete formulas (no special cases). Not constant time: for public data only.
// Source: Hisil, Wong, Carter, Dawson, "Twisted Edwards Curves Revisited" (2008); RFC 8032.
#pragma once

#include <optional>
#include <span>

#include "field51.hpp"

namespace thresher::crypto::ed25519 {

/// Projective (X : Y : Z), x = X/Z, y = Y/Z.
struct Projective {
  Fe x, y, z;
};
/// Extended coordinates: T = XY/Z on -x^2 + y^2 = 1 + d x^2 y^2.
struct Extended {
  Fe x, y, z, t;
};
/// The second operand of an addition: Y+X, Y-X, 2Z, 2dT; `z2` is 2 for affine ones.
struct Cached {
  Fe plus, minus, z2, t2d;
};
/// The factors of a sum before the last multiplications: X=EF, Y=GH, Z=FG, T=EH.
struct Completed {
  Fe e, f, g, h;
};

inline Projective to_projective(const Completed& c) {
  return {fe_mul(c.e, c.f), fe_mul(c.g, c.h), fe_mul(c.f, c.g)};
}

inline Extended to_extended(const Completed& c) {
  return {fe_mul(c.e, c.f), fe_mul(c.g, c.h), fe_mul(c.f, c.g), fe_mul(c.e, c.h)};
}

inline Completed dbl(const Fe& x, const Fe& y, const Fe& z) {
  const Fe xx = fe_sqr(x), yy = fe_sqr(y), zz = fe_sqr(z);
  const Fe h = fe_add(xx, yy);
  const Fe g = fe_sub(xx, yy);
  return {fe_sub(h, fe_sqr(fe_add(x, y))), fe_add(fe_add(zz, zz), g), g, h};
}

inline Completed add(const Extended& p, const Cached& q) {
  const Fe a = fe_mul(fe_sub(p.y, p.x), q.minus), b = fe_mul(fe_add(p.y, p.x), q.plus);
  const Fe c = fe_mul(p.t, q.t2d), d = fe_mul(p.z, q.z2);
  return {fe_sub(b, a), fe_sub(d, c), fe_add(d, c), fe_add(b, a)};
}

inline Completed sub(const Extended& p, const Cached& q) {
  const Fe a = fe_mul(fe_sub(p.y, p.x), q.plus), b = fe_mul(fe_add(p.y, p.x), q.minus);
  const Fe c = fe_mul(p.t, q.t2d), d = fe_mul(p.z, q.z2);
  return {fe_sub(b, a), fe_add(d, c), fe_sub(d, c), fe_add(b, a)};
}

struct Constants {
  Fe d, d2, root_minus_one;
};
const Constants& constants();

Cached to_cached(const Extended& p);
bool is_odd(const Fe& x);
/// Accepts y >= p and a set sign bit on x = 0. Empty when no x belongs to y.
std::optional<Extended> decode(std::span<const std::byte, 32> bytes);
/// The cofactored equation's last step.
bool times_eight_is_identity(const Extended& p);
/// RFC 8032, 5.1: y = 4/5, x even.
Extended base_point();

}  // namespace thresher::crypto::ed25519
