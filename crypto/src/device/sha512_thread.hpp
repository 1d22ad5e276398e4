// SHA-512 of R || A || M for one thread: all 64-bit words, the message read where it lies.
//
//   u32 hash[16];  sha512_of(job, hash);   // as a little-endian number
//
// Guarantees: FIPS 180-4 over exactly 64 + size bytes. Not a general hash function: the first 64
// bytes are two encodings, the message is 8-byte aligned and its last word readable to the end.
#pragma once

#include "hd.hpp"

namespace thresher::crypto::device {

struct HashInput {
  const u32* r;        ///< 8 words
  const u32* key;      ///< 8 words
  const u64* message;  ///< (size + 7) / 8 words
  u32 size;            ///< bytes of the message
};

THRESHER_HD u64 swapped(u64 x) {
  x = (x & 0x00ff00ff00ff00ffu) << 8 | (x >> 8 & 0x00ff00ff00ff00ffu);
  x = (x & 0x0000ffff0000ffffu) << 16 | (x >> 16 & 0x0000ffff0000ffffu);
  return x << 32 | x >> 32;
}

THRESHER_HD u64 rotated(u64 x, int by) {
  return x >> by | x << (64 - by);
}

/// Word `at` of the padded input, big-endian; `last` is the last word's index.
THRESHER_HD u64 padded_word(const HashInput& in, u32 at, u32 last) {
  if (at < 8) {
    const u32* from = at < 4 ? in.r + 2 * at : in.key + 2 * (at - 4);
    return swapped(u64{from[1]} << 32 | from[0]);
  }
  const u32 word = at - 8;
  const u32 whole = in.size / 8;
  if (word < whole) return swapped(in.message[word]);
  if (word == whole) {
    const u32 rest = in.size % 8;
    const u64 mark = u64{0x80} << (56 - 8 * rest);
    if (rest == 0) return mark;
    return (swapped(in.message[word]) & ~u64{0} << (64 - 8 * rest)) | mark;
  }
  return at == last ? (u64{in.size} + 64) * 8 : 0;
}

THRESHER_HD void sha512_of(const HashInput& in, u32* hash) {
  // clang-format off
  static const u64 kRound[80] = {
#include "../sha512_rounds.inc"
  };
  u64 state[8] = {
#include "../sha512_start.inc"
  };
  // clang-format on
  // 64 + size bytes, one byte of mark and sixteen of length, in blocks of 128.
  const u32 blocks = static_cast<u32>((u64{in.size} + 64 + 17 + 127) / 128);
  THRESHER_ROLLED for (u32 block = 0; block < blocks; ++block) {
    u64 w[16];
    THRESHER_UNROLLED for (u32 i = 0; i < 16; ++i) {
      w[i] = padded_word(in, 16 * block + i, 16 * blocks - 1);
    }
    u64 v[8];
    THRESHER_UNROLLED for (int i = 0; i < 8; ++i) v[i] = state[i];
    THRESHER_ROLLED for (int turn = 0; turn < 80; turn += 16) {
      THRESHER_UNROLLED for (int i = 0; i < 16; ++i) {
        const u64 a = v[(16 - i) % 8], e = v[(20 - i) % 8];
        const u64 f = v[(21 - i) % 8], g = v[(22 - i) % 8];
        const u64 b = v[(17 - i) % 8], c = v[(18 - i) % 8];
        const u64 t1 = v[(23 - i) % 8] + (rotated(e, 14) ^ rotated(e, 18) ^ rotated(e, 41)) +
                       ((e & f) ^ (~e & g)) + kRound[turn + i] + w[i];
        v[(19 - i) % 8] += t1;
        v[(23 - i) % 8] =
            t1 + (rotated(a, 28) ^ rotated(a, 34) ^ rotated(a, 39)) + ((a & b) ^ (a & c) ^ (b & c));
        const u64 x = w[(i + 1) % 16], y = w[(i + 14) % 16];
        w[i] += (rotated(x, 1) ^ rotated(x, 8) ^ x >> 7) + w[(i + 9) % 16] +
                (rotated(y, 19) ^ rotated(y, 61) ^ y >> 6);
      }
    }
    THRESHER_UNROLLED for (int i = 0; i < 8; ++i) state[i] += v[i];
  }
  THRESHER_UNROLLED for (int i = 0; i < 8; ++i) {
    const u64 word = swapped(state[i]);
    hash[2 * i] = static_cast<u32>(word);
    hash[2 * i + 1] = static_cast<u32>(word >> 32);
  }
}

}  // namespace thresher::crypto::device
