#include "zip215.hpp"

#include <cstring>

#include "edwards.hpp"
#include "half_size.hpp"
#include "scalar.hpp"
#include "straus.hpp"

namespace thresher::crypto::ed25519 {
namespace {

constexpr int kBaseWidth = 8;
constexpr int kKeyWidth = 5;
/// Both halves of s: B and 2^128 B take a half each.
constexpr std::size_t kHalf = 128;

struct BaseTables {
  Multiples<kBaseWidth> low, high;  // of B, and of 2^128 B
};

const BaseTables& base_tables() {
  static const auto kTables = [] {
    Extended p = base_point();
    const Multiples<kBaseWidth> low(p);
    for (std::size_t i = 0; i < kHalf; ++i) p = to_extended(dbl(p.x, p.y, p.z));
    return BaseTables{low, Multiples<kBaseWidth>(p)};
  }();
  return kTables;
}

/// What is summed: one half of s times B, the other times 2^128 B, c times R and a times A.
struct Sum {
  Digits low, high, c, a;
};

Extended sum_of(const Sum& digits, const Multiples<kKeyWidth>& r, const Multiples<kKeyWidth>& a) {
  const BaseTables& base = base_tables();
  // Signed digits of 128 bits may end one above them.
  Projective acc{kZero, kOne, kOne};
  Completed step{kZero, kOne, kOne, kOne};
  for (std::size_t i = kHalf + 1; i-- > 0;) {
    step = dbl(acc.x, acc.y, acc.z);
    if (digits.a[i] != 0) step = add_digit(to_extended(step), a.entries, -digits.a[i]);
    if (digits.c[i] != 0) step = add_digit(to_extended(step), r.entries, -digits.c[i]);
    if (digits.low[i] != 0) step = add_digit(to_extended(step), base.low.entries, digits.low[i]);
    if (digits.high[i] != 0) step = add_digit(to_extended(step), base.high.entries, digits.high[i]);
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

SignatureStatus verify_zip215(const SignatureJob& job) noexcept {
  const std::span<const std::byte, 64> signature(job.signature);
  const auto s_bytes = signature.last<32>();
  if (!below_order(s_bytes)) return SignatureStatus::kBadSignature;
  const auto r = decode(signature.first<32>());
  if (!r) return SignatureStatus::kBadSignature;
  const auto a = decode(std::span<const std::byte, 32>(job.key));
  if (!a) return SignatureStatus::kBadKey;
  std::array<std::byte, 32> s;
  std::memcpy(s.data(), s_bytes.data(), s.size());
  const Extended sum = sum_of(recoded(half_sized(challenge(job), s)), Multiples<kKeyWidth>(*r),
                              Multiples<kKeyWidth>(*a));
  return times_eight_is_identity(sum) ? SignatureStatus::kValid : SignatureStatus::kBadSignature;
}

}  // namespace thresher::crypto::ed25519
