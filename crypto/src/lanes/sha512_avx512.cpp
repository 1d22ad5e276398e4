// SHA-512 of eight messages at once, one in each 64-bit lane. Source: FIPS 180-4, section 6.4.
#include "job.hpp"

#if defined(__AVX512F__) && defined(__AVX512DQ__)

#include <immintrin.h>

#include <cstddef>

namespace thresher::crypto::lanes {
namespace {

constexpr int kLanes = 8;
constexpr std::size_t kBlock = 128;

// The first 64 bits of the fractional parts of the cube roots of the first 80 primes.
constexpr std::uint64_t kRound[80] = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
    0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
    0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
    0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
    0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
    0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
    0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
    0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
    0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
    0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
    0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
    0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
    0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
    0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
    0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
    0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
    0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817};
constexpr std::uint64_t kStart[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
                                     0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f,
                                     0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

std::size_t blocks_of(const HashJob& job) {
  return (64 + job.size + 17 + kBlock - 1) / kBlock;
}

// What of [from, from + size), counted in the whole message, falls into the block at `begin`.
void place(const unsigned char* bytes, std::size_t size, std::size_t from, std::size_t begin,
           unsigned char* out) {
  const std::size_t low = from > begin ? from : begin;
  const std::size_t end = from + size < begin + kBlock ? from + size : begin + kBlock;
  if (low < end) __builtin_memcpy(out + (low - begin), bytes + (low - from), end - low);
}

// Block `index` of R || A || M with its padding.
void fill_block(const HashJob& job, std::size_t index, unsigned char* out) {
  const std::size_t length = 64 + job.size;
  const std::size_t begin = index * kBlock;
  __builtin_memset(out, 0, kBlock);
  place(job.r, 32, 0, begin, out);
  place(job.key, 32, 32, begin, out);
  place(job.message, job.size, 64, begin, out);
  if (length >= begin && length < begin + kBlock) out[length - begin] = 0x80;
  if (index + 1 != blocks_of(job)) return;
  const std::uint64_t bits = static_cast<std::uint64_t>(length) * 8;
  for (int i = 0; i < 8; ++i)
    out[kBlock - 1 - static_cast<std::size_t>(i)] = static_cast<unsigned char>(bits >> (8 * i));
}

__m512i word(const unsigned char (*blocks)[kBlock], int index) {
  std::uint64_t lane[kLanes];
  for (int i = 0; i < kLanes; ++i) {
    std::uint64_t w = 0;
    __builtin_memcpy(&w, blocks[i] + 8 * index, 8);
    lane[i] = __builtin_bswap64(w);
  }
  return _mm512_loadu_si512(lane);
}

template <int kA, int kB, int kC>
__m512i big_sigma(__m512i x) {
  return _mm512_ternarylogic_epi64(_mm512_ror_epi64(x, kA), _mm512_ror_epi64(x, kB),
                                   _mm512_ror_epi64(x, kC), 0x96);
}
template <int kA, int kB, int kShift>
__m512i small_sigma(__m512i x) {
  return _mm512_ternarylogic_epi64(_mm512_ror_epi64(x, kA), _mm512_ror_epi64(x, kB),
                                   _mm512_srli_epi64(x, kShift), 0x96);
}
__m512i sum(__m512i a, __m512i b) {
  return _mm512_add_epi64(a, b);
}

void compress(__m512i* state, const unsigned char (*blocks)[kBlock], __mmask8 live) {
  __m512i w[16];
  for (int t = 0; t < 16; ++t) w[t] = word(blocks, t);
  __m512i s[8];
  for (int i = 0; i < 8; ++i) s[i] = state[i];
  for (int t = 0; t < 80; ++t) {
    __m512i& now = w[t % 16];
    if (t >= 16) {
      now = sum(sum(now, small_sigma<1, 8, 7>(w[(t + 1) % 16])),
                sum(w[(t + 9) % 16], small_sigma<19, 61, 6>(w[(t + 14) % 16])));
    }
    const __m512i choose = _mm512_ternarylogic_epi64(s[4], s[5], s[6], 0xca);
    const __m512i majority = _mm512_ternarylogic_epi64(s[0], s[1], s[2], 0xe8);
    const __m512i key = _mm512_set1_epi64(static_cast<long long>(kRound[t]));
    const __m512i first = sum(sum(s[7], big_sigma<14, 18, 41>(s[4])), sum(choose, sum(key, now)));
    const __m512i second = sum(big_sigma<28, 34, 39>(s[0]), majority);
    for (int i = 7; i > 0; --i) s[i] = s[i - 1];
    s[4] = sum(s[4], first);
    s[0] = sum(first, second);
  }
  for (int i = 0; i < 8; ++i) {
    state[i] = _mm512_mask_add_epi64(state[i], live, state[i], s[i]);
  }
}

}  // namespace

void sha512_lanes(const HashJob* jobs, int count, unsigned char (*out)[64]) {
  __m512i state[8];
  for (int i = 0; i < 8; ++i) state[i] = _mm512_set1_epi64(static_cast<long long>(kStart[i]));
  std::size_t most = 0;
  for (int i = 0; i < count; ++i) most = blocks_of(jobs[i]) > most ? blocks_of(jobs[i]) : most;
  unsigned char blocks[kLanes][kBlock];
  for (std::size_t b = 0; b < most; ++b) {
    __mmask8 live = 0;
    for (int i = 0; i < kLanes; ++i) {
      const HashJob& job = jobs[i < count ? i : 0];
      if (b >= blocks_of(job)) continue;
      live = static_cast<__mmask8>(live | 1 << i);
      fill_block(job, b, blocks[i]);
    }
    compress(state, blocks, live);
  }
  for (int k = 0; k < 8; ++k) {
    std::uint64_t lane[kLanes];
    _mm512_storeu_si512(lane, state[k]);
    for (int i = 0; i < count; ++i) {
      const std::uint64_t w = __builtin_bswap64(lane[i]);
      __builtin_memcpy(out[i] + 8 * k, &w, 8);
    }
  }
}

}  // namespace thresher::crypto::lanes

#else

namespace thresher::crypto::lanes {
void sha512_lanes(const HashJob*, int, unsigned char (*)[64]) {}
}  // namespace thresher::crypto::lanes

#endif
