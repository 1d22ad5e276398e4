// Equality proofs: what is proven verifies, and nothing else does.
#include "thresher/crypto/dleq.hpp"

#include <gtest/gtest.h>

#include <string>

namespace thresher::crypto {
namespace {

RistrettoScalar scalar_of(std::uint8_t number) {
  RistrettoScalar out{};
  out[0] = static_cast<std::byte>(number);
  return out;
}

RistrettoPoint element_of(std::uint8_t number) {
  std::array<std::byte, 64> uniform{};
  uniform[7] = static_cast<std::byte>(number);
  return ristretto_map(uniform).value();
}

/// The group order, the smallest scalar that is not canonical.
RistrettoScalar order() {
  constexpr std::array<std::uint8_t, 16> kLow{0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58,
                                              0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14};
  RistrettoScalar out{};
  for (std::size_t i = 0; i < kLow.size(); ++i) out[i] = static_cast<std::byte>(kLow[i]);
  out[31] = std::byte{0x10};
  return out;
}

/// a + order without reduction: the same number in another encoding. Pre: fits 32 bytes.
RistrettoScalar plus_order(const RistrettoScalar& a) {
  const RistrettoScalar b = order();
  RistrettoScalar out;
  unsigned carry = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    carry += std::to_integer<unsigned>(a[i]) + std::to_integer<unsigned>(b[i]);
    out[i] = static_cast<std::byte>(carry);
    carry >>= 8;
  }
  return out;
}

const ByteView kContext = as_view("unit test");

class Dleq : public testing::Test {
 protected:
  DleqEvaluation made_ = prove_dleq(kContext, scalar_of(42), element_of(1)).value();
};

TEST_F(Dleq, ProvesWhatItComputed) {
  EXPECT_EQ(made_.statement.public_key, ristretto_base(scalar_of(42)));
  EXPECT_EQ(made_.statement.evaluated, ristretto_multiply(scalar_of(42), element_of(1)));
  EXPECT_TRUE(verify_dleq(kContext, made_.statement, made_.proof));
  EXPECT_EQ(prove_dleq(kContext, scalar_of(42), element_of(1))->proof, made_.proof);
}

TEST_F(Dleq, RefusesAnotherContext) {
  EXPECT_FALSE(verify_dleq(as_view("unit tesT"), made_.statement, made_.proof));
  EXPECT_FALSE(verify_dleq({}, made_.statement, made_.proof));
}

TEST_F(Dleq, RefusesEverySwappedOrForeignPoint) {
  const auto other = prove_dleq(kContext, scalar_of(43), element_of(2)).value();
  const auto [key, element, evaluated] = made_.statement;
  const auto& [key2, element2, evaluated2] = other.statement;
  for (const DleqStatement& wrong :
       {DleqStatement{evaluated, element, key}, DleqStatement{key, evaluated, element},
        DleqStatement{element, key, evaluated}, DleqStatement{key2, element, evaluated},
        DleqStatement{key, element2, evaluated}, DleqStatement{key, element, evaluated2},
        other.statement}) {
    EXPECT_FALSE(verify_dleq(kContext, wrong, made_.proof));
  }
}

TEST_F(Dleq, RefusesEveryFlippedBitOfTheProof) {
  for (std::size_t bit = 0; bit < 512; bit += 5) {
    DleqProof wrong = made_.proof;
    auto& half = bit < 256 ? wrong.challenge : wrong.response;
    half[bit % 256 / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    EXPECT_FALSE(verify_dleq(kContext, made_.statement, wrong)) << "bit " << bit;
  }
}

TEST_F(Dleq, RefusesScalarsInASecondEncoding) {
  DleqProof wrong = made_.proof;
  wrong.response = plus_order(wrong.response);
  EXPECT_FALSE(verify_dleq(kContext, made_.statement, wrong));
  wrong = made_.proof;
  wrong.challenge = plus_order(wrong.challenge);
  EXPECT_FALSE(verify_dleq(kContext, made_.statement, wrong));
  EXPECT_FALSE(verify_dleq(kContext, made_.statement, {}));
}

TEST_F(Dleq, RefusesTheIdentityInEveryPlace) {
  const RistrettoPoint identity{};
  for (auto point :
       {&DleqStatement::public_key, &DleqStatement::element, &DleqStatement::evaluated}) {
    DleqStatement wrong = made_.statement;
    wrong.*point = identity;
    EXPECT_FALSE(verify_dleq(kContext, wrong, made_.proof));
  }
  EXPECT_FALSE(ristretto_valid(identity));
  EXPECT_FALSE(prove_dleq(kContext, scalar_of(42), identity));
}

TEST_F(Dleq, RefusesPointsInASecondEncoding) {
  for (auto point :
       {&DleqStatement::public_key, &DleqStatement::element, &DleqStatement::evaluated}) {
    DleqStatement high = made_.statement, odd = made_.statement;
    (high.*point)[31] |= std::byte{0x80};
    // libsodium 1.0.18 takes a set top bit for the same point. p - s has the other parity: the
    // "negative" root, which RFC 9496 refuses.
    unsigned borrow = 0;
    for (std::size_t i = 0; i < 32; ++i) {
      const unsigned p = i == 0 ? 0xed : i == 31 ? 0x7f : 0xff;
      const unsigned left = 256 + p - std::to_integer<unsigned>((odd.*point)[i]) - borrow;
      (odd.*point)[i] = static_cast<std::byte>(left);
      borrow = left < 256 ? 1 : 0;
    }
    EXPECT_FALSE(ristretto_valid(high.*point));
    EXPECT_FALSE(ristretto_valid(odd.*point));
    EXPECT_FALSE(verify_dleq(kContext, high, made_.proof));
    EXPECT_FALSE(verify_dleq(kContext, odd, made_.proof));
  }
}

TEST(DleqSecrets, RefusesSecretsAndContextsOutOfRange) {
  EXPECT_FALSE(prove_dleq(kContext, scalar_of(0), element_of(1)));
  EXPECT_FALSE(prove_dleq(kContext, order(), element_of(1)));
  const std::string longest(kMaxDleqContext, 'x'), longer(kMaxDleqContext + 1, 'x');
  const auto made = prove_dleq(as_view(longest), scalar_of(7), element_of(1));
  ASSERT_TRUE(made);
  EXPECT_TRUE(verify_dleq(as_view(longest), made->statement, made->proof));
  EXPECT_FALSE(verify_dleq(as_view(longer), made->statement, made->proof));
  EXPECT_FALSE(prove_dleq(as_view(longer), scalar_of(7), element_of(1)));
}

TEST(DleqGroup, SumsAndOpposites) {
  const auto two = ristretto_base(scalar_of(2)).value(),
             three = ristretto_base(scalar_of(3)).value();
  EXPECT_EQ(ristretto_add(two, three), ristretto_base(scalar_of(5)));
  RistrettoScalar minus_two = order();
  minus_two[0] = std::byte{0xeb};
  EXPECT_FALSE(ristretto_add(two, ristretto_base(minus_two).value())) << "the sum is the identity";
}

}  // namespace
}  // namespace thresher::crypto
