#include "field51.hpp"

#include <algorithm>

namespace thresher::crypto::ed25519 {
namespace {

std::uint64_t load_word(std::span<const std::byte, 32> bytes, std::size_t word) {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    out |= std::uint64_t{std::to_integer<std::uint8_t>(bytes[8 * word + i])} << (8 * i);
  }
  return out;
}

/// x^(2^250 - 1); `x11` receives x^11.
Fe pow_250_ones(const Fe& x, Fe& x11) {
  const Fe x2 = fe_sqr(x);
  const Fe x9 = fe_mul(x, fe_sqr_times(x2, 2));
  x11 = fe_mul(x9, x2);
  const Fe ones5 = fe_mul(fe_sqr(x11), x9);
  const Fe ones10 = fe_mul(fe_sqr_times(ones5, 5), ones5);
  const Fe ones20 = fe_mul(fe_sqr_times(ones10, 10), ones10);
  const Fe ones40 = fe_mul(fe_sqr_times(ones20, 20), ones20);
  const Fe ones50 = fe_mul(fe_sqr_times(ones40, 10), ones10);
  const Fe ones100 = fe_mul(fe_sqr_times(ones50, 50), ones50);
  const Fe ones200 = fe_mul(fe_sqr_times(ones100, 100), ones100);
  return fe_mul(fe_sqr_times(ones200, 50), ones50);
}

}  // namespace

Fe fe_from_bytes(std::span<const std::byte, 32> bytes) {
  const std::uint64_t w0 = load_word(bytes, 0), w1 = load_word(bytes, 1);
  const std::uint64_t w2 = load_word(bytes, 2), w3 = load_word(bytes, 3);
  return {{w0 & kLimbMask, ((w0 >> 51) | (w1 << 13)) & kLimbMask,
           ((w1 >> 38) | (w2 << 26)) & kLimbMask, ((w2 >> 25) | (w3 << 39)) & kLimbMask,
           (w3 >> 12) & kLimbMask}};
}

std::array<std::byte, 32> fe_to_bytes(const Fe& x) {
  std::array<std::uint64_t, 5> t = x.limb;
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < 4; ++i) {
      t[i + 1] += t[i] >> 51;
      t[i] &= kLimbMask;
    }
    t[0] += 19 * (t[4] >> 51);
    t[4] &= kLimbMask;
  }
  // t < 2^255 + small; adding 19 carries out of bit 255 exactly when t >= p.
  std::uint64_t carry = (t[0] + 19) >> 51;
  for (std::size_t i = 1; i < 5; ++i) carry = (t[i] + carry) >> 51;
  t[0] += 19 * carry;
  for (std::size_t i = 0; i < 4; ++i) {
    t[i + 1] += t[i] >> 51;
    t[i] &= kLimbMask;
  }
  t[4] &= kLimbMask;
  const std::array<std::uint64_t, 4> words{t[0] | t[1] << 51, t[1] >> 13 | t[2] << 38,
                                           t[2] >> 26 | t[3] << 25, t[3] >> 39 | t[4] << 12};
  std::array<std::byte, 32> out{};
  for (std::size_t i = 0; i < 32; ++i)
    out[i] = static_cast<std::byte>(words[i / 8] >> (8 * (i % 8)));
  return out;
}

bool fe_is_zero(const Fe& x) {
  const auto bytes = fe_to_bytes(x);
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

Fe fe_pow_p58(const Fe& x) {
  Fe x11;
  return fe_mul(fe_sqr_times(pow_250_ones(x, x11), 2), x);
}

Fe fe_invert(const Fe& x) {
  Fe x11;
  const Fe ones250 = pow_250_ones(x, x11);
  return fe_mul(fe_sqr_times(ones250, 5), x11);
}

}  // namespace thresher::crypto::ed25519
