#include "thresher/crypto/vrf.hpp"

#include <algorithm>
#include <span>

#include "edwards.hpp"
#include "scalar.hpp"
#include "sha512.hpp"

namespace thresher::crypto {
namespace {

using ed25519::Extended;
using Encoded = std::array<std::byte, 32>;
using Scalar = std::array<std::byte, 32>;

// RFC 9381, 5.5: the suite and the domain separators around every hash.
constexpr std::array kToCurve{std::byte{3}, std::byte{1}};
constexpr std::array kToChallenge{std::byte{3}, std::byte{2}};
constexpr std::array kToOutput{std::byte{3}, std::byte{3}};
constexpr std::array kBack{std::byte{0}};

Encoded encode(const Extended& p) {
  const ed25519::Fe z = ed25519::fe_invert(p.z);
  Encoded out = ed25519::fe_to_bytes(ed25519::fe_mul(p.y, z));
  if (ed25519::is_odd(ed25519::fe_mul(p.x, z))) out[31] |= std::byte{0x80};
  return out;
}

/// RFC 8032, 5.1.3: unlike decode(), refuses second encodings.
std::optional<Extended> decode_strict(std::span<const std::byte, 32> bytes) {
  const auto p = ed25519::decode(bytes);
  if (!p) return std::nullopt;
  const Encoded again = encode(*p);
  if (!std::equal(again.begin(), again.end(), bytes.begin())) return std::nullopt;
  return p;
}

Extended times_eight(Extended p) {
  for (int i = 0; i < 3; ++i) p = ed25519::to_extended(ed25519::dbl(p.x, p.y, p.z));
  return p;
}

bool is_identity(const Extended& p) {
  return ed25519::fe_is_zero(p.x) && ed25519::fe_is_zero(ed25519::fe_sub(p.y, p.z));
}

bool bit_of(const Scalar& scalar, std::size_t bit) {
  return ((scalar[bit / 8] >> (bit % 8)) & std::byte{1}) != std::byte{0};
}

/// s * p - c * q, for public values only.
Extended combine(const Scalar& s, const Extended& p, const Scalar& c, const Extended& q) {
  const ed25519::Cached plus = ed25519::to_cached(p), minus = ed25519::to_cached(q);
  Extended sum{ed25519::kZero, ed25519::kOne, ed25519::kOne, ed25519::kZero};
  for (std::size_t bit = 256; bit-- > 0;) {
    sum = ed25519::to_extended(ed25519::dbl(sum.x, sum.y, sum.z));
    if (bit_of(s, bit)) sum = ed25519::to_extended(ed25519::add(sum, plus));
    if (bit_of(c, bit)) sum = ed25519::to_extended(ed25519::sub(sum, minus));
  }
  return sum;
}

/// RFC 9381, 5.4.1.1 (try and increment), salted with the public key.
std::optional<Extended> to_curve(const PublicKey& key, ByteView input) {
  for (unsigned attempt = 0; attempt < 256; ++attempt) {
    const std::array counter{static_cast<std::byte>(attempt)};
    const Sha512 hash = sha512({kToCurve, key, input, counter, kBack});
    const auto p = decode_strict(std::span<const std::byte, 64>(hash).first<32>());
    if (!p) continue;
    const Extended cleared = times_eight(*p);
    if (!is_identity(cleared)) return cleared;
  }
  return std::nullopt;
}

/// RFC 9381, 5.4.3: 16 bytes, widened to a scalar.
Scalar challenge_of(std::span<const Encoded, 5> points) {
  const Sha512 hash =
      sha512({kToChallenge, points[0], points[1], points[2], points[3], points[4], kBack});
  Scalar out{};
  std::copy(hash.begin(), hash.begin() + 16, out.begin());
  return out;
}

VrfOutput output_of(const Extended& gamma) {
  return sha512({kToOutput, encode(times_eight(gamma)), kBack});
}

/// The secret scalar (clamped, then reduced) and the nonce's key, wiped at the end.
struct Expanded {
  explicit Expanded(const VrfSeed& seed) {
    Sha512 hash = sha512({seed});
    std::copy(hash.begin() + 32, hash.end(), nonce_key.begin());
    std::fill(hash.begin() + 32, hash.end(), std::byte{0});
    hash[0] &= std::byte{0xf8};
    hash[31] = (hash[31] & std::byte{0x7f}) | std::byte{0x40};
    crypto_core_ed25519_scalar_reduce(raw_bytes(scalar.data()), raw_bytes(hash.data()));
    sodium_memzero(hash.data(), hash.size());
  }
  ~Expanded() {
    sodium_memzero(scalar.data(), scalar.size());
    sodium_memzero(nonce_key.data(), nonce_key.size());
  }
  Expanded(const Expanded&) = delete;
  Expanded& operator=(const Expanded&) = delete;

  Scalar scalar{};
  std::array<std::byte, 32> nonce_key{};
};

std::optional<Encoded> secret_times_base(const Scalar& scalar) {
  Encoded out;
  if (crypto_scalarmult_ed25519_base_noclamp(raw_bytes(out.data()), raw_bytes(scalar.data())) !=
      0) {
    return std::nullopt;
  }
  return out;
}

std::optional<Encoded> secret_times(const Scalar& scalar, const Encoded& point) {
  Encoded out;
  if (crypto_scalarmult_ed25519_noclamp(raw_bytes(out.data()), raw_bytes(scalar.data()),
                                        raw_bytes(point.data())) != 0) {
    return std::nullopt;
  }
  return out;
}

/// k + c * x.
Scalar response_of(const Scalar& k, const Scalar& c, const Scalar& x) {
  Scalar product, out;
  crypto_core_ed25519_scalar_mul(raw_bytes(product.data()), raw_bytes(c.data()),
                                 raw_bytes(x.data()));
  crypto_core_ed25519_scalar_add(raw_bytes(out.data()), raw_bytes(k.data()),
                                 raw_bytes(product.data()));
  sodium_memzero(product.data(), product.size());
  return out;
}

}  // namespace

PublicKey vrf_public_key(const VrfSeed& seed) {
  const Expanded secret(seed);
  // A clamped scalar is 8 times a number below the order, so never 0 modulo it.
  return secret_times_base(secret.scalar).value();
}

std::optional<VrfEvaluation> prove_vrf(const VrfSeed& seed, ByteView input) {
  const Expanded secret(seed);
  const PublicKey key = secret_times_base(secret.scalar).value();
  const auto h = to_curve(key, input);
  if (!h) return std::nullopt;
  const Encoded h_bytes = encode(*h);
  Sha512 wide = sha512({secret.nonce_key, h_bytes});
  Scalar nonce;
  crypto_core_ed25519_scalar_reduce(raw_bytes(nonce.data()), raw_bytes(wide.data()));
  const auto gamma = secret_times(secret.scalar, h_bytes);
  const auto u = secret_times_base(nonce), v = secret_times(nonce, h_bytes);
  std::optional<VrfEvaluation> out;
  if (gamma && u && v) {
    const Scalar c = challenge_of(std::array{key, h_bytes, *gamma, *u, *v});
    const Scalar s = response_of(nonce, c, secret.scalar);
    out.emplace();
    std::copy(gamma->begin(), gamma->end(), out->proof.begin());
    std::copy(c.begin(), c.begin() + 16, out->proof.begin() + 32);
    std::copy(s.begin(), s.end(), out->proof.begin() + 48);
    out->output = output_of(decode_strict(*gamma).value());
  }
  sodium_memzero(wide.data(), wide.size());
  sodium_memzero(nonce.data(), nonce.size());
  return out;
}

std::optional<VrfOutput> verify_vrf(const PublicKey& key, ByteView input, const VrfProof& proof) {
  const std::span<const std::byte, 80> bytes(proof);
  const auto y = decode_strict(key);
  const auto gamma = decode_strict(bytes.first<32>());
  if (!y || !gamma || !ed25519::below_order(bytes.last<32>())) return std::nullopt;
  if (is_identity(times_eight(*y))) return std::nullopt;
  const auto h = to_curve(key, input);
  if (!h) return std::nullopt;
  Scalar c{}, s;
  Encoded gamma_bytes;
  std::copy(proof.begin(), proof.begin() + 32, gamma_bytes.begin());
  std::copy(proof.begin() + 32, proof.begin() + 48, c.begin());
  std::copy(proof.begin() + 48, proof.end(), s.begin());
  const Encoded u = encode(combine(s, ed25519::base_point(), c, *y));
  const Encoded v = encode(combine(s, *h, c, *gamma));
  if (challenge_of(std::array{key, encode(*h), gamma_bytes, u, v}) != c) return std::nullopt;
  return output_of(*gamma);
}

}  // namespace thresher::crypto
