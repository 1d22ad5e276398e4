#include "one_known.hpp"

#include <bit>
#include <cstring>
#include <span>

#include "../edwards.hpp"
#include "tables.hpp"

namespace thresher::crypto::lanes {
namespace {

using ed25519::Completed;
using ed25519::Extended;
using ed25519::Fe;

/// A factor of fe_mul. A signed number gets 4 p, so that no limb is negative: below 2^54.
template <Form kForm>
[[gnu::always_inline]] inline Fe number(const std::uint64_t* limbs) {
  Fe out;
  if constexpr (kForm == Form::kSigned) {
    constexpr std::uint64_t kLow = 4 * (ed25519::kLimbMask - 18);
    constexpr std::uint64_t kHigh = 4 * ed25519::kLimbMask;
    for (std::size_t i = 0; i < 5; ++i) {
      const auto limb = static_cast<std::int64_t>(std::bit_cast<double>(limbs[i]));
      out.limb[i] = (i == 0 ? kLow : kHigh) + static_cast<std::uint64_t>(limb);
    }
  } else {
    std::memcpy(out.limb.data(), limbs, sizeof out.limb);
  }
  return out;
}

/// p plus the multiple of a row that a digit names. An affine point has Z = 1, which saves a
/// multiplication. Minus a point has y+x and y-x changed places, and -2dxy.
template <Form kForm>
[[gnu::always_inline]] inline Completed add_digit(const Extended& p, const Niels* row, int digit) {
  const Niels& q = row[digit < 0 ? -digit : digit];
  const std::uint64_t* plus = digit < 0 ? q.limb + 5 : q.limb;
  const std::uint64_t* minus = digit < 0 ? q.limb : q.limb + 5;
  const Fe a = fe_mul(fe_sub(p.y, p.x), number<kForm>(minus));
  const Fe b = fe_mul(fe_add(p.y, p.x), number<kForm>(plus));
  const Fe c = fe_mul(p.t, number<kForm>(q.limb + 10));
  const Fe d = fe_add(p.z, p.z);
  if (digit < 0) return {fe_sub(b, a), fe_add(d, c), fe_sub(d, c), fe_add(b, a)};
  return {fe_sub(b, a), fe_sub(d, c), fe_add(d, c), fe_add(b, a)};
}

Extended times_16(const Extended& p) {
  ed25519::Projective q{p.x, p.y, p.z};
  for (int i = 0; i < 3; ++i) q = to_projective(dbl(q.x, q.y, q.z));
  return to_extended(dbl(q.x, q.y, q.z));
}

// Between two signatures a node does so much else that the tables have left its caches, and which
// entries are needed is known: they come while R is decoded.
void fetch(const Job& job, const KeyTable& key, const CombTable& base) {
  const auto both_lines = [](const Niels* row, int digit) {
    const Niels& entry = row[digit < 0 ? -digit : digit];
    __builtin_prefetch(entry.limb);
    __builtin_prefetch(entry.limb + 8);
  };
  for (int at = 0; at < kKeyDigits; ++at) {
    both_lines(key.entry[at / kTurns], job.k[at]);
    if (at % 2 == 0) both_lines(base.entry[at / kTurns], job.s[at / 2]);
  }
}

// s B - k A: rows hold every kTurns-th power of 16, so kTurns turns with four doublings between do.
template <Form kForm>
Extended sum_of(const Job& job, const KeyTable& key, const CombTable& base) {
  Extended acc{ed25519::kZero, ed25519::kOne, ed25519::kOne, ed25519::kZero};
  for (int turn = kTurns - 1; turn >= 0; --turn) {
    if (turn != kTurns - 1) acc = times_16(acc);
    for (int i = 0; i < kKeyDigits / kTurns; ++i) {
      const int at = kTurns * i + turn;
      if (const int k = job.k[at]; k != 0)
        acc = to_extended(add_digit<kForm>(acc, key.entry[i], k));
      if (turn % 2 != 0) continue;
      if (const int s = job.s[at / 2]; s != 0) {
        acc = to_extended(add_digit<kForm>(acc, base.entry[i], s));
      }
    }
  }
  return acc;
}

}  // namespace

Answer verify_one_known(const Job& job, const KeyTable& key, Form form) {
  const CombTable& base = comb_table(form);
  fetch(job, key, base);
  const auto r = ed25519::decode(std::as_bytes(std::span(job.r)));
  if (!r) return Answer::kBad;
  const Extended sum = form == Form::kSigned ? sum_of<Form::kSigned>(job, key, base)
                                             : sum_of<Form::kUnsigned>(job, key, base);
  const Extended rest = to_extended(sub(sum, ed25519::to_cached(*r)));
  return ed25519::times_eight_is_identity(rest) ? Answer::kValid : Answer::kBad;
}

}  // namespace thresher::crypto::lanes
