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

/// y+x, y-x and 2dxy of an affine point, five limbs of 51 bits each; two cache lines.
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

/// One term of a random linear combination: the scalar times minus the point.
struct Term {
  unsigned char point[32];
  std::int8_t digits[kKeyDigits];  ///< signed, base 16
};
/// Digits of a 128-bit scalar: those above are zero.
inline constexpr int kHalfDigits = kKeyDigits / 2 + 1;
/// Terms of one kind that fit one combination, times the lanes.
inline constexpr int kTermsPerLane = 16;

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
  /// Pre: 1 <= count <= lanes.
  void (*verify)(const Job* jobs, int count, const BaseTable& base, Answer* answers);
  /// The same for keys with a table. Pre: 1 <= count <= lanes.
  void (*verify_known)(const Job* jobs, const KeyTable* const* keys, int count,
                       const CombTable& base, Answer* answers);
  /// True when 8 (s B + all terms) is the identity; false also when some point does not decode.
  /// `halves` have 128-bit scalars. Pre: each count is 0..kTermsPerLane * lanes.
  bool (*combine)(const Term* halves, int half_count, const Term* wholes, int whole_count,
                  const std::int16_t* s, const BaseTable& base);
};

/// Null when this processor lacks the instructions.
const Engine* avx512_engine();
const Engine* avx2_engine();

}  // namespace thresher::crypto::lanes
