// Sums of products of scalars, reduced modulo L once at the end. Private to crypto/.
//
//   WideSum sum;  sum.add(coefficient, s);  Scalar total = sum.reduced();
//
// A coefficient is a signed number c = u - kCentre for 128 random bits u, so that its signed bytes
// -128..127 are the bytes of u less 128: no carry, no seventeenth digit.
//
// Guarantees: exact for up to 2^12 additions of scalars below 2^253.
#pragma once

#include <sodium.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "individual.hpp"

namespace thresher::crypto::lanes {

struct Coefficient {
  std::uint64_t u[2];

  void digits(std::int8_t* out) const {
    unsigned char bytes[16];
    std::memcpy(bytes, u, 16);
    for (int i = 0; i < 16; ++i) out[i] = static_cast<std::int8_t>(bytes[i] - 128);
  }
};

class WideSum {
 public:
  void add(const Coefficient& c, const Scalar& x) {
    std::uint64_t limb[4];
    std::memcpy(limb, x.data(), 32);
    multiply_add(products_, c.u, limb, 4);
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      const Wide t = Wide{plain_[i]} + (i < 4 ? limb[i] : 0) + carry;
      plain_[i] = static_cast<std::uint64_t>(t);
      carry = static_cast<std::uint64_t>(t >> 64);
    }
  }
  void add(const WideSum& other) {
    accumulate(products_, other.products_);
    accumulate(plain_, other.plain_);
  }
  /// Modulo L.
  Scalar reduced() const {
    // products + 2^144 L - kCentre * plain, which is not negative.
    std::array<std::uint64_t, 8> total{
        0, 0, kL0 << 16, kL0 >> 48 | kL1 << 16, kL1 >> 48, 0, std::uint64_t{1} << 12, 0};
    accumulate(total, products_);
    std::array<std::uint64_t, 8> off{};
    const std::uint64_t centre[2] = {kCentre, kCentre};
    multiply_add(off, centre, plain_.data(), 5);
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      const Wide t = Wide{total[i]} - off[i] - borrow;
      total[i] = static_cast<std::uint64_t>(t);
      borrow = static_cast<std::uint64_t>(t >> 64) & 1;
    }
    Scalar out;
    unsigned char bytes[64];
    std::memcpy(bytes, total.data(), 64);
    crypto_core_ed25519_scalar_reduce(reinterpret_cast<unsigned char*>(out.data()), bytes);
    return out;
  }

 private:
  __extension__ using Wide = unsigned __int128;
  /// Half of 128 bits: 128 in every byte.
  static constexpr std::uint64_t kCentre = 0x8080808080808080;
  /// The lower half of L; the upper one is 2^252.
  static constexpr std::uint64_t kL0 = 0x5812631a5cf5d3ed;
  static constexpr std::uint64_t kL1 = 0x14def9dea2f79cd6;

  template <std::size_t N>
  static void multiply_add(std::array<std::uint64_t, N>& to, const std::uint64_t* two,
                           const std::uint64_t* x, std::size_t limbs) {
    for (std::size_t i = 0; i < 2; ++i) {
      std::uint64_t carry = 0;
      for (std::size_t j = 0; i + j < N; ++j) {
        const Wide t = Wide{two[i]} * (j < limbs ? x[j] : 0) + to[i + j] + carry;
        to[i + j] = static_cast<std::uint64_t>(t);
        carry = static_cast<std::uint64_t>(t >> 64);
      }
    }
  }
  template <std::size_t N, std::size_t M>
  static void accumulate(std::array<std::uint64_t, N>& to, const std::array<std::uint64_t, M>& x) {
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < N; ++i) {
      const Wide t = Wide{to[i]} + (i < M ? x[i] : 0) + carry;
      to[i] = static_cast<std::uint64_t>(t);
      carry = static_cast<std::uint64_t>(t >> 64);
    }
  }

  std::array<std::uint64_t, 7> products_{};  // of u and x
  std::array<std::uint64_t, 5> plain_{};     // of x alone
};

}  // namespace thresher::crypto::lanes
