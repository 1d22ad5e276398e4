// The stages of a verification on the GPU, each the work of one thread; kernels and the emulator
// call the same functions.
//
//   hash_stage    one thread a signature: s < L, k = SHA-512(R || A || M) mod L, both made digits
//   decode_stage  one thread a point: R, and A where its key has no table
//   table_stage   one thread a fresh key: multiples 0..8 of -A
//   sum_stage     one thread a signature: 8 (sB - kA - R) = O, by windows
//   known_stage   the same from the tables of a registered key: no doublings
//
// Large batches of fresh keys go through combinations instead (combine.hpp).
//
// Guarantees: ZIP-215 (docs/signatures.md). All threads of a warp take the same way but for table
// entries and the length of a message. A thread writes its own memory only.
//
// Cost, in multiplications + squarings: a point decoded 20 + 258; fresh 1,677 + 1,536 in all,
// registered 709 + 270. docs/performance/verify.md makes rates of them.
#pragma once

#include "point32.hpp"
#include "scalar32.hpp"
#include "sha512_thread.hpp"

namespace thresher::crypto::device {

inline constexpr u32 kFresh = 0xffffffffu;   ///< Record::key_index of a key without a table
inline constexpr u32 kHashed = 0xffffffffu;  ///< Record::size: the "message" is k itself, 32 bytes
inline constexpr int kKeyDigits = 64;
inline constexpr int kKeyMultiples = 9;
inline constexpr int kBaseDigits = 32;
inline constexpr int kBaseMultiples = 129;

/// One signature as it is sent to the device: 112 bytes.
struct alignas(16) Record {
  u32 r[8];
  u32 s[8];
  u32 key[8];
  u32 key_index;
  u32 offset;  ///< of the message, in bytes, a multiple of 8
  u32 size;    ///< of the message, in bytes
  u32 unused;
};

/// Multiples 0..8 of -16^i A. 54 KiB.
struct KeyTable {
  Niels entry[kKeyDigits][kKeyMultiples];
};
/// Multiples 0..128 of 256^i B. 387 KiB; a fresh key needs the first row only.
struct BaseTable {
  Niels entry[kBaseDigits][kBaseMultiples];
};

/// What one signature keeps between the stages; each multiple is one line of the cache.
struct alignas(128) Scratch {
  Cached multiple[kKeyMultiples];
  u32 k[8];  ///< kHalves16 added
  u32 s[8];  ///< kHalves256 added
  Fe r_x, r_y, r_t;
  Fe key_x, key_y, key_t;
  u32 s_in_range, r_decodes, key_decodes, unused;
  u32 z[8];  ///< kHalves16 added; combinations only
};

/// Everything a launch reads and writes.
struct Batch {
  const Record* records;
  const u8* messages;
  u32 count;
  const BaseTable* base;
  const KeyTable* keys;
  Scratch* scratch;
};

/// kUnsettled: its combination failed, so it must be verified alone.
enum class StageResult : u32 { kBad = 0, kValid = 1, kBadKey = 2, kUnsettled = 3 };

THRESHER_HD void hash_stage(const Batch& batch, u32 i) {
  const Record& record = batch.records[i];
  Scratch& out = batch.scratch[i];
  Scalar s, k;
  THRESHER_UNROLLED for (int j = 0; j < 8; ++j) s.w[j] = record.s[j];
  out.s_in_range = below_order(s) ? 1 : 0;
  if (record.size == kHashed) {
    const u32* given = reinterpret_cast<const u32*>(batch.messages + record.offset);
    THRESHER_UNROLLED for (int j = 0; j < 8; ++j) k.w[j] = given[j];
  } else {
    u32 hash[16];
    sha512_of({record.r, record.key, reinterpret_cast<const u64*>(batch.messages + record.offset),
               record.size},
              hash);
    k = reduced(hash);
  }
  k = biased(k, kHalves16);
  s = biased(s, kHalves256);
  THRESHER_UNROLLED for (int j = 0; j < 8; ++j) out.k[j] = k.w[j];
  THRESHER_UNROLLED for (int j = 0; j < 8; ++j) out.s[j] = s.w[j];
}

/// Threads count..2 count - 1 take the keys; with registered keys they are not started.
THRESHER_HD void decode_stage(const Batch& batch, u32 thread) {
  const bool of_key = thread >= batch.count;
  const u32 i = of_key ? thread - batch.count : thread;
  const Record& record = batch.records[i];
  Fe bytes;
  const u32* from = of_key ? record.key : record.r;
  THRESHER_UNROLLED for (int j = 0; j < 8; ++j) bytes.w[j] = from[j];
  Extended p;
  const u32 fine = decode(bytes, p) ? 1 : 0;
  Scratch& out = batch.scratch[i];
  (of_key ? out.key_x : out.r_x) = p.x;
  (of_key ? out.key_y : out.r_y) = p.y;
  (of_key ? out.key_t : out.r_t) = p.t;
  (of_key ? out.key_decodes : out.r_decodes) = fine;
}

THRESHER_HD void table_stage(const Batch& batch, u32 i) {
  Scratch& mine = batch.scratch[i];
  const Extended p = negated({load(mine.key_x), load(mine.key_y), fe_small(1), load(mine.key_t)});
  mine.multiple[0] = to_cached(identity());
  mine.multiple[1] = to_cached(p);
  Extended current = p;
  THRESHER_ROLLED for (int m = 2; m < kKeyMultiples; ++m) {
    current = to_extended(add_entry(current, mine.multiple[1], false));
    mine.multiple[m] = to_cached(current);
  }
}

/// The last step of both sums. Pre: R and, for fresh keys, A went through decode_stage().
THRESHER_HD StageResult conclude(const Extended& sum, const Scratch& mine, bool key_decodes) {
  const Niels r = to_niels(load(mine.r_x), load(mine.r_y), load(mine.r_t));
  const Extended rest = to_extended(add_entry(sum, r, true));
  const bool zero = times_eight_is_identity(rest);
  if (mine.s_in_range == 0 || mine.r_decodes == 0) return StageResult::kBad;
  if (!key_decodes) return StageResult::kBadKey;
  return zero ? StageResult::kValid : StageResult::kBad;
}

template <class Entry>
THRESHER_HD Extended plus_digit(const Extended& p, const Entry* row, int digit) {
  return to_extended(add_entry(p, row[digit < 0 ? -digit : digit], digit < 0));
}

THRESHER_HD StageResult sum_stage(const Batch& batch, u32 i) {
  const Scratch& mine = batch.scratch[i];
  Extended acc = identity();
  THRESHER_ROLLED for (int at = kKeyDigits - 1; at >= 0; --at) {
    if (at != kKeyDigits - 1) acc = doubled(acc, 4);
    acc = plus_digit(acc, mine.multiple, digit16(mine.k, at));
    if (at % 2 == 0) acc = plus_digit(acc, batch.base->entry[0], digit256(mine.s, at / 2));
  }
  return conclude(acc, mine, mine.key_decodes != 0);
}

THRESHER_HD StageResult known_stage(const Batch& batch, u32 i) {
  const Scratch& mine = batch.scratch[i];
  const KeyTable& key = batch.keys[batch.records[i].key_index];
  Extended acc = identity();
  THRESHER_ROLLED for (int at = 0; at < kKeyDigits + kBaseDigits; ++at) {
    const bool of_key = at < kKeyDigits;
    const int place = of_key ? at : at - kKeyDigits;
    const int digit = of_key ? digit16(mine.k, place) : digit256(mine.s, place);
    acc = plus_digit(acc, of_key ? key.entry[place] : batch.base->entry[place], digit);
  }
  return conclude(acc, mine, true);
}

}  // namespace thresher::crypto::device
