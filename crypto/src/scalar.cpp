#include "scalar.hpp"

#include <sodium.h>

#include <algorithm>

#include "lanes/job.hpp"

namespace thresher::crypto::ed25519 {
namespace {
const unsigned char* raw(const std::byte* bytes) {
  return reinterpret_cast<const unsigned char*>(bytes);
}
}  // namespace

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

void challenges(std::span<const SignatureJob> jobs, std::span<std::array<std::byte, 32>> out) {
  if (lanes::avx512_engine() == nullptr) {
    for (std::size_t i = 0; i < jobs.size(); ++i) out[i] = challenge(jobs[i]);
    return;
  }
  for (std::size_t at = 0; at < jobs.size(); at += lanes::kMaxLanes) {
    const std::size_t count = std::min<std::size_t>(lanes::kMaxLanes, jobs.size() - at);
    lanes::HashJob group[lanes::kMaxLanes];
    unsigned char hashes[lanes::kMaxLanes][64];
    for (std::size_t i = 0; i < count; ++i) {
      const SignatureJob& job = jobs[at + i];
      group[i] = {raw(job.signature.data()), raw(job.key.data()), raw(job.message.data()),
                  job.message.size()};
    }
    lanes::sha512_lanes(group, static_cast<int>(count), hashes);
    for (std::size_t i = 0; i < count; ++i) {
      crypto_core_ed25519_scalar_reduce(reinterpret_cast<unsigned char*>(out[at + i].data()),
                                        hashes[i]);
    }
  }
}

}  // namespace thresher::crypto::ed25519
