// The portable backend against libsodium: on honest keys and any damage both must say the same.
// A random bit flip leaves the common domain of the two rules only with negligible probability.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sodium.h>

#include "thresher/crypto/signing_key.hpp"
#include "thresher/crypto/verifier.hpp"

namespace thresher::crypto {
namespace {

using Buffer = std::vector<std::byte>;

Buffer message_of(const std::vector<std::uint8_t>& bytes) {
  const ByteView view = std::as_bytes(std::span(bytes));
  return Buffer(view.begin(), view.end());
}

SigningKey key_of(std::uint64_t number) {
  SigningKey::Seed seed{};
  for (std::size_t i = 0; i < 8; ++i) seed[i] = static_cast<std::byte>(number >> (8 * i));
  return SigningKey::from_seed(seed);
}

SignatureStatus verdict_of(std::string_view backend, const SignatureJob& job) {
  SignatureStatus verdict = SignatureStatus::kUnavailable;
  make_verifier(backend)->verify({&job, 1}, {&verdict, 1});
  return verdict;
}

RC_GTEST_PROP(Portable, AcceptsWhatLibsodiumSigned,
              (std::uint64_t number, const std::vector<std::uint8_t>& text)) {
  const SigningKey key = key_of(number);
  const Buffer message = message_of(text);
  RC_ASSERT(verdict_of("portable", {key.public_key(), message, key.sign(message)}) ==
            SignatureStatus::kValid);
}

RC_GTEST_PROP(Portable, AgreesWithLibsodiumOnDamage,
              (std::uint64_t number, std::vector<std::uint8_t> text)) {
  const SigningKey key = key_of(number);
  text.push_back(0);
  Buffer message = message_of(text);
  PublicKey public_key = key.public_key();
  Signature signature = key.sign(message);
  const std::size_t bits = 8 * (32 + 64 + message.size());
  const auto at = *rc::gen::inRange<std::size_t>(0, bits);
  const std::byte flip = std::byte{1} << static_cast<int>(at % 8);
  if (at / 8 < 32) {
    public_key[at / 8] ^= flip;
  } else if (at / 8 < 96) {
    signature[at / 8 - 32] ^= flip;
  } else {
    message[at / 8 - 96] ^= flip;
  }
  const SignatureJob job{public_key, message, signature};
  RC_ASSERT(verdict_of("sodium", job) != SignatureStatus::kValid);
  RC_ASSERT(verdict_of("portable", job) != SignatureStatus::kValid);
}

RC_GTEST_PROP(Portable, RefusesTheSecondFormOfS, (std::uint64_t number)) {
  const SigningKey key = key_of(number);
  const Buffer message = message_of({1, 2, 3});
  Signature signature = key.sign(message);
  // The group order, little-endian, RFC 8032 section 5.1.
  constexpr std::array<unsigned, 32> kOrder{0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58,
                                            0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
                                            0,    0,    0,    0,    0,    0,    0,    0,
                                            0,    0,    0,    0,    0,    0,    0,    0x10};
  unsigned carry = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    carry += std::to_integer<unsigned>(signature[32 + i]) + kOrder[i];
    signature[32 + i] = static_cast<std::byte>(carry & 255);
    carry >>= 8;
  }
  RC_ASSERT(verdict_of("portable", {key.public_key(), message, signature}) ==
            SignatureStatus::kBadSignature);
}

/// A torsion component in R and in A passes the cofactored equation: R' = R + T8, A unchanged.
RC_GTEST_PROP(Portable, AcceptsATorsionComponentInR, (std::uint64_t number)) {
  const SigningKey key = key_of(number);
  const Buffer message = message_of({7});
  // Order 8, from the zip215 list of small-order points.
  constexpr std::array<unsigned char, 32> kTorsion{0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f,
                                                   0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f,
                                                   0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6,
                                                   0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a};
  std::array<unsigned char, 64> expanded, hash, wide{};
  std::array<unsigned char, 32> nonce, k, point, r, s;
  const auto seed = key.seed();
  crypto_hash_sha512(expanded.data(), reinterpret_cast<const unsigned char*>(seed.data()), 32);
  expanded[0] &= 248;
  expanded[31] = static_cast<unsigned char>((expanded[31] & 63) | 64);
  crypto_hash_sha512(hash.data(), expanded.data(), 64);
  crypto_core_ed25519_scalar_reduce(nonce.data(), hash.data());
  RC_ASSERT(crypto_scalarmult_ed25519_base_noclamp(point.data(), nonce.data()) == 0);
  RC_ASSERT(crypto_core_ed25519_add(r.data(), point.data(), kTorsion.data()) == 0);
  crypto_hash_sha512_state state;
  crypto_hash_sha512_init(&state);
  crypto_hash_sha512_update(&state, r.data(), 32);
  crypto_hash_sha512_update(&state, reinterpret_cast<const unsigned char*>(key.public_key().data()),
                            32);
  crypto_hash_sha512_update(&state, reinterpret_cast<const unsigned char*>(message.data()),
                            message.size());
  crypto_hash_sha512_final(&state, hash.data());
  crypto_core_ed25519_scalar_reduce(k.data(), hash.data());
  std::copy_n(expanded.begin(), 32, wide.begin());
  crypto_core_ed25519_scalar_reduce(s.data(), wide.data());
  crypto_core_ed25519_scalar_mul(s.data(), k.data(), s.data());
  crypto_core_ed25519_scalar_add(s.data(), s.data(), nonce.data());
  Signature signature;
  for (std::size_t i = 0; i < 32; ++i) {
    signature[i] = static_cast<std::byte>(r[i]);
    signature[32 + i] = static_cast<std::byte>(s[i]);
  }
  const SignatureJob job{key.public_key(), message, signature};
  RC_ASSERT(verdict_of("portable", job) == SignatureStatus::kValid);
  RC_ASSERT(verdict_of("sodium", job) == SignatureStatus::kBadSignature);
}

TEST(Portable, NamesAKeyThatDoesNotDecode) {
  const SigningKey key = key_of(1);
  const Buffer message = message_of({1});
  const Signature signature = key.sign(message);
  PublicKey broken{};
  broken[0] = std::byte{2};  // y = 2 is on no point of the curve
  EXPECT_EQ(verdict_of("portable", {broken, message, signature}), SignatureStatus::kBadKey);
}

}  // namespace
}  // namespace thresher::crypto
