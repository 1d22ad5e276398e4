#include "ristretto.hpp"

#include <utility>

namespace thresher::crypto::ed25519 {
namespace {

Fe reduced(const Fe& x) {
  return fe_mul(x, kOne);
}
Fe negated(const Fe& x) {
  return reduced(fe_sub(kZero, x));
}
/// RFC 9496, 4.1: an element is negative when its encoding is odd.
Fe magnitude(const Fe& x) {
  return is_odd(x) ? negated(x) : x;
}

/// RFC 9496, 4.2, for a numerator of 1: 1/sqrt(v) and true when v is a square, else
/// 1/sqrt(i v) and false.
std::pair<bool, Fe> inverse_root(const Fe& v) {
  const Fe v3 = fe_mul(fe_sqr(v), v);
  const Fe v7 = fe_mul(fe_sqr(v3), v);
  Fe r = fe_mul(v3, fe_pow_p58(v7));
  const Fe check = fe_mul(v, fe_sqr(r));
  const Fe& i = constants().root_minus_one;
  const bool correct = fe_is_zero(fe_sub(check, kOne));
  const bool flipped = fe_is_zero(fe_add(check, kOne));
  const bool flipped_i = fe_is_zero(fe_add(check, i));
  if (flipped || flipped_i) r = fe_mul(r, i);
  return {correct || flipped, magnitude(r)};
}

/// 1/sqrt(a - d) with a = -1.
const Fe& inverse_root_a_minus_d() {
  static const Fe kRoot = inverse_root(fe_mul(fe_sub(negated(kOne), constants().d), kOne)).second;
  return kRoot;
}

}  // namespace

std::optional<Extended> ristretto_decode(const RistrettoPoint& bytes) {
  const Fe s = fe_from_bytes(bytes);
  if (fe_to_bytes(s) != bytes || is_odd(s)) return std::nullopt;
  const Fe ss = fe_sqr(s);
  const Fe u1 = reduced(fe_sub(kOne, ss));
  const Fe u2 = reduced(fe_add(kOne, ss));
  const Fe u2_sqr = fe_sqr(u2);
  const Fe du1 = fe_mul(constants().d, fe_sqr(u1));
  const Fe v = reduced(fe_sub(fe_sub(kZero, du1), u2_sqr));
  const auto [square, root] = inverse_root(fe_mul(v, u2_sqr));
  const Fe den_x = fe_mul(root, u2);
  const Fe den_y = fe_mul(fe_mul(root, den_x), v);
  const Fe x = magnitude(fe_mul(fe_add(s, s), den_x));
  const Fe y = fe_mul(u1, den_y);
  const Fe t = fe_mul(x, y);
  if (!square || is_odd(t) || fe_is_zero(y)) return std::nullopt;
  return Extended{x, y, kOne, t};
}

RistrettoPoint ristretto_encode(const Extended& p) {
  const Fe u1 = fe_mul(fe_add(p.z, p.y), reduced(fe_sub(p.z, p.y)));
  const Fe u2 = fe_mul(p.x, p.y);
  const Fe root = inverse_root(fe_mul(u1, fe_sqr(u2))).second;
  const Fe den1 = fe_mul(root, u1), den2 = fe_mul(root, u2);
  const Fe z_inv = fe_mul(fe_mul(den1, den2), p.t);
  const Fe& i = constants().root_minus_one;
  const bool rotate = is_odd(fe_mul(p.t, z_inv));
  const Fe x = rotate ? fe_mul(p.y, i) : p.x;
  Fe y = rotate ? fe_mul(p.x, i) : p.y;
  const Fe den_inv = rotate ? fe_mul(den1, inverse_root_a_minus_d()) : den2;
  if (is_odd(fe_mul(x, z_inv))) y = negated(y);
  return fe_to_bytes(magnitude(fe_mul(den_inv, fe_sub(p.z, y))));
}

}  // namespace thresher::crypto::ed25519
