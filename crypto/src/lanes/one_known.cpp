#include "one_known.hpp"

#include <cstring>
#include <span>

#include "../edwards.hpp"

namespace thresher::crypto::lanes {
namespace {

using ed25519::Completed;
using ed25519::Extended;
using ed25519::Fe;

Fe number(const std::uint64_t* limbs) {
  Fe out;
  std::memcpy(out.limb.data(), limbs, sizeof out.limb);
  return out;
}

/// p plus the multiple of a row that a digit names. An affine point has Z = 1, which saves a
/// multiplication. Minus a point has y+x and y-x changed places, and -2dxy.
Completed add_digit(const Extended& p, const Niels* row, int digit) {
  const Niels& q = row[digit < 0 ? -digit : digit];
  const std::uint64_t* plus = digit < 0 ? q.limb + 5 : q.limb;
  const std::uint64_t* minus = digit < 0 ? q.limb : q.limb + 5;
  const Fe a = fe_mul(fe_sub(p.y, p.x), number(minus));
  const Fe b = fe_mul(fe_add(p.y, p.x), number(plus));
  const Fe c = fe_mul(p.t, number(q.limb + 10));
  const Fe d = fe_add(p.z, p.z);
  if (digit < 0) return {fe_sub(b, a), fe_add(d, c), fe_sub(d, c), fe_add(b, a)};
  return {fe_sub(b, a), fe_sub(d, c), fe_add(d, c), fe_add(b, a)};
}

Extended times_16(const Extended& p) {
  ed25519::Projective q{p.x, p.y, p.z};
  for (int i = 0; i < 3; ++i) q = to_projective(dbl(q.x, q.y, q.z));
  return to_extended(dbl(q.x, q.y, q.z));
}

// s B - k A: rows hold every kTurns-th power of 16, so kTurns turns with four doublings between do.
Extended sum_of(const Job& job, const KeyTable& key, const CombTable& base) {
  Extended acc{ed25519::kZero, ed25519::kOne, ed25519::kOne, ed25519::kZero};
  for (int turn = kTurns - 1; turn >= 0; --turn) {
    if (turn != kTurns - 1) acc = times_16(acc);
    for (int i = 0; i < kKeyDigits / kTurns; ++i) {
      const int at = kTurns * i + turn;
      if (const int k = job.k[at]; k != 0) acc = to_extended(add_digit(acc, key.entry[i], k));
      if (turn % 2 != 0) continue;
      if (const int s = job.s[at / 2]; s != 0) {
        acc = to_extended(add_digit(acc, base.entry[i], s));
      }
    }
  }
  return acc;
}

}  // namespace

Answer verify_one_known(const Job& job, const KeyTable& key, const CombTable& base) {
  const auto r = ed25519::decode(std::as_bytes(std::span(job.r)));
  if (!r) return Answer::kBad;
  const Extended sum = sum_of(job, key, base);
  const Extended rest = to_extended(sub(sum, ed25519::to_cached(*r)));
  return ed25519::times_eight_is_identity(rest) ? Answer::kValid : Answer::kBad;
}

}  // namespace thresher::crypto::lanes
