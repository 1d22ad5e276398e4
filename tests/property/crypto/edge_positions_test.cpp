// Crafted signatures among honest ones: every backend must find the odd one, and only it, at every
// position of every batch of 1 to 64 (a fast test: of those that fill lanes, or nearly), with fresh
// and with registered keys. The crafted ones are those on which verifiers are known to differ:
// points with a part of small order, which the cofactored equation of ZIP-215 accepts and others
// refuse, s + L, and encodings of no point.
#include <gtest/gtest.h>
#include <sodium.h>

#include <array>
#include <cstring>
#include <numeric>

#include "../../how_many.hpp"
#include "thresher/crypto/signing_key.hpp"
#include "thresher/crypto/verifier.hpp"

namespace thresher::crypto {
namespace {

using Raw = std::array<unsigned char, 32>;

/// A point of order 8.
constexpr Raw kTorsion{0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b,
                       0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39,
                       0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a};
/// L, little-endian; RFC 8032, 5.1.
constexpr Raw kOrder{0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7,
                     0xa2, 0xde, 0xf9, 0xde, 0x14, 0,    0,    0,    0,    0,    0,
                     0,    0,    0,    0,    0,    0,    0,    0,    0,    0x10};

const std::vector<std::byte>& message() {
  static const std::vector<std::byte> kMessage(32, std::byte{7});
  return kMessage;
}

const unsigned char* raw(const std::vector<std::byte>& bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

/// Signs with a secret scalar and puts T on the key, on R or on both.
SignatureJob with_torsion(unsigned char salt, bool on_key, bool on_r) {
  Raw a{salt, 1}, nonce{salt, 2}, key, r, s, k;
  crypto_scalarmult_ed25519_base_noclamp(key.data(), a.data());
  crypto_scalarmult_ed25519_base_noclamp(r.data(), nonce.data());
  if (on_key) {
    EXPECT_EQ(crypto_core_ed25519_add(key.data(), key.data(), kTorsion.data()), 0);
  }
  if (on_r) {
    EXPECT_EQ(crypto_core_ed25519_add(r.data(), r.data(), kTorsion.data()), 0);
  }
  std::array<unsigned char, 64> hash;
  crypto_hash_sha512_state state;
  crypto_hash_sha512_init(&state);
  crypto_hash_sha512_update(&state, r.data(), r.size());
  crypto_hash_sha512_update(&state, key.data(), key.size());
  crypto_hash_sha512_update(&state, raw(message()), message().size());
  crypto_hash_sha512_final(&state, hash.data());
  crypto_core_ed25519_scalar_reduce(k.data(), hash.data());
  crypto_core_ed25519_scalar_mul(s.data(), k.data(), a.data());
  crypto_core_ed25519_scalar_add(s.data(), s.data(), nonce.data());
  SignatureJob job{{}, message(), {}};
  std::memcpy(job.key.data(), key.data(), 32);
  std::memcpy(job.signature.data(), r.data(), 32);
  std::memcpy(job.signature.data() + 32, s.data(), 32);
  return job;
}

struct Edge {
  const char* name;
  SignatureJob job;
  bool valid;
};

SignatureJob plus_order(SignatureJob job) {
  unsigned carry = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    carry += std::to_integer<unsigned>(job.signature[32 + i]) + kOrder[i];
    job.signature[32 + i] = static_cast<std::byte>(carry & 255);
    carry >>= 8;
  }
  return job;
}

std::vector<Edge> edges(const SignatureJob& good) {
  SignatureJob flipped = good, no_point = good, no_key = good, wrong_s = good, small = good;
  flipped.signature[5] ^= std::byte{4};
  wrong_s.signature[40] ^= std::byte{1};
  std::memset(no_point.signature.data(), 0, 32);
  no_point.signature[0] = std::byte{2};  // y = 2 has no x
  no_key.key = {};
  no_key.key[0] = std::byte{2};
  small.key = {};  // y = 0, of order 4; R the identity and s = 0 satisfy 8 R = 0
  small.signature = {};
  small.signature[0] = std::byte{1};
  SignatureJob damaged_torsion = with_torsion(3, true, true);
  damaged_torsion.signature[33] ^= std::byte{1};
  return {{"R flipped", flipped, false},
          {"torsion on the key", with_torsion(3, true, false), true},
          {"s flipped", wrong_s, false},
          {"torsion on R", with_torsion(4, false, true), true},
          {"s + L", plus_order(good), false},
          {"torsion on both", with_torsion(6, true, true), true},
          {"R is no point", no_point, false},
          {"small order", small, true},
          {"key is no point", no_key, false},
          {"torsion and a wrong s", damaged_torsion, false},
          {"torsion and s + L", plus_order(with_torsion(6, true, true)), false}};
}

SignatureJob honest() {
  const SigningKey key = SigningKey::from_seed(SigningKey::Seed{});
  return {key.public_key(), message(), key.sign(message())};
}

// Libsodium's rule is narrower (docs/signatures.md), so it is left out.
std::vector<std::unique_ptr<BatchVerifier>> backends() {
  std::vector<std::unique_ptr<BatchVerifier>> out;
  for (const std::string_view name : available_verifiers()) {
    if (name != "sodium") out.push_back(make_verifier(name));
  }
  return out;
}

// A few for the parts of "rlc", which are the same as it is where nothing is combined. A fast test
// takes those around full lanes, of which there are four, eight or sixteen, and around 32, from
// where on signatures are combined.
std::vector<std::size_t> sizes_for(const BatchVerifier& backend) {
  if (backend.name().rfind("rlc-", 0) == 0) return {32, 45, 64};
  std::vector<std::size_t> all(how_many(9, 64));
  std::iota(all.begin(), all.end(), std::size_t{1});
  if (all.size() < 64) all.insert(all.end(), {15, 16, 17, 31, 32, 33, 45, 63, 64});
  return all;
}

// The emulator is slow and treats each signature alone but for its bit in a bitmap: every 29th.
void find_each(BatchVerifier& backend, std::size_t size, const SignatureJob& good,
               const std::vector<Edge>& odd) {
  std::vector<SignatureStatus> got(size);
  const std::size_t step = backend.name() == "emulator" ? 29 : 1;
  for (std::size_t at = size / 2 % step; at < size; at += step) {
    const Edge& edge = odd[(size + at) % odd.size()];
    std::vector<SignatureJob> jobs(size, good);
    jobs[at] = edge.job;
    backend.verify(jobs, got);
    for (std::size_t i = 0; i < size; ++i) {
      ASSERT_EQ(got[i] == SignatureStatus::kValid, i != at || edge.valid)
          << backend.name() << ": " << edge.name << " at " << at << " of " << size << ", verdict "
          << i;
    }
  }
}

TEST(EdgePositions, EachCraftedSignatureAlone) {
  const SignatureJob good = honest();
  for (const auto& backend : backends()) {
    for (const Edge& edge : edges(good)) {
      std::array<SignatureStatus, 1> got{SignatureStatus::kUnavailable};
      backend->verify(std::span(&edge.job, 1), got);
      EXPECT_EQ(got[0] == SignatureStatus::kValid, edge.valid)
          << backend->name() << ": " << edge.name;
    }
  }
}

// The parts of small order do not cancel by chance: a cofactorless verifier refuses all three.
TEST(EdgePositions, LibsodiumRefusesTorsion) {
  const auto sodium = make_verifier("sodium");
  for (const SignatureJob& job :
       {with_torsion(3, true, false), with_torsion(4, false, true), with_torsion(6, true, true)}) {
    std::array<SignatureStatus, 1> got{SignatureStatus::kUnavailable};
    sodium->verify(std::span(&job, 1), got);
    EXPECT_EQ(got[0], SignatureStatus::kBadSignature);
  }
}

TEST(EdgePositions, FreshKeysEveryBatchEveryPosition) {
  const SignatureJob good = honest();
  const auto odd = edges(good);
  for (const auto& backend : backends()) {
    if (backend->name() == "portable") continue;  // one at a time: position means nothing to it
    for (const std::size_t size : sizes_for(*backend)) find_each(*backend, size, good, odd);
  }
}

// The honest key and every second crafted one have a table, so that each batch is split between the
// two paths of an engine.
TEST(EdgePositions, RegisteredKeysEveryBatchEveryPosition) {
  const SignatureJob good = honest();
  const auto odd = edges(good);
  std::vector<PublicKey> keys{good.key};
  for (std::size_t i = 1; i < odd.size(); i += 2) keys.push_back(odd[i].job.key);
  for (const auto& backend : backends()) {
    if (backend->name() == "portable") continue;
    backend->register_keys(keys);
    for (const std::size_t size : sizes_for(*backend)) find_each(*backend, size, good, odd);
  }
}

}  // namespace
}  // namespace thresher::crypto
