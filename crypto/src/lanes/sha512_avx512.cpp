// SHA-512 of eight messages at once, one in each 64-bit lane. Source: FIPS 180-4, section 6.4.
#include "job.hpp"

#if defined(__AVX512F__) && defined(__AVX512DQ__)

#include <immintrin.h>

#include <cstddef>

namespace thresher::crypto::lanes {
namespace {

constexpr int kLanes = 8;
constexpr std::size_t kBlock = 128;

// clang-format off
constexpr std::uint64_t kRound[80] = {
#include "../sha512_rounds.inc"
};
constexpr std::uint64_t kStart[8] = {
#include "../sha512_start.inc"
};
// clang-format on

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
