#include "straus.hpp"

#include <algorithm>

namespace thresher::crypto::ed25519 {

Digits wnaf(const std::array<std::byte, 32>& scalar, int width) {
  std::array<std::uint64_t, 5> word{};
  for (std::size_t i = 0; i < 32; ++i) {
    word[i / 8] |= std::uint64_t{std::to_integer<std::uint8_t>(scalar[i])} << (8 * (i % 8));
  }
  Digits digits{};
  const std::uint64_t modulus = std::uint64_t{1} << width;
  std::uint64_t carry = 0;
  for (std::size_t pos = 0; pos < kDigits;) {
    const std::size_t at = pos / 64, bit = pos % 64;
    std::uint64_t bits = word[at] >> bit;
    if (bit != 0) bits |= word[at + 1] << (64 - bit);
    const std::uint64_t window = carry + (bits & (modulus - 1));
    if ((window & 1) == 0) {
      ++pos;
      continue;
    }
    carry = window < modulus / 2 ? 0 : 1;
    digits[pos] =
        static_cast<std::int8_t>(static_cast<int>(window) - static_cast<int>(carry * modulus));
    pos += static_cast<std::size_t>(width);
  }
  return digits;
}

void odd_multiples(const Extended& p, std::span<Cached> entries) {
  entries[0] = to_cached(p);
  const Cached twice = to_cached(to_extended(dbl(p.x, p.y, p.z)));
  Extended current = p;
  for (std::size_t i = 1; i < entries.size(); ++i) {
    current = to_extended(add(current, twice));
    entries[i] = to_cached(current);
  }
}

Extended straus_sum(std::span<const Term> terms) {
  std::size_t top = 0;
  for (const Term& term : terms) {
    for (std::size_t i = kDigits; i > top; --i) {
      if (term.digits[i - 1] != 0) top = i;
    }
  }
  Projective acc{kZero, kOne, kOne};
  Completed step{kZero, kOne, kOne, kOne};
  for (std::size_t i = top; i-- > 0;) {
    step = dbl(acc.x, acc.y, acc.z);
    for (const Term& term : terms) {
      if (term.digits[i] != 0) step = add_digit(to_extended(step), term.multiples, term.digits[i]);
    }
    acc = to_projective(step);
  }
  return to_extended(step);
}

}  // namespace thresher::crypto::ed25519
