#include "thresher/crypto/dleq_group.hpp"

#include "scalar.hpp"
#include "sha512.hpp"

namespace thresher::crypto {

bool ristretto_valid(const RistrettoPoint& point) {
  // libsodium 1.0.18 ignores the top bit, which RFC 9496 wants clear: a second encoding.
  const bool top_clear = (point[31] & std::byte{0x80}) == std::byte{0};
  return top_clear && point != RistrettoPoint{} &&
         crypto_core_ristretto255_is_valid_point(raw_bytes(point.data())) == 1;
}

bool ristretto_scalar_valid(const RistrettoScalar& scalar) {
  return sodium_is_zero(raw_bytes(scalar.data()), scalar.size()) == 0 &&
         ed25519::below_order(scalar);
}

std::optional<RistrettoPoint> ristretto_base(const RistrettoScalar& scalar) {
  RistrettoPoint out;
  if (!ristretto_scalar_valid(scalar)) return std::nullopt;
  if (crypto_scalarmult_ristretto255_base(raw_bytes(out.data()), raw_bytes(scalar.data())) != 0) {
    return std::nullopt;
  }
  return out;
}

std::optional<RistrettoPoint> ristretto_multiply(const RistrettoScalar& scalar,
                                                 const RistrettoPoint& point) {
  RistrettoPoint out;
  if (!ristretto_scalar_valid(scalar) || !ristretto_valid(point)) return std::nullopt;
  if (crypto_scalarmult_ristretto255(raw_bytes(out.data()), raw_bytes(scalar.data()),
                                     raw_bytes(point.data())) != 0) {
    return std::nullopt;
  }
  return out;
}

std::optional<RistrettoPoint> ristretto_add(const RistrettoPoint& a, const RistrettoPoint& b) {
  RistrettoPoint out;
  if (!ristretto_valid(a) || !ristretto_valid(b)) return std::nullopt;
  if (crypto_core_ristretto255_add(raw_bytes(out.data()), raw_bytes(a.data()),
                                   raw_bytes(b.data())) != 0 ||
      out == RistrettoPoint{}) {
    return std::nullopt;
  }
  return out;
}

std::optional<RistrettoPoint> ristretto_map(std::span<const std::byte, 64> uniform) {
  RistrettoPoint out;
  crypto_core_ristretto255_from_hash(raw_bytes(out.data()), raw_bytes(uniform.data()));
  if (!ristretto_valid(out)) return std::nullopt;
  return out;
}

}  // namespace thresher::crypto
