#include "zip215.hpp"

#include <cstring>

#include "edwards.hpp"
#include "scalar.hpp"

namespace thresher::crypto::ed25519 {
namespace {

constexpr int kBaseWidth = 8;
constexpr int kKeyWidth = 5;
constexpr std::size_t kBaseEntries = std::size_t{1} << (kBaseWidth - 2);
constexpr std::size_t kKeyEntries = std::size_t{1} << (kKeyWidth - 2);
constexpr std::size_t kDigits = 256;
using Digits = std::array<std::int8_t, kDigits>;

/// 1P, 3P, 5P, ...
template <std::size_t kEntries>
std::array<Cached, kEntries> odd_multiples(const Extended& p) {
  std::array<Cached, kEntries> table;
  table[0] = to_cached(p);
  const Cached twice = to_cached(to_extended(dbl(p.x, p.y, p.z)));
  Extended current = p;
  for (std::size_t i = 1; i < kEntries; ++i) {
    current = to_extended(add(current, twice));
    table[i] = to_cached(current);
  }
  return table;
}

const std::array<Cached, kBaseEntries>& base_table() {
  static const auto kTable = [] { return odd_multiples<kBaseEntries>(base_point()); }();
  return kTable;
}

/// Signed odd digits of `width` bits, least significant first. Pre: scalar < 2^254.
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

template <std::size_t kEntries>
Completed add_digit(const Extended& p, const std::array<Cached, kEntries>& table, int digit) {
  return digit > 0 ? add(p, table[static_cast<std::size_t>(digit) / 2])
                   : sub(p, table[static_cast<std::size_t>(-digit) / 2]);
}

/// sB - kA.
Extended double_scalar(const Digits& s, const Digits& k, const std::array<Cached, kKeyEntries>& a) {
  const auto& base = base_table();
  std::size_t top = kDigits;
  while (top > 0 && s[top - 1] == 0 && k[top - 1] == 0) --top;
  Projective acc{kZero, kOne, kOne};
  Completed step{kZero, kOne, kOne, kOne};
  for (std::size_t i = top; i-- > 0;) {
    step = dbl(acc.x, acc.y, acc.z);
    if (k[i] != 0) step = add_digit(to_extended(step), a, -k[i]);
    if (s[i] != 0) step = add_digit(to_extended(step), base, s[i]);
    acc = to_projective(step);
  }
  return to_extended(step);
}

}  // namespace

Verdict verify_zip215(const SignatureJob& job) noexcept {
  const std::span<const std::byte, 64> signature(job.signature);
  const auto s_bytes = signature.last<32>();
  if (!below_order(s_bytes)) return Verdict::kBadSignature;
  const auto r = decode(signature.first<32>());
  if (!r) return Verdict::kBadSignature;
  const auto a = decode(std::span<const std::byte, 32>(job.key));
  if (!a) return Verdict::kBadKey;
  std::array<std::byte, 32> s;
  std::memcpy(s.data(), s_bytes.data(), s.size());
  const Extended sum = double_scalar(wnaf(s, kBaseWidth), wnaf(challenge(job), kKeyWidth),
                                     odd_multiples<kKeyEntries>(*a));
  return times_eight_is_identity(to_extended(sub(sum, to_cached(*r)))) ? Verdict::kValid
                                                                       : Verdict::kBadSignature;
}

}  // namespace thresher::crypto::ed25519
