// BLAKE2b-256 of several messages beside each other, a message in each lane of a vector of 64-bit
// numbers. Private to crypto/.
//
//   Blake2b<8> lanes;                                 // in a file that is compiled for AVX-512
//   lanes.hash(messages, digests);                    // eight of each
//
// Guarantees: the digests of BLAKE2b without key, 32 bytes long. Pre: all messages of a call take
// as many blocks. The vectors are GCC's and clang's own (vector_size), so that one source serves
// every width. Source: RFC 7693, section 3.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "thresher/core/hash.hpp"

namespace thresher::crypto::lanes {

inline constexpr std::size_t kBlake2bBlock = 128;
/// Blocks of a message of so many bytes; the empty one has one.
constexpr std::size_t blake2b_blocks(std::size_t bytes) {
  return bytes == 0 ? 1 : (bytes + kBlake2bBlock - 1) / kBlake2bBlock;
}

/// As many messages at once as there are lanes; null where the processor or the build has not them.
struct Blake2bLanes {
  std::size_t lanes;
  void (*hash)(const ByteView* messages, Digest* out);
};
const Blake2bLanes* blake2b_avx512();
const Blake2bLanes* blake2b_avx2();

/// kLanes numbers of 64 bits. Not one alias: GCC takes no width that depends on a parameter.
template <std::size_t kLanes>
struct WideOf;
template <>
struct WideOf<4> {
  typedef std::uint64_t Type __attribute__((vector_size(32)));
  typedef std::uint8_t Single __attribute__((vector_size(32)));
};
template <>
struct WideOf<8> {
  typedef std::uint64_t Type __attribute__((vector_size(64)));
  typedef std::uint8_t Single __attribute__((vector_size(64)));
};

template <std::size_t kLanes>
class Blake2b {
 public:
  static void hash(const ByteView* messages, Digest* out) {
    Vector h[8];
    for (int i = 0; i < 8; ++i) h[i] = splat(kStart[i]);
    h[0] ^= splat(kParameters);
    const std::size_t blocks = blake2b_blocks(messages[0].size());
    for (std::size_t b = 0; b < blocks; ++b) compress(h, messages, b, b + 1 == blocks);
    for (std::size_t i = 0; i < 4; ++i) {
      std::array<std::uint64_t, kLanes> words;
      std::memcpy(words.data(), &h[i], sizeof words);
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        std::memcpy(out[lane].bytes.data() + 8 * i, &words[lane], sizeof words[lane]);
    }
  }

 private:
  using Vector = typename WideOf<kLanes>::Type;
  using Single = typename WideOf<kLanes>::Single;  // byte by byte

  /// Digest length 32, no key, fan-out and depth 1 (RFC 7693, 2.5).
  static constexpr std::uint64_t kParameters = 0x01010020;
  static constexpr std::uint64_t kStart[8] = {
      0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
      0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
  static constexpr std::uint8_t kSigma[12][16] = {
      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
      {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
      {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
      {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
      {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
      {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
      {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
      {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
      {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
      {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
      {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3}};

  static Vector splat(std::uint64_t x) {
    Vector out{};
    return out + x;
  }
  // AVX2 cannot rotate, but moves bytes about in one step.
  template <int kBits>
  static Vector rotated(Vector x) {
    if constexpr (kLanes == 4 && kBits % 8 == 0) {
      return rotated_bytes<kBits / 8>(x, std::make_index_sequence<sizeof(Vector)>());
    } else {
      return x >> kBits | x << (64 - kBits);
    }
  }
  template <std::size_t kBytes, std::size_t... kAt>
  static Vector rotated_bytes(Vector x, std::index_sequence<kAt...> /*at*/) {
    const auto bytes = reinterpret_cast<Single>(x);
    return reinterpret_cast<Vector>(
        __builtin_shufflevector(bytes, bytes, (kAt / 8 * 8 + (kAt + kBytes) % 8)...));
  }
  static void mix(Vector& a, Vector& b, Vector& c, Vector& d, Vector x, Vector y) {
    a += b + x;
    d = rotated<32>(d ^ a);
    c += d;
    b = rotated<24>(b ^ c);
    a += b + y;
    d = rotated<16>(d ^ a);
    c += d;
    b = rotated<63>(b ^ c);
  }
  // Rows become columns of what lies `kStep` rows apart; after steps of 1, 2, 4 all of them are.
  template <std::size_t kStep, std::size_t... kAt>
  static void swap_corners(Vector* rows, std::index_sequence<kAt...> /*at*/) {
    for (std::size_t i = 0; i < kLanes; ++i) {
      if ((i & kStep) != 0) continue;
      const Vector a = rows[i];
      const Vector b = rows[i | kStep];
      rows[i] = __builtin_shufflevector(a, b, ((kAt & kStep) != 0 ? kLanes + kAt - kStep : kAt)...);
      rows[i | kStep] =
          __builtin_shufflevector(a, b, ((kAt & kStep) != 0 ? kLanes + kAt : kAt + kStep)...);
    }
  }
  static void transpose(Vector* rows) {
    constexpr auto kAt = std::make_index_sequence<kLanes>();
    swap_corners<1>(rows, kAt);
    swap_corners<2>(rows, kAt);
    if constexpr (kLanes > 4) swap_corners<4>(rows, kAt);
  }
  // With zeros behind it. In steps as wide as the loads that follow, since a load that spans
  // several stores waits for them.
  static void copy_end(ByteView from, std::array<std::byte, kBlake2bBlock>& to) {
    constexpr std::size_t kStep = sizeof(Vector);
    std::size_t at = 0;
    for (; at + kStep <= from.size(); at += kStep) std::memcpy(&to[at], &from[at], kStep);
    const std::size_t whole = at;
    for (; at < to.size(); at += kStep) std::memset(&to[at], 0, kStep);
    if (whole < from.size()) std::memcpy(&to[whole], &from[whole], from.size() - whole);
  }
  // A word of every lane; behind the end of a message there are zeros. Words are loaded as they lie
  // in each message, and change places in registers: stores of single words, which a wide load has
  // to wait for, would cost as much as half of the rounds.
  static void load(Vector (&m)[16], Vector& count, const ByteView* messages, std::size_t block) {
    std::array<std::array<std::byte, kBlake2bBlock>, kLanes> ends;
    std::array<const std::byte*, kLanes> from;
    std::array<std::uint64_t, kLanes> counts;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const ByteView rest = messages[lane].subspan(block * kBlake2bBlock);
      const std::size_t size = std::min(rest.size(), kBlake2bBlock);
      from[lane] = rest.data();
      counts[lane] = block * kBlake2bBlock + size;
      if (size == kBlake2bBlock) continue;
      copy_end(rest.first(size), ends[lane]);
      from[lane] = ends[lane].data();
    }
    for (std::size_t i = 0; i < 16; i += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        std::memcpy(&m[i + lane], from[lane] + 8 * i, sizeof(Vector));
      transpose(m + i);
    }
    std::memcpy(&count, counts.data(), sizeof count);
  }
  static void compress(Vector (&h)[8], const ByteView* messages, std::size_t block, bool last) {
    Vector m[16]{};
    Vector count{};
    load(m, count, messages, block);
    Vector v[16];
    for (int i = 0; i < 8; ++i) {
      v[i] = h[i];
      v[i + 8] = splat(kStart[i]);
    }
    v[12] ^= count;
    if (last) v[14] = ~v[14];
#pragma GCC unroll 12
    for (int r = 0; r < 12; ++r) {
      const std::uint8_t* s = kSigma[r];
      mix(v[0], v[4], v[8], v[12], m[s[0]], m[s[1]]);
      mix(v[1], v[5], v[9], v[13], m[s[2]], m[s[3]]);
      mix(v[2], v[6], v[10], v[14], m[s[4]], m[s[5]]);
      mix(v[3], v[7], v[11], v[15], m[s[6]], m[s[7]]);
      mix(v[0], v[5], v[10], v[15], m[s[8]], m[s[9]]);
      mix(v[1], v[6], v[11], v[12], m[s[10]], m[s[11]]);
      mix(v[2], v[7], v[8], v[13], m[s[12]], m[s[13]]);
      mix(v[3], v[4], v[9], v[14], m[s[14]], m[s[15]]);
    }
    for (int i = 0; i < 8; ++i) h[i] ^= v[i] ^ v[i + 8];
  }
};

}  // namespace thresher::crypto::lanes
