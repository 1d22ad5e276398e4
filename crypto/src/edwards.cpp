#include "edwards.hpp"

namespace thresher::crypto::ed25519 {
namespace {

Fe small(std::uint64_t value) {
  return {{value, 0, 0, 0, 0}};
}

}  // namespace

const Constants& constants() {
  static const Constants kConstants = [] {
    Constants c;
    const Fe ratio = fe_mul(small(121665), fe_invert(small(121666)));
    c.d = fe_mul(fe_sub(kZero, ratio), kOne);
    c.d2 = fe_mul(fe_add(c.d, c.d), kOne);
    // 2 is not a square, so 2^((p-1)/4) is a root of -1; (p-1)/4 = 2 (p-5)/8 + 1.
    c.root_minus_one = fe_mul(fe_sqr(fe_pow_p58(small(2))), small(2));
    return c;
  }();
  return kConstants;
}

Cached to_cached(const Extended& p) {
  return {fe_add(p.y, p.x), fe_sub(p.y, p.x), fe_add(p.z, p.z), fe_mul(p.t, constants().d2)};
}

bool is_odd(const Fe& x) {
  return (std::to_integer<unsigned>(fe_to_bytes(x)[0]) & 1) != 0;
}

std::optional<Extended> decode(std::span<const std::byte, 32> bytes) {
  const Fe y = fe_from_bytes(bytes);
  const Fe yy = fe_sqr(y);
  const Fe u = fe_sub(yy, kOne);
  const Fe v = fe_add(fe_mul(yy, constants().d), kOne);
  const Fe v3 = fe_mul(fe_sqr(v), v);
  const Fe uv7 = fe_mul(fe_mul(fe_sqr(v3), v), u);
  Fe x = fe_mul(fe_mul(fe_pow_p58(uv7), v3), u);
  const Fe check = fe_mul(fe_sqr(x), v);
  const Fe reduced_u = fe_mul(u, kOne);
  if (!fe_is_zero(fe_sub(check, reduced_u))) {
    if (!fe_is_zero(fe_add(check, reduced_u))) return std::nullopt;
    x = fe_mul(x, constants().root_minus_one);
  }
  const bool sign = (bytes[31] & std::byte{0x80}) != std::byte{0};
  if (is_odd(x) != sign) x = fe_mul(fe_sub(kZero, x), kOne);
  return Extended{x, y, kOne, fe_mul(x, y)};
}

bool times_eight_is_identity(const Extended& p) {
  Projective q{p.x, p.y, p.z};
  for (int i = 0; i < 3; ++i) q = to_projective(dbl(q.x, q.y, q.z));
  return fe_is_zero(q.x) && fe_is_zero(fe_sub(q.y, q.z));
}

Extended base_point() {
  std::array<std::byte, 32> encoding;
  encoding.fill(std::byte{0x66});
  encoding[0] = std::byte{0x58};
  return *decode(encoding);
}

}  // namespace thresher::crypto::ed25519
