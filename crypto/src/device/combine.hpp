// Random linear combinations on the GPU, for large batches of fresh keys: a group of signatures is
// accepted at once when 8 (sum z s B - sum z R - sum z k A) = O. By Pippenger's buckets, but
// without sorting: each thread has the buckets of one window of one group to itself.
//
//   scale_stage   one thread a signature: z, z k, z s; R and A as table rows
//   bucket_stage  one thread a group and window of 4 bits: its buckets filled and folded
//   settle_stage  one thread a group: windows joined, sum z s B taken off, times eight
//   group_outcome one thread a signature
//
// Guarantees: never accepts what the single check refuses but with probability 2^-128: z comes from
// ChaCha20 under a secret that no signer can foresee. A signature that is bad by itself (s, R or A)
// takes part with z = 0 and spoils nothing; a group that fails is left unsettled, for the single
// check. Threads of a warp take the same way.
//
// Cost a signature, groups of 128: decoding 556, rows 2, buckets 97 x 7 = 679, folds 97 x 16 x 8.5
// / 128 = 103, windows joined 2,800 / 128 = 22: 1,362 multiplications and squarings against 3,213
// alone. Windows of 8 bits in groups of 512 cost 1,128, but have an eighth of the threads, each
// with four times as far to go, and were slower on a card below a million signatures. Source:
// Bernstein, Duif, Lange, Schwabe, Yang, "High-speed high-security signatures" (2011), section 5;
// Bernstein, Doumen, Lange, Oosterwijk, "Faster batch forgery identification" (2012).
#pragma once

#include "stages.hpp"

namespace thresher::crypto::device {

inline constexpr u32 kWindowBits = 4;
inline constexpr u32 kKeyWindows = 64;  ///< of z k
inline constexpr u32 kRWindows = 33;    ///< of z: 128 bits and the last carry
inline constexpr u32 kWindows = kKeyWindows + kRWindows;
inline constexpr u32 kBuckets = 9;  ///< |digit|; number 0 is never read

/// What a combination needs beside a Batch.
struct Combination {
  Batch batch;
  u32 group;   ///< signatures in one
  u32 groups;  ///< (batch.count + group - 1) / group
  u32 secret[8];
  u32 number[2];
  Extended* buckets;  ///< kBuckets for each window of each group
  Extended* windows;  ///< their sums
  u32* settled;       ///< a word a group
};

THRESHER_HD void quarter_round(u32& a, u32& b, u32& c, u32& d) {
  a += b, d ^= a, d = d << 16 | d >> 16;
  c += d, b ^= c, b = b << 12 | b >> 20;
  a += b, d ^= a, d = d << 8 | d >> 24;
  c += d, b ^= c, b = b << 7 | b >> 25;
}

/// The first 128 bits of ChaCha20's block `index`. Source: Bernstein, "ChaCha, a variant of
/// Salsa20".
THRESHER_HD void coefficient(const u32* secret, const u32* number, u32 index, u32* z) {
  const u32 start[4] = {0x61707865u, 0x3320646eu, 0x79622d32u, 0x6b206574u};
  u32 x[16];
  THRESHER_UNROLLED for (int i = 0; i < 4; ++i) x[i] = start[i];
  THRESHER_UNROLLED for (int i = 0; i < 8; ++i) x[4 + i] = secret[i];
  x[12] = index, x[13] = 0, x[14] = number[0], x[15] = number[1];
  THRESHER_ROLLED for (int i = 0; i < 10; ++i) {
    quarter_round(x[0], x[4], x[8], x[12]);
    quarter_round(x[1], x[5], x[9], x[13]);
    quarter_round(x[2], x[6], x[10], x[14]);
    quarter_round(x[3], x[7], x[11], x[15]);
    quarter_round(x[0], x[5], x[10], x[15]);
    quarter_round(x[1], x[6], x[11], x[12]);
    quarter_round(x[2], x[7], x[8], x[13]);
    quarter_round(x[3], x[4], x[9], x[14]);
  }
  THRESHER_UNROLLED for (int i = 0; i < 4; ++i) z[i] = x[i] + start[i];
}

/// Pre: hash_stage() and decode_stage() are done. The first two table rows become those of A and R.
THRESHER_HD void scale_stage(const Combination& all, u32 i) {
  Scratch& mine = all.batch.scratch[i];
  const bool fine = mine.s_in_range != 0 && mine.r_decodes != 0 && mine.key_decodes != 0;
  u32 z[4];
  coefficient(all.secret, all.number, i, z);
  THRESHER_UNROLLED for (int j = 0; j < 4; ++j) z[j] = fine ? z[j] : 0;
  const Scalar k = unbiased(mine.k, kHalves16);
  const Scalar zk = biased(scaled(k.w, z), kHalves16);
  const Scalar zs = scaled(all.batch.records[i].s, z);
  const Scalar z_digits = biased({{z[0], z[1], z[2], z[3], 0, 0, 0, 0}}, kHalves16);
  THRESHER_UNROLLED for (int j = 0; j < 8; ++j) mine.k[j] = zk.w[j];
  THRESHER_UNROLLED for (int j = 0; j < 8; ++j) mine.s[j] = zs.w[j];
  THRESHER_UNROLLED for (int j = 0; j < 8; ++j) mine.z[j] = z_digits.w[j];
  mine.multiple[0].row = to_niels(load(mine.key_x), load(mine.key_y), load(mine.key_t));
  mine.multiple[1].row = to_niels(load(mine.r_x), load(mine.r_y), load(mine.r_t));
}

THRESHER_HD u32 group_end(const Combination& all, u32 group) {
  const u32 end = (group + 1) * all.group;
  return end < all.batch.count ? end : all.batch.count;
}

THRESHER_HD Extended load(const Extended& from) {
  return {load(from.x), load(from.y), load(from.z), load(from.t)};
}

/// Windows of keys come first, so that their warps of 32 read one point at a time.
THRESHER_HD void bucket_stage(const Combination& all, u32 thread) {
  const bool of_key = thread < all.groups * kKeyWindows;
  const u32 place = of_key ? thread : thread - all.groups * kKeyWindows;
  const u32 group = place / (of_key ? kKeyWindows : kRWindows);
  const int window = static_cast<int>(place % (of_key ? kKeyWindows : kRWindows));
  Extended* const buckets = all.buckets + std::size_t{thread} * kBuckets;
  THRESHER_ROLLED for (u32 b = 0; b < kBuckets; ++b) buckets[b] = identity();
  const u32 end = group_end(all, group);
  THRESHER_ROLLED for (u32 i = group * all.group; i < end; ++i) {
    const Scratch& term = all.batch.scratch[i];
    const int digit = digit16(of_key ? term.k : term.z, window);
    Extended& bucket = buckets[digit < 0 ? -digit : digit];
    bucket = to_extended(add_entry(load(bucket), term.multiple[of_key ? 0 : 1].row, digit < 0));
  }
  // sum of b bucket[b]: every bucket is in `running` for as many steps as its number says.
  Extended running = identity(), sum = identity();
  THRESHER_ROLLED for (u32 b = kBuckets - 1; b > 0; --b) {
    running = to_extended(add_entry(running, to_cached(load(buckets[b])), false));
    sum = to_extended(add_entry(sum, to_cached(running), false));
  }
  all.windows[thread] = sum;
}

THRESHER_HD Extended plus_window(const Extended& p, const Extended& window) {
  return to_extended(add_entry(p, to_cached(load(window)), false));
}

THRESHER_HD void settle_stage(const Combination& all, u32 group) {
  u32 wide[16] = {};
  const u32 end = group_end(all, group);
  THRESHER_ROLLED for (u32 i = group * all.group; i < end; ++i) {
    const u32* const zs = all.batch.scratch[i].s;
    Carry c;
    add_first(wide[0], zs[0], c);
    THRESHER_UNROLLED for (int j = 1; j < 8; ++j) add_next(wide[j], zs[j], c);
    add_carry(wide[8], c);
  }
  // Kept in memory: digits are read by a running index, which registers do not have.
  u32* const s = all.batch.scratch[group * all.group].s;
  const Scalar sum = biased(reduced(wide), kHalves256);
  THRESHER_UNROLLED for (int j = 0; j < 8; ++j) s[j] = sum.w[j];
  const Extended* const of_keys = all.windows + group * kKeyWindows;
  const Extended* const of_r = all.windows + all.groups * kKeyWindows + group * kRWindows;
  Extended acc = identity();
  THRESHER_ROLLED for (u32 w = kKeyWindows; w-- > 0;) {
    acc = doubled(acc, kWindowBits);
    acc = plus_window(acc, of_keys[w]);
    if (w < kRWindows) acc = plus_window(acc, of_r[w]);
  }
  acc = negated(acc);
  THRESHER_ROLLED for (int i = 0; i < kBaseDigits; ++i) {
    acc = plus_digit(acc, all.batch.base->entry[i], digit256(s, i));
  }
  all.settled[group] = times_eight_is_identity(acc) ? 1 : 0;
}

THRESHER_HD StageResult group_outcome(const Combination& all, u32 i) {
  const Scratch& mine = all.batch.scratch[i];
  if (mine.s_in_range == 0 || mine.r_decodes == 0) return StageResult::kBad;
  if (mine.key_decodes == 0) return StageResult::kBadKey;
  return all.settled[i / all.group] != 0 ? StageResult::kValid : StageResult::kUnsettled;
}

}  // namespace thresher::crypto::device
