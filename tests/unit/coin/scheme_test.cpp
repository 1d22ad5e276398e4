// The coin's arithmetic: any shares give one value, and nothing else passes for a share.
#include <gtest/gtest.h>

#include <algorithm>

#include "coins.hpp"
#include "thresher/core/committee.hpp"
#include "thresher/core/prng.hpp"

namespace thresher {
namespace {

using crypto::CoinClaim;
using crypto::CoinShare;

bool accepted(const crypto::CoinScheme& scheme, std::uint64_t instance, const CoinClaim& claim) {
  std::uint8_t verdict = 2;
  scheme.verify(instance, std::span(&claim, 1), std::span(&verdict, 1));
  EXPECT_LT(verdict, 2);
  return verdict == 1;
}

std::vector<CoinClaim> shares_of(const Schemes& nodes, std::uint64_t instance) {
  std::vector<CoinClaim> out;
  for (std::uint16_t i = 0; i < nodes.size(); ++i) {
    out.push_back({NodeId{i}, *nodes[i]->share(instance)});
  }
  return out;
}

TEST(Coin, EverySubsetOfSharesGivesTheSameValueAtBothThresholds) {
  Prng random(1);
  for (const std::uint32_t n : {4u, 5u, 7u, 10u}) {
    const Committee c = *Committee::of(n);
    for (const std::uint32_t t : {c.at_least(kValidity), c.at_least(kStrong)}) {
      const Schemes nodes = dealt(n, t);
      const auto all = shares_of(nodes, 5);
      std::vector<std::uint8_t> verdicts(n);
      nodes[0]->verify(5, all, verdicts);
      EXPECT_EQ(std::count(verdicts.begin(), verdicts.end(), 1), n);
      const auto value = nodes[0]->combine(5, all);
      ASSERT_TRUE(value.has_value());
      for (int run = 0; run < 10; ++run) {
        auto some = all;
        for (std::size_t k = n; k > 1; --k) std::swap(some[k - 1], some[random.below(k)]);
        some.resize(t);
        EXPECT_EQ(nodes[run % n]->combine(5, some), value) << "n " << n << " t " << t;
        some.resize(t - 1);
        EXPECT_FALSE(nodes[0]->combine(5, some).has_value());
      }
    }
  }
}

TEST(Coin, InstancesChainsEpochsThresholdsAndDealsHaveTheirOwnValues) {
  const auto value = [](const Schemes& nodes, std::uint64_t instance) {
    return *nodes[0]->combine(instance, shares_of(nodes, instance));
  };
  const Digest base = value(dealt(4, 2), 1);
  EXPECT_EQ(value(dealt(4, 2), 1), base);
  EXPECT_NE(value(dealt(4, 2), 2), base);
  EXPECT_NE(value(dealt(4, 3), 1), base);
  EXPECT_NE(value(dealt(4, 2, 8), 1), base);
  EXPECT_NE(value(dealt(4, 2, 7, ChainContext{{}, 1}), 1), base);
  Digest chain{};
  chain.bytes[0] = std::byte{1};
  EXPECT_NE(value(dealt(4, 2, 7, ChainContext{chain, 0}), 1), base);
}

TEST(Coin, BitsOfTheValueAreBalanced) {
  const Schemes nodes = dealt(4, 2);
  int ones = 0;
  constexpr int kTosses = 200;
  for (std::uint64_t i = 0; i < kTosses; ++i) {
    const std::vector<CoinClaim> two = {{NodeId{0}, *nodes[0]->share(i)},
                                        {NodeId{1}, *nodes[1]->share(i)}};
    ones += static_cast<int>(nodes[2]->combine(i, two)->prefix() & 1);
  }
  EXPECT_NEAR(ones, kTosses / 2, 40);  // more than five standard deviations
}

TEST(Coin, AShareIsDeterministicAndAnObserverHasNone) {
  const Schemes nodes = dealt(4, 2);
  EXPECT_EQ(nodes[1]->share(3), nodes[1]->share(3));
  const auto deal = crypto::deal_coin(4, 2, coin_seed(7));
  const crypto::ThresholdCoin observer({}, deal->keys, NodeId{0}, std::nullopt);
  EXPECT_FALSE(observer.share(3).has_value());
  EXPECT_TRUE(accepted(observer, 3, {NodeId{1}, *nodes[1]->share(3)}));
}

class FalseShares : public testing::Test {
 protected:
  bool takes(const CoinShare& share, std::uint16_t from = 1, std::uint64_t instance = 9) {
    return accepted(*nodes_[0], instance, {NodeId{from}, share});
  }
  Schemes nodes_ = dealt(4, 2);
  CoinShare good_ = *nodes_[1]->share(9);
};

TEST_F(FalseShares, TheTrueOneIsTaken) {
  EXPECT_TRUE(takes(good_));
}
TEST_F(FalseShares, OfAnotherNodeInstanceChainEpochOrThreshold) {
  EXPECT_FALSE(takes(good_, 2));
  EXPECT_FALSE(takes(good_, 4));  // no member
  EXPECT_FALSE(takes(good_, 1, 8));
  EXPECT_FALSE(takes(*dealt(4, 2, 7, ChainContext{{}, 1})[1]->share(9)));
  EXPECT_FALSE(takes(*dealt(4, 3)[1]->share(9)));
  EXPECT_FALSE(takes(*dealt(4, 2, 8)[1]->share(9)));
}
TEST_F(FalseShares, AnyChangedBit) {
  for (std::size_t bit = 0; bit < good_.bytes.size() * 8; ++bit) {
    CoinShare changed = good_;
    changed.bytes[bit / 8] ^= static_cast<std::byte>(1 << (bit % 8));
    EXPECT_FALSE(takes(changed)) << "bit " << bit;
  }
}
TEST_F(FalseShares, TheIdentityAndNoPointAtAll) {
  CoinShare changed = good_;
  std::fill_n(changed.bytes.begin(), 32, std::byte{0});  // the identity's encoding
  EXPECT_FALSE(takes(changed));
  EXPECT_FALSE(takes(CoinShare{}));
  std::fill_n(changed.bytes.begin(), 32, std::byte{0xff});
  EXPECT_FALSE(takes(changed));
}
TEST_F(FalseShares, SecondEncodingsOfThePoint) {
  CoinShare changed = good_;
  changed.bytes[31] |= std::byte{0x80};  // a bit that decoders tend to ignore
  EXPECT_FALSE(takes(changed));
}
// RFC 9496, 4.3.1: field elements from the modulus on and negative ones are not encodings, though
// they decode to points if that is not checked.
TEST_F(FalseShares, EncodingsThatAreNotCanonical) {
  std::array<unsigned, 32> modulus{};
  modulus.fill(0xff);
  modulus[0] = 0xed;
  modulus[31] = 0x7f;
  const auto with_point = [&](auto byte_at) {
    CoinShare changed = good_;
    unsigned borrow = 0;
    for (std::size_t i = 0; i < modulus.size(); ++i) {
      const unsigned less = byte_at(i) + borrow;
      changed.bytes[i] = static_cast<std::byte>((modulus[i] + 256 - less) & 0xff);
      borrow = modulus[i] < less ? 1 : 0;
    }
    return changed;
  };
  // The negative of the right element: the modulus minus it.
  EXPECT_FALSE(
      takes(with_point([&](std::size_t i) { return std::to_integer<unsigned>(good_.bytes[i]); })));
  EXPECT_FALSE(takes(with_point([](std::size_t) { return 0u; })));  // the modulus, for zero
  for (unsigned above = 1; above < 19; ++above) {                   // and what lies over it
    CoinShare changed = with_point([](std::size_t) { return 0u; });
    changed.bytes[0] = static_cast<std::byte>(modulus[0] + above);
    EXPECT_FALSE(takes(changed)) << above;
  }
}
TEST_F(FalseShares, SecondEncodingsOfTheProof) {
  // The group order, little-endian: adding it to a scalar gives the same number.
  constexpr std::array<std::uint8_t, 32> kOrder = {0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58,
                                                   0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
                                                   0,    0,    0,    0,    0,    0,    0,    0,
                                                   0,    0,    0,    0,    0,    0,    0,    0x10};
  for (const std::size_t at : {std::size_t{32}, std::size_t{64}}) {
    CoinShare changed = good_;
    unsigned carry = 0;
    for (std::size_t i = 0; i < kOrder.size(); ++i) {
      carry += std::to_integer<unsigned>(changed.bytes[at + i]) + kOrder[i];
      changed.bytes[at + i] = static_cast<std::byte>(carry & 0xff);
      carry >>= 8;
    }
    EXPECT_FALSE(takes(changed)) << "scalar at " << at;
  }
}
TEST_F(FalseShares, OneAmongManyIsNamed) {
  auto claims = shares_of(nodes_, 9);
  claims[2].share.bytes[0] ^= std::byte{1};
  std::vector<std::uint8_t> verdicts(claims.size(), 7);
  nodes_[3]->verify(9, claims, verdicts);
  EXPECT_EQ(verdicts, (std::vector<std::uint8_t>{1, 1, 0, 1}));
}
TEST_F(FalseShares, TheSameNodeTwiceIsNoQuorum) {
  const CoinClaim mine{NodeId{1}, good_};
  EXPECT_FALSE(nodes_[0]->combine(9, std::vector{mine, mine}).has_value());
}

TEST(CoinDeals, AgreeAndTellWhenTheyDoNot) {
  for (const std::uint32_t t : {1u, 2u, 5u, 7u}) {
    auto deal = crypto::deal_coin(7, t, coin_seed(3));
    ASSERT_TRUE(deal.has_value());
    EXPECT_TRUE(crypto::coin_keys_agree(deal->keys));
    if (t == 1 || t == 7) continue;  // all equal; and any seven keys fit some polynomial
    std::swap(deal->keys.nodes[0], deal->keys.nodes[6]);
    EXPECT_FALSE(crypto::coin_keys_agree(deal->keys)) << "t " << t;
  }
}
TEST(CoinDeals, RefuseSenselessThresholds) {
  EXPECT_FALSE(crypto::deal_coin(4, 0, coin_seed(1)).has_value());
  EXPECT_FALSE(crypto::deal_coin(4, 5, coin_seed(1)).has_value());
  EXPECT_FALSE(crypto::coin_keys_agree({}));
  auto deal = crypto::deal_coin(4, 2, coin_seed(1));
  deal->keys.nodes[1] = {};
  EXPECT_FALSE(crypto::coin_keys_agree(deal->keys));
}

// The polynomial x, whose value at 0 nobody's share has: such keys fit each other, but no shares
// add up to a value, and a node that encrypts for the group broke off on an assertion.
TEST(CoinDeals, KeysWhoseSecretIsZeroDoNotAgree) {
  crypto::CoinKeys keys{2, {}};
  for (std::uint8_t place = 1; place <= 4; ++place) {
    crypto::RistrettoScalar share{};
    share[0] = std::byte{place};
    keys.nodes.push_back(*crypto::ristretto_base(share));
  }
  EXPECT_FALSE(crypto::coin_keys_agree(keys));
}

}  // namespace
}  // namespace thresher
