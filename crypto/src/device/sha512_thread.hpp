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
  // The first 64 bits of the fractions of the cube roots of the first eighty primes.
  static const u64 kRound[80] = {
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
  u64 state[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
                  0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
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
