// Threshold encryption: any shares open a text, fewer do not, and nothing else passes for a
// ciphertext or a share.
#include <gtest/gtest.h>

#include <algorithm>

#include "coins.hpp"
#include "thresher/core/committee.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/crypto/threshold_encryption.hpp"

namespace thresher {
namespace {

using crypto::DecryptionClaim;
using crypto::DecryptionShare;
using crypto::EncryptionScheme;
using Nodes = std::vector<std::shared_ptr<const EncryptionScheme>>;

Nodes nodes_of(std::uint32_t n, std::uint32_t threshold, std::uint8_t seed = 7,
               const ChainContext& chain = {}) {
  const auto deal = crypto::deal_coin(n, threshold, coin_seed(seed));
  Nodes out;
  for (std::uint16_t i = 0; i < n; ++i) {
    out.push_back(std::make_shared<crypto::ThresholdEncryption>(chain, deal->keys, NodeId{i},
                                                                deal->secrets[i]));
  }
  return out;
}

const ByteView kLabel = as_view("auction 17");
const ByteView kText = as_view("a bid that nobody shall see before all bids are in");

bool is(const std::optional<Bytes>& found, ByteView expected) {
  return found && std::ranges::equal(found->view(), expected);
}
bool takes(const EncryptionScheme& scheme, ByteView ciphertext, const DecryptionClaim& claim,
           ByteView label = kLabel) {
  std::uint8_t verdict = 2;
  scheme.verify(label, ciphertext, std::span(&claim, 1), std::span(&verdict, 1));
  return verdict == 1;
}
std::vector<DecryptionClaim> shares_of(const Nodes& nodes, ByteView label, ByteView ciphertext) {
  std::vector<DecryptionClaim> out;
  for (std::uint16_t i = 0; i < nodes.size(); ++i)
    out.push_back({NodeId{i}, *nodes[i]->share(label, ciphertext)});
  return out;
}

TEST(ThresholdEncryption, AnySharesOpenItAndFewerDoNot) {
  Prng random(1);
  for (const std::uint32_t n : {4u, 7u, 10u}) {
    const Committee c = *Committee::of(n);
    for (const std::uint32_t t : {c.at_least(kValidity), c.at_least(kAvailability)}) {
      const Nodes nodes = nodes_of(n, t);
      const Bytes sealed = *nodes[1]->encrypt(kLabel, kText);
      EXPECT_EQ(sealed.size(), kText.size() + nodes[1]->overhead());
      const auto all = shares_of(nodes, kLabel, sealed.view());
      std::vector<std::uint8_t> verdicts(n);
      nodes[0]->verify(kLabel, sealed.view(), all, verdicts);
      EXPECT_EQ(std::ranges::count(verdicts, 1), n);
      for (int run = 0; run < 10; ++run) {
        auto some = all;
        for (std::size_t k = n; k > 1; --k) std::swap(some[k - 1], some[random.below(k)]);
        some.resize(t);
        EXPECT_TRUE(is(nodes[run % n]->combine(kLabel, sealed.view(), some), kText));
        some.back() = some.front();  // one node twice is one node
        EXPECT_FALSE(nodes[0]->combine(kLabel, sealed.view(), some) && t > 1);
      }
    }
  }
}

TEST(ThresholdEncryption, TextsOfAllSizesComeBack) {
  const Nodes nodes = nodes_of(4, 2);
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{63}, std::size_t{64},
                                 std::size_t{65}, std::size_t{100'000}}) {
    const std::vector<std::byte> text(size, std::byte{0x5a});
    const Bytes sealed = *nodes[0]->encrypt(kLabel, text);
    EXPECT_TRUE(is(
        nodes[3]->combine(kLabel, sealed.view(), shares_of(nodes, kLabel, sealed.view())), text));
  }
}

TEST(ThresholdEncryption, CiphertextsShowNothingOfTheTextButItsLength) {
  const Nodes nodes = nodes_of(4, 2);
  const Bytes one = *nodes[0]->encrypt(kLabel, kText);
  EXPECT_EQ(*nodes[0]->encrypt(kLabel, kText), one) << "a restarted node says the same";
  const auto apart = [&](const Bytes& other) {
    std::size_t same = 0;
    for (std::size_t i = 0; i < one.size(); ++i) same += one.view()[i] == other.view()[i] ? 1 : 0;
    return same < one.size() / 8;
  };
  EXPECT_TRUE(apart(*nodes[1]->encrypt(kLabel, kText))) << "of another node";
  EXPECT_TRUE(apart(*nodes[0]->encrypt(as_view("auction 18"), kText)));
  const ByteView sealed = one.view();
  EXPECT_EQ(std::search(sealed.begin(), sealed.end(), kText.begin(), kText.begin() + 8),
            sealed.end());
}

TEST(ThresholdEncryption, AnObserverVerifiesAndOpensButNeitherEncryptsNorShares) {
  const Nodes nodes = nodes_of(4, 2);
  const auto deal = crypto::deal_coin(4, 2, coin_seed(7));
  const crypto::ThresholdEncryption observer({}, deal->keys, NodeId{0}, std::nullopt);
  const Bytes sealed = *nodes[2]->encrypt(kLabel, kText);
  const auto shares = shares_of(nodes, kLabel, sealed.view());
  EXPECT_TRUE(observer.valid(kLabel, sealed.view()));
  EXPECT_TRUE(takes(observer, sealed.view(), shares[3]));
  EXPECT_TRUE(is(observer.combine(kLabel, sealed.view(), shares), kText));
  EXPECT_FALSE(observer.encrypt(kLabel, kText));
  EXPECT_FALSE(observer.share(kLabel, sealed.view()));
}

class FalseCiphertexts : public ::testing::Test {
 protected:
  // Not valid, and no node gives a share of it.
  void expect_refused(ByteView ciphertext, ByteView label = kLabel) {
    EXPECT_FALSE(nodes_[0]->valid(label, ciphertext));
    EXPECT_FALSE(nodes_[0]->share(label, ciphertext));
  }
  Nodes nodes_ = nodes_of(4, 2);
  Bytes sealed_ = *nodes_[1]->encrypt(kLabel, kText);
};

TEST_F(FalseCiphertexts, TheTrueOneIsTaken) {
  EXPECT_TRUE(nodes_[0]->valid(kLabel, sealed_.view()));
}
// What makes a cryptosystem safe against chosen ciphertexts: nobody can turn another's ciphertext
// into one that is opened earlier, or under another label.
TEST_F(FalseCiphertexts, AnyChangedBit) {
  for (std::size_t bit = 0; bit < sealed_.size() * 8; bit += bit < 1024 ? 1 : 13) {
    std::vector<std::byte> changed(sealed_.view().begin(), sealed_.view().end());
    changed[bit / 8] ^= static_cast<std::byte>(1 << (bit % 8));
    expect_refused(changed);
  }
}
TEST_F(FalseCiphertexts, AnotherLabelOneThatShiftsAndOtherLengths) {
  expect_refused(sealed_.view(), as_view("auction 18"));
  expect_refused(sealed_.view(), {});
  std::vector<std::byte> longer(sealed_.view().begin(), sealed_.view().end());
  longer.push_back(std::byte{0});
  expect_refused(longer);
  for (std::size_t size = 0; size < sealed_.size(); ++size)
    expect_refused(sealed_.view().first(size));
}
TEST_F(FalseCiphertexts, OfAnotherChainEpochThresholdOrKey) {
  for (const Nodes& others :
       {nodes_of(4, 2, 7, ChainContext{{}, 1}), nodes_of(4, 3), nodes_of(4, 2, 8)})
    expect_refused(others[1]->encrypt(kLabel, kText)->view());
}
TEST_F(FalseCiphertexts, PointsThatAreNone) {
  for (const std::byte filler : {std::byte{0}, std::byte{0xff}}) {
    for (const std::size_t at : {std::size_t{0}, std::size_t{32}}) {
      std::vector<std::byte> changed(sealed_.view().begin(), sealed_.view().end());
      std::fill_n(changed.begin() + static_cast<std::ptrdiff_t>(at), 32, filler);
      expect_refused(changed);
    }
  }
}
// The point that a coin maps its instance to has no logarithm that anybody knows, so no ciphertext
// makes nodes multiply it by their secrets.
TEST_F(FalseCiphertexts, AShareOfACoinIsNoCiphertextsAndTheOtherWayRound) {
  const Schemes coins = dealt(4, 2);
  DecryptionShare as_decryption;
  as_decryption.bytes = coins[1]->share(5)->bytes;
  EXPECT_FALSE(takes(*nodes_[0], sealed_.view(), {NodeId{1}, as_decryption}));
  crypto::CoinClaim as_coin{NodeId{1}, {}};
  as_coin.share.bytes = nodes_[1]->share(kLabel, sealed_.view())->bytes;
  std::uint8_t verdict = 2;
  coins[0]->verify(5, std::span(&as_coin, 1), std::span(&verdict, 1));
  EXPECT_EQ(verdict, 0);
}

class FalseDecryptionShares : public FalseCiphertexts {
 protected:
  bool taken(const DecryptionShare& share, std::uint16_t from = 2) {
    return takes(*nodes_[0], sealed_.view(), {NodeId{from}, share});
  }
  DecryptionShare good_ = *nodes_[2]->share(kLabel, sealed_.view());
};

TEST_F(FalseDecryptionShares, OfAnotherNodeCiphertextLabelOrNobody) {
  EXPECT_TRUE(taken(good_));
  EXPECT_FALSE(taken(good_, 1));
  EXPECT_FALSE(taken(good_, 4));
  EXPECT_FALSE(taken(good_, 0xffff));
  const Bytes other = *nodes_[1]->encrypt(kLabel, as_view("another text"));
  EXPECT_FALSE(taken(*nodes_[2]->share(kLabel, other.view())));
  EXPECT_FALSE(takes(*nodes_[0], sealed_.view(), {NodeId{2}, good_}, as_view("auction 18")));
  EXPECT_FALSE(taken(DecryptionShare{}));
}
TEST_F(FalseDecryptionShares, AnyChangedBit) {
  for (std::size_t bit = 0; bit < good_.bytes.size() * 8; ++bit) {
    DecryptionShare changed = good_;
    changed.bytes[bit / 8] ^= static_cast<std::byte>(1 << (bit % 8));
    EXPECT_FALSE(taken(changed)) << "bit " << bit;
  }
}

}  // namespace
}  // namespace thresher
