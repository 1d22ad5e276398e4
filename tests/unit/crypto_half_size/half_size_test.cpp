// Halving a challenge is exact for every challenge, those too that no hash will ever give: an
// early version did not end on 2^127.
#include "half_size.hpp"

#include <gtest/gtest.h>
#include <sodium.h>

#include <vector>

#include "thresher/core/prng.hpp"

namespace thresher::crypto::ed25519 {
namespace {

unsigned char* raw(Scalar& s) {
  return reinterpret_cast<unsigned char*>(s.data());
}
Scalar times(Scalar a, Scalar b) {
  Scalar out;
  crypto_core_ed25519_scalar_mul(raw(out), raw(a), raw(b));
  return out;
}
Scalar minus(Scalar a) {
  Scalar out;
  crypto_core_ed25519_scalar_negate(raw(out), raw(a));
  return out;
}
std::size_t bits(const Scalar& s) {
  for (std::size_t i = 256; i-- > 0;) {
    if ((s[i / 8] >> static_cast<int>(i % 8) & std::byte{1}) != std::byte{0}) return i + 1;
  }
  return 0;
}

void check(const Scalar& k, const Scalar& s) {
  const HalfSized h = half_sized(k, s);
  EXPECT_LE(bits(h.a), 127u);
  EXPECT_LE(bits(h.c), 127u);
  EXPECT_GE(bits(h.c), 1u);
  const auto with_sign = [&](const Scalar& x) { return h.negative ? minus(x) : x; };
  EXPECT_EQ(with_sign(times(h.c, k)), h.a);
  EXPECT_EQ(with_sign(times(h.c, s)), h.s);
}

TEST(HalfSize, PowersOfTwoAndWhatIsBesideThem) {
  Scalar one{};
  one[0] = std::byte{1};
  std::vector<Scalar> special{Scalar{}, one};
  for (std::size_t i = 0; i < 252; ++i) {
    Scalar power{}, next;
    power[i / 8] = std::byte{1} << static_cast<int>(i % 8);
    crypto_core_ed25519_scalar_add(raw(next), raw(power), raw(one));
    special.insert(special.end(), {power, next, minus(power), minus(next)});
    crypto_core_ed25519_scalar_invert(raw(next), raw(power));
    special.push_back(next);
  }
  for (const Scalar& k : special) check(k, special[77]);
}

TEST(HalfSize, RandomOnes) {
  Prng random(5);
  for (int i = 0; i < 5000; ++i) {
    Scalar k{}, s{};
    for (std::size_t b = 0; b < 32; ++b) {
      k[b] = static_cast<std::byte>(random.below(b == 31 ? 16 : 256));
      s[b] = static_cast<std::byte>(random.below(b == 31 ? 16 : 256));
    }
    check(k, s);
  }
}

}  // namespace
}  // namespace thresher::crypto::ed25519
