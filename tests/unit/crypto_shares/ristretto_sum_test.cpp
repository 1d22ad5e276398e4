// Sums in variable time against libsodium's multiplications, one by one.
#include "thresher/crypto/ristretto_sum.hpp"

#include <gtest/gtest.h>
#include <sodium.h>

#include <algorithm>

#include "thresher/core/prng.hpp"

namespace thresher::crypto {
namespace {

unsigned char* raw(std::array<std::byte, 32>& bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

std::array<std::byte, 64> drawn(Prng& rng) {
  std::array<std::byte, 64> out;
  for (std::byte& b : out) b = static_cast<std::byte>(rng.below(256));
  return out;
}
RistrettoPoint some_point(Prng& rng) {
  return *ristretto_map(drawn(rng));
}
RistrettoScalar some_scalar(Prng& rng) {
  auto wide = drawn(rng);
  RistrettoScalar out;
  crypto_core_ristretto255_scalar_reduce(raw(out), reinterpret_cast<unsigned char*>(wide.data()));
  return out;
}
RistrettoScalar minus_one() {
  RistrettoScalar one{}, out;
  one[0] = std::byte{1};
  crypto_core_ristretto255_scalar_negate(raw(out), raw(one));
  return out;
}

TEST(RistrettoSum, IsTheSumOfMultiples) {
  Prng rng(1);
  for (std::size_t size = 1; size <= 40; ++size) {
    std::vector<RistrettoScalar> scalars;
    std::vector<RistrettoPoint> points;
    std::optional<RistrettoPoint> expected;
    for (std::size_t i = 0; i < size; ++i) {
      scalars.push_back(i % 5 == 4 ? minus_one() : some_scalar(rng));
      if (i % 7 == 3) {
        scalars.back() = {};
        scalars.back()[0] = static_cast<std::byte>(i);
      }
      points.push_back(some_point(rng));
      const auto part = *ristretto_multiply(scalars.back(), points.back());
      expected = expected ? *ristretto_add(*expected, part) : part;
    }
    EXPECT_EQ(ristretto_sum(scalars, points), expected) << size;
  }
}

TEST(RistrettoSum, KnowsTheIdentity) {
  Prng rng(2);
  const RistrettoPoint p = some_point(rng);
  RistrettoScalar one{};
  one[0] = std::byte{1};
  EXPECT_EQ(ristretto_sum({}, {}), RistrettoPoint{});
  EXPECT_EQ(ristretto_sum(std::vector{RistrettoScalar{}}, std::vector{p}), RistrettoPoint{});
  EXPECT_EQ(ristretto_sum(std::vector{one, minus_one()}, std::vector{p, p}), RistrettoPoint{});
  EXPECT_EQ(ristretto_sum(std::vector{one, some_scalar(rng)}, std::vector{p, RistrettoPoint{}}), p);
}

// Both decoders take the same bytes: near encodings, and bytes at random.
TEST(RistrettoSum, DecodesWhatLibsodiumDecodes) {
  Prng rng(3);
  RistrettoScalar one{};
  one[0] = std::byte{1};
  std::size_t valid = 0;
  for (int i = 0; i < 4000; ++i) {
    RistrettoPoint bytes = some_point(rng);
    if (i % 4 == 1) bytes[rng.below(32)] ^= static_cast<std::byte>(1u << rng.below(8));
    if (i % 4 == 2)
      std::generate(bytes.begin(), bytes.end(),
                    [&] { return static_cast<std::byte>(rng.below(256)); });
    if (i % 4 == 3) {
      bytes.fill(std::byte{0xff});
      bytes[0] = static_cast<std::byte>(rng.below(256));
      bytes[31] = static_cast<std::byte>(0x7f + 0x80 * rng.below(2));
    }
    const auto sum = ristretto_sum(std::vector{one}, std::vector{bytes});
    EXPECT_EQ(sum.has_value(), ristretto_valid(bytes)) << i;
    if (sum) {
      EXPECT_EQ(*sum, bytes);
    }
    valid += sum ? 1 : 0;
  }
  EXPECT_GT(valid, 1200u);
  EXPECT_LT(valid, 3000u);
}

// RFC 9496, A.1: the multiples of the generator.
TEST(RistrettoSum, GivesTheMultiplesOfTheGenerator) {
  RistrettoScalar k{};
  k[0] = std::byte{1};
  const RistrettoPoint generator = *ristretto_base(k);
  for (unsigned i = 1; i < 300; ++i) {
    k[0] = static_cast<std::byte>(i);
    k[1] = static_cast<std::byte>(i >> 8);
    EXPECT_EQ(ristretto_sum(std::vector{k}, std::vector{generator}), ristretto_base(k)) << i;
  }
}

TEST(RistrettoSum, RefusesWhatIsNotCanonical) {
  Prng rng(4);
  RistrettoScalar order{};
  const RistrettoScalar last = minus_one();
  order = last;
  order[0] = static_cast<std::byte>(std::to_integer<unsigned>(last[0]) + 1);
  const RistrettoPoint p = some_point(rng);
  EXPECT_TRUE(ristretto_sum(std::vector{last}, std::vector{p}));
  EXPECT_FALSE(ristretto_sum(std::vector{order}, std::vector{p}));
  EXPECT_FALSE(ristretto_sum(std::vector{last, last}, std::vector{p}));
  const auto table = RistrettoTable::of(std::vector{p, p});
  ASSERT_TRUE(table);
  EXPECT_EQ(table->size(), 2u);
  EXPECT_FALSE(table->sum(std::vector{last}));
}

}  // namespace
}  // namespace thresher::crypto
