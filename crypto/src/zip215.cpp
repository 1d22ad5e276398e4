#include "zip215.hpp"

#include <sodium.h>

#include <cstring>
#include <optional>

#include "field51.hpp"

namespace thresher::crypto::ed25519 {
namespace {

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

constexpr int kBaseWidth = 8;
constexpr int kKeyWidth = 5;
constexpr std::size_t kBaseEntries = std::size_t{1} << (kBaseWidth - 2);
constexpr std::size_t kKeyEntries = std::size_t{1} << (kKeyWidth - 2);
constexpr std::size_t kDigits = 256;
using Digits = std::array<std::int8_t, kDigits>;

Projective to_projective(const Completed& c) {
  return {fe_mul(c.e, c.f), fe_mul(c.g, c.h), fe_mul(c.f, c.g)};
}

Extended to_extended(const Completed& c) {
  return {fe_mul(c.e, c.f), fe_mul(c.g, c.h), fe_mul(c.f, c.g), fe_mul(c.e, c.h)};
}

Completed dbl(const Fe& x, const Fe& y, const Fe& z) {
  const Fe xx = fe_sqr(x), yy = fe_sqr(y), zz = fe_sqr(z);
  const Fe h = fe_add(xx, yy);
  const Fe g = fe_sub(xx, yy);
  return {fe_sub(h, fe_sqr(fe_add(x, y))), fe_add(fe_add(zz, zz), g), g, h};
}

Completed add(const Extended& p, const Cached& q) {
  const Fe a = fe_mul(fe_sub(p.y, p.x), q.minus), b = fe_mul(fe_add(p.y, p.x), q.plus);
  const Fe c = fe_mul(p.t, q.t2d), d = fe_mul(p.z, q.z2);
  return {fe_sub(b, a), fe_sub(d, c), fe_add(d, c), fe_add(b, a)};
}

Completed sub(const Extended& p, const Cached& q) {
  const Fe a = fe_mul(fe_sub(p.y, p.x), q.plus), b = fe_mul(fe_add(p.y, p.x), q.minus);
  const Fe c = fe_mul(p.t, q.t2d), d = fe_mul(p.z, q.z2);
  return {fe_sub(b, a), fe_add(d, c), fe_sub(d, c), fe_add(b, a)};
}

struct Constants {
  Fe d, d2, root_minus_one;
};

Fe small(std::uint64_t value) {
  return {{value, 0, 0, 0, 0}};
}

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

/// Accepts y >= p and a set sign bit on x = 0. Empty when no x belongs to y.
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

/// 1P, 3P, 5P, ...
template <std::size_t kEntries>
std::array<Cached, kEntries> odd_multiples(const Extended& p) {
  std::array<Cached, kEntries> table;
  table[0] = to_cached(p);
  const Cached twice = to_cached(to_extended(dbl(p.x, p.y, p.z)));
  Extended current = p;
  for (std::size_t i = 1; i < kEntries; ++i) {
    current = to_extended(add(current, twice));
    table[i] = to_cached(current);
  }
  return table;
}

const std::array<Cached, kBaseEntries>& base_table() {
  static const auto kTable = [] {
    std::array<std::byte, 32> encoding;  // RFC 8032, 5.1: y = 4/5, x even
    encoding.fill(std::byte{0x66});
    encoding[0] = std::byte{0x58};
    return odd_multiples<kBaseEntries>(*decode(encoding));
  }();
  return kTable;
}

/// Signed odd digits of `width` bits, least significant first. Pre: scalar < 2^254.
Digits wnaf(const std::array<std::byte, 32>& scalar, int width) {
  std::array<std::uint64_t, 5> word{};
  for (std::size_t i = 0; i < 32; ++i) {
    word[i / 8] |= std::uint64_t{std::to_integer<std::uint8_t>(scalar[i])} << (8 * (i % 8));
  }
  Digits digits{};
  const std::uint64_t modulus = std::uint64_t{1} << width;
  std::uint64_t carry = 0;
  for (std::size_t pos = 0; pos < kDigits;) {
    const std::size_t at = pos / 64, bit = pos % 64;
    std::uint64_t bits = word[at] >> bit;
    if (bit != 0) bits |= word[at + 1] << (64 - bit);
    const std::uint64_t window = carry + (bits & (modulus - 1));
    if ((window & 1) == 0) {
      ++pos;
      continue;
    }
    carry = window < modulus / 2 ? 0 : 1;
    digits[pos] =
        static_cast<std::int8_t>(static_cast<int>(window) - static_cast<int>(carry * modulus));
    pos += static_cast<std::size_t>(width);
  }
  return digits;
}

template <std::size_t kEntries>
Completed add_digit(const Extended& p, const std::array<Cached, kEntries>& table, int digit) {
  return digit > 0 ? add(p, table[static_cast<std::size_t>(digit) / 2])
                   : sub(p, table[static_cast<std::size_t>(-digit) / 2]);
}

/// sB - kA.
Extended double_scalar(const Digits& s, const Digits& k, const std::array<Cached, kKeyEntries>& a) {
  const auto& base = base_table();
  std::size_t top = kDigits;
  while (top > 0 && s[top - 1] == 0 && k[top - 1] == 0) --top;
  Projective acc{kZero, kOne, kOne};
  Completed step{kZero, kOne, kOne, kOne};
  for (std::size_t i = top; i-- > 0;) {
    step = dbl(acc.x, acc.y, acc.z);
    if (k[i] != 0) step = add_digit(to_extended(step), a, -k[i]);
    if (s[i] != 0) step = add_digit(to_extended(step), base, s[i]);
    acc = to_projective(step);
  }
  return to_extended(step);
}

bool below_order(std::span<const std::byte, 32> s) {
  // L = 2^252 + 27742317777372353535851937790883648493, most significant word first.
  constexpr std::array<std::uint64_t, 4> kOrder{0x1000000000000000, 0, 0x14def9dea2f79cd6,
                                                0x5812631a5cf5d3ed};
  for (std::size_t i = 0; i < 4; ++i) {
    std::uint64_t word = 0;
    for (std::size_t j = 8; j-- > 0;) {
      word = (word << 8) | std::to_integer<std::uint8_t>(s[(3 - i) * 8 + j]);
    }
    if (word != kOrder[i]) return word < kOrder[i];
  }
  return false;
}

const unsigned char* raw(const std::byte* bytes) {
  return reinterpret_cast<const unsigned char*>(bytes);
}

/// SHA-512(R || A || M) mod L over the bytes as they came.
std::array<std::byte, 32> challenge(const SignatureJob& job) {
  crypto_hash_sha512_state state;
  std::array<unsigned char, crypto_hash_sha512_BYTES> hash;
  crypto_hash_sha512_init(&state);
  crypto_hash_sha512_update(&state, raw(job.signature.data()), 32);
  crypto_hash_sha512_update(&state, raw(job.key.data()), job.key.size());
  crypto_hash_sha512_update(&state, raw(job.message.data()), job.message.size());
  crypto_hash_sha512_final(&state, hash.data());
  std::array<std::byte, 32> k;
  crypto_core_ed25519_scalar_reduce(reinterpret_cast<unsigned char*>(k.data()), hash.data());
  return k;
}

bool times_eight_is_identity(const Extended& p) {
  Projective q{p.x, p.y, p.z};
  for (int i = 0; i < 3; ++i) q = to_projective(dbl(q.x, q.y, q.z));
  return fe_is_zero(q.x) && fe_is_zero(fe_sub(q.y, q.z));
}

}  // namespace

Verdict verify_zip215(const SignatureJob& job) noexcept {
  const std::span<const std::byte, 64> signature(job.signature);
  const auto s_bytes = signature.last<32>();
  if (!below_order(s_bytes)) return Verdict::kBadSignature;
  const auto r = decode(signature.first<32>());
  if (!r) return Verdict::kBadSignature;
  const auto a = decode(std::span<const std::byte, 32>(job.key));
  if (!a) return Verdict::kBadKey;
  std::array<std::byte, 32> s;
  std::memcpy(s.data(), s_bytes.data(), s.size());
  const Extended sum = double_scalar(wnaf(s, kBaseWidth), wnaf(challenge(job), kKeyWidth),
                                     odd_multiples<kKeyEntries>(*a));
  return times_eight_is_identity(to_extended(sub(sum, to_cached(*r)))) ? Verdict::kValid
                                                                       : Verdict::kBadSignature;
}

}  // namespace thresher::crypto::ed25519
