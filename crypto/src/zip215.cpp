#include "zip215.hpp"

#include <cstring>

#include "edwards.hpp"
#include "half_size.hpp"
#include "scalar.hpp"

namespace thresher::crypto::ed25519 {
namespace {

constexpr int kBaseWidth = 8;
constexpr int kKeyWidth = 5;
constexpr std::size_t kBaseEntries = std::size_t{1} << (kBaseWidth - 2);
constexpr std::size_t kKeyEntries = std::size_t{1} << (kKeyWidth - 2);
constexpr std::size_t kDigits = 256;
/// Both halves of s: B and 2^128 B take a half each.
constexpr std::size_t kHalf = 128;
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

struct BaseTables {
  std::array<Cached, kBaseEntries> low, high;  // of B, and of 2^128 B
};

const BaseTables& base_tables() {
  static const auto kTables = [] {
    Extended p = base_point();
    BaseTables out{odd_multiples<kBaseEntries>(p), {}};
    for (std::size_t i = 0; i < kHalf; ++i) p = to_extended(dbl(p.x, p.y, p.z));
    out.high = odd_multiples<kBaseEntries>(p);
    return out;
  }();
  return kTables;
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

/// What is summed: one half of s times B, the other times 2^128 B, c times R and a times A.
struct Sum {
  Digits low, high, c, a;
};

Extended sum_of(const Sum& digits, const std::array<Cached, kKeyEntries>& r,
                const std::array<Cached, kKeyEntries>& a) {
  const BaseTables& base = base_tables();
  // Signed digits of 128 bits may end one above them.
  Projective acc{kZero, kOne, kOne};
  Completed step{kZero, kOne, kOne, kOne};
  for (std::size_t i = kHalf + 1; i-- > 0;) {
    step = dbl(acc.x, acc.y, acc.z);
    if (digits.a[i] != 0) step = add_digit(to_extended(step), a, -digits.a[i]);
    if (digits.c[i] != 0) step = add_digit(to_extended(step), r, -digits.c[i]);
    if (digits.low[i] != 0) step = add_digit(to_extended(step), base.low, digits.low[i]);
    if (digits.high[i] != 0) step = add_digit(to_extended(step), base.high, digits.high[i]);
    acc = to_projective(step);
  }
  return to_extended(step);
}

Sum recoded(const HalfSized& h) {
  Scalar low{}, high{};
  std::memcpy(low.data(), h.s.data(), 16);
  std::memcpy(high.data(), h.s.data() + 16, 16);
  Sum out{wnaf(low, kBaseWidth), wnaf(high, kBaseWidth), wnaf(h.c, kKeyWidth),
          wnaf(h.a, kKeyWidth)};
  if (h.negative) {
    for (std::int8_t& digit : out.c) digit = static_cast<std::int8_t>(-digit);
  }
  return out;
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
  const Extended sum = sum_of(recoded(half_sized(challenge(job), s)),
                              odd_multiples<kKeyEntries>(*r), odd_multiples<kKeyEntries>(*a));
  return times_eight_is_identity(sum) ? Verdict::kValid : Verdict::kBadSignature;
}

}  // namespace thresher::crypto::ed25519
