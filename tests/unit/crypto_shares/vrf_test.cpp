// The verifiable random function: one output per key and input, and nothing else verifies.
#include "thresher/crypto/vrf.hpp"

#include <gtest/gtest.h>
#include <sodium.h>

#include <utility>
#include <vector>

namespace thresher::crypto {
namespace {

VrfSeed seed_of(std::uint8_t number) {
  VrfSeed out{};
  out[3] = static_cast<std::byte>(number);
  return out;
}

const ByteView kInput = as_view("round 7");

class Vrf : public testing::Test {
 protected:
  PublicKey key_ = vrf_public_key(seed_of(1));
  VrfEvaluation made_ = prove_vrf(seed_of(1), kInput).value();
};

TEST_F(Vrf, TheVerifierLearnsTheProversOutput) {
  EXPECT_EQ(verify_vrf(key_, kInput, made_.proof), made_.output);
  for (std::uint8_t i = 2; i < 12; ++i) {
    const auto made = prove_vrf(seed_of(i), kInput).value();
    EXPECT_EQ(verify_vrf(vrf_public_key(seed_of(i)), kInput, made.proof), made.output);
    EXPECT_NE(made.output, made_.output);
  }
}

TEST_F(Vrf, RefusesAnotherKeyOrInput) {
  EXPECT_FALSE(verify_vrf(vrf_public_key(seed_of(2)), kInput, made_.proof));
  EXPECT_FALSE(verify_vrf(key_, as_view("round 8"), made_.proof));
  EXPECT_FALSE(verify_vrf(key_, {}, made_.proof));
}

TEST_F(Vrf, RefusesEveryFlippedBitOfTheProof) {
  for (std::size_t bit = 0; bit < 640; bit += 7) {
    VrfProof wrong = made_.proof;
    wrong[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    EXPECT_FALSE(verify_vrf(key_, kInput, wrong)) << "bit " << bit;
  }
}

TEST_F(Vrf, RefusesAResponseInASecondEncoding) {
  constexpr std::array<std::uint8_t, 16> kLow{0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58,
                                              0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14};
  VrfProof wrong = made_.proof;
  unsigned carry = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    carry += std::to_integer<unsigned>(wrong[48 + i]);
    carry += i < 16 ? kLow[i] : i == 31 ? 0x10U : 0U;
    wrong[48 + i] = static_cast<std::byte>(carry);
    carry >>= 8;
  }
  EXPECT_FALSE(verify_vrf(key_, kInput, wrong));
}

using Hash = std::array<std::byte, 64>;

unsigned char* raw(std::byte* p) {
  return reinterpret_cast<unsigned char*>(p);
}

Hash sha512_of(const std::vector<std::byte>& bytes) {
  Hash out;
  crypto_hash_sha512(raw(out.data()), reinterpret_cast<const unsigned char*>(bytes.data()),
                     bytes.size());
  return out;
}

/// The input as a curve point (RFC 9381, 5.4.1.1), by libsodium's additions.
std::array<std::byte, 32> point_of(const PublicKey& key, std::byte input) {
  for (unsigned attempt = 0;; ++attempt) {
    std::vector<std::byte> text{std::byte{3}, std::byte{1}};
    text.insert(text.end(), key.begin(), key.end());
    text.insert(text.end(), {input, static_cast<std::byte>(attempt), std::byte{0}});
    const Hash hash = sha512_of(text);
    std::array<std::byte, 32> point;
    std::copy(hash.begin(), hash.begin() + 32, point.begin());
    int bad = 0;
    for (int i = 0; i < 3; ++i) {
      bad |= crypto_core_ed25519_add(raw(point.data()), raw(point.data()), raw(point.data()));
    }
    if (bad == 0) return point;
  }
}

/// With gamma = O and s = 0, U = -cY and V = O: under a key of small order a challenge that the
/// order divides satisfies the equations without any secret. Tries inputs until 8 divides it.
std::pair<std::byte, VrfProof> forge(const PublicKey& key) {
  PublicKey identity{};
  identity[0] = std::byte{1};
  for (unsigned input = 0;; ++input) {
    const std::byte byte = static_cast<std::byte>(input);
    const auto h = point_of(key, byte);
    std::vector<std::byte> text{std::byte{3}, std::byte{2}};
    text.insert(text.end(), key.begin(), key.end());
    text.insert(text.end(), h.begin(), h.end());
    for (int i = 0; i < 3; ++i) text.insert(text.end(), identity.begin(), identity.end());
    text.push_back(std::byte{0});
    const Hash challenge = sha512_of(text);
    if ((challenge[0] & std::byte{7}) != std::byte{0}) continue;
    VrfProof proof{};
    std::copy(identity.begin(), identity.end(), proof.begin());
    std::copy(challenge.begin(), challenge.begin() + 16, proof.begin() + 32);
    return {byte, proof};
  }
}

TEST_F(Vrf, RefusesForgeriesUnderKeysOfSmallOrder) {
  PublicKey identity{}, signed_identity{}, above_p{};
  identity[0] = std::byte{1};
  signed_identity[0] = std::byte{1};
  signed_identity[31] = std::byte{0x80};
  above_p.fill(std::byte{0xff});
  above_p[0] = std::byte{0xee};  // y = p + 1, the identity again
  above_p[31] = std::byte{0x7f};
  const PublicKey order_four{};  // y = 0
  for (const PublicKey& key : {identity, signed_identity, above_p, order_four}) {
    const auto [input, forged] = forge(key);
    EXPECT_FALSE(verify_vrf(key, {&input, 1}, forged));
  }
}

}  // namespace
}  // namespace thresher::crypto
