// What a lane engine gets and gives: plain data, so that files compiled for newer instruction sets
// share no inline function with the rest. Private to crypto/.
//
// A lane engine verifies one signature in each 64-bit lane of a vector: eight with AVX-512 IFMA,
// four with AVX2. Every lane runs the same instructions, so there is no branch on data.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thresher::crypto::lanes {

inline constexpr int kMaxLanes = 8;
inline constexpr int kKeyDigits = 64;   ///< of k, signed, base 16
inline constexpr int kBaseDigits = 32;  ///< of s, signed, base 256
inline constexpr int kBaseEntries = 128;

/// How an engine keeps a number in memory: five limbs of radix 2^51.
enum class Form : std::uint8_t {
  kUnsigned,  ///< below 2^51 + 2^14
  kSigned,    ///< double-precision numbers of at most 2^50 + 2^13, negative ones too
};

/// y+x, y-x and 2dxy of an affine point, in the form of its engine; two cache lines.
struct alignas(64) Niels {
  std::uint64_t limb[16];
};

/// 1B, 2B, ..., 128B; entry 0 is the identity.
struct BaseTable {
  Niels entry[kBaseEntries + 1];
};

/// Digits of k are taken in so many turns, with four doublings between: a table then holds every
/// kTurns-th power of 16 only, and those of a committee of 100 stay in the second-level cache.
inline constexpr int kTurns = 4;

/// Multiples 0..8 of 16^(4 i) A for i = 0..15, negated. 18 KiB.
struct KeyTable {
  Niels entry[kKeyDigits / kTurns][9];
};

/// Multiples 0..128 of 16^(4 i) B for i = 0..15. 258 KiB.
struct CombTable {
  Niels entry[kKeyDigits / kTurns][kBaseEntries + 1];
};

/// One signature, s < L checked, scalars recoded.
struct Job {
  unsigned char r[32];
  unsigned char key[32];
  std::int8_t k[kKeyDigits];    ///< -8..8, least significant first
  std::int16_t s[kBaseDigits];  ///< -128..128
};

enum class Answer : std::uint8_t { kBad, kValid, kBadKey };

/// One term of a sum of multiples. Digits are base 256, -128..127, least significant first: 32 of a
/// whole scalar, 16 of a half.
struct Term {
  const Niels* point;
  const std::int8_t* digits;
};
inline constexpr int kWholeDigits = 32;
inline constexpr int kHalfDigits = 16;
struct Terms {
  const Term* wholes;
  int whole_count;
  const Term* halves;
  int half_count;
};
/// X, Y, Z and T, five limbs of 51 bits each.
struct PointLimbs {
  std::uint64_t limb[20];
};

/// R || A || M, to be hashed.
struct HashJob {
  const unsigned char* r;
  const unsigned char* key;
  const unsigned char* message;
  std::size_t size;  ///< of the message
};
/// SHA-512 of up to eight. Pre: avx512_engine() is there; 1 <= count <= 8.
void sha512_lanes(const HashJob* jobs, int count, unsigned char (*out)[64]);

/// What an instruction set offers. All functions take any count up to their limit; idle lanes
/// repeat the first job.
struct Engine {
  int lanes;
  /// From so many keys without a table on, all lanes at once are faster than the portable code one
  /// by one: the time of verify() does not depend on the count. Measured
  /// (docs/performance/verify.md).
  int worth_it;
  /// The same for keys with a table, against the scalar code over it.
  int known_worth_it;
  Form form;
  /// Pre: 1 <= count <= lanes.
  void (*verify)(const Job* jobs, int count, const BaseTable& base, Answer* answers);
  /// The same for keys with a table. Pre: 1 <= count <= lanes.
  void (*verify_known)(const Job* jobs, const KeyTable* const* keys, int count,
                       const CombTable& base, Answer* answers);
  /// Minus each point; a bit for each that decodes. Pre: 1 <= count <= lanes.
  std::uint32_t (*decode)(const unsigned char* const* encodings, int count, Niels* negated);
  /// The sum of all terms is the sum of `lanes` points: all terms of a lane share the doublings.
  void (*straus)(const Terms& terms, PointLimbs* sums);
  /// The sum of all terms is that of 256^i sums[i] for i = 0..31: buckets of one digit each.
  void (*buckets)(const Terms& terms, PointLimbs* sums);
};

/// Null when this processor lacks the instructions.
const Engine* avx512_engine();
const Engine* avx2_engine();

}  // namespace thresher::crypto::lanes
