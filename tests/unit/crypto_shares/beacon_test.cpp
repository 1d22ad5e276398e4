// A beacon's proofs: what the group key alone shows, and what it refuses.
#include <gtest/gtest.h>

#include "thresher/crypto/beacon_proof.hpp"

namespace thresher::crypto {
namespace {

struct Group {
  explicit Group(std::uint32_t n = 7, std::uint32_t threshold = 5, std::uint8_t seed = 1) {
    std::array<std::byte, 32> bytes{};
    bytes[0] = static_cast<std::byte>(seed);
    auto deal = *deal_coin(n, threshold, bytes);
    keys = deal.keys;
    group = *group_key(keys);
    for (std::uint16_t i = 0; i < n; ++i)
      nodes.push_back(std::make_unique<ThresholdCoin>(beacon_context(group), keys, NodeId{i},
                                                      deal.secrets[i], ValuesOf::kGroupKey));
  }
  std::vector<CoinClaim> shares(std::uint64_t round, std::vector<std::uint16_t> of) const {
    std::vector<CoinClaim> out;
    for (const std::uint16_t i : of) out.push_back({NodeId{i}, *nodes[i]->share(round)});
    return out;
  }
  Bytes proof(std::uint64_t round, std::vector<std::uint16_t> of = {0, 2, 3, 5, 6}) const {
    return *make_beacon_proof(keys, shares(round, std::move(of)));
  }
  CoinKeys keys;
  RistrettoPoint group{};
  std::vector<std::unique_ptr<ThresholdCoin>> nodes;
};

TEST(BeaconProof, AnyThresholdNodesShowTheSameValue) {
  const Group g;
  const auto value = check_beacon_proof(g.group, 9, g.proof(9).view());
  ASSERT_TRUE(value);
  EXPECT_EQ(value, g.nodes[0]->combine(9, g.shares(9, {0, 2, 3, 5, 6})));
  EXPECT_EQ(check_beacon_proof(g.group, 9, g.proof(9, {6, 4, 1, 0, 2}).view()), value);
  EXPECT_EQ(g.proof(9).size(), 5u * 130);
}

// The same key, shared among others with another threshold, as after a resharing: a round has one
// value. If it were another one, the publisher could choose between the two.
TEST(BeaconProof, AKeyThatIsSharedAnewHasTheSameValues) {
  const Group before(7, 5);
  const Group after(9, 3);
  ASSERT_EQ(before.group, after.group);
  const auto value = check_beacon_proof(before.group, 9, before.proof(9).view());
  ASSERT_TRUE(value);
  EXPECT_EQ(check_beacon_proof(after.group, 9, after.proof(9, {1, 4, 8}).view()), value);
}

TEST(BeaconProof, OfAnotherRoundOrGroupShowsNothing) {
  const Group g;
  const Group other(7, 5, 2);
  EXPECT_FALSE(check_beacon_proof(g.group, 8, g.proof(9).view()));
  EXPECT_FALSE(check_beacon_proof(other.group, 9, g.proof(9).view()));
  EXPECT_FALSE(check_beacon_proof({}, 9, g.proof(9).view()));
  EXPECT_FALSE(make_beacon_proof(g.keys, g.shares(9, {0, 1, 2, 3})));
}

TEST(BeaconProof, WithAnyChangedByteOrPieceMissingShowsNothing) {
  const Group g;
  const Bytes proof = g.proof(9);
  for (std::size_t at = 0; at < proof.size(); at += 3) {
    std::vector<std::byte> bad(proof.view().begin(), proof.view().end());
    bad[at] ^= std::byte{1};
    EXPECT_FALSE(check_beacon_proof(g.group, 9, bad)) << at;
  }
  EXPECT_FALSE(check_beacon_proof(g.group, 9, {}));
  EXPECT_FALSE(check_beacon_proof(g.group, 9, proof.view().first(4 * 130)));
  EXPECT_FALSE(check_beacon_proof(g.group, 9, proof.view().first(649)));
  EXPECT_FALSE(check_beacon_proof(g.group, 9, g.proof(9, {0, 0, 3, 5, 6}).view()));
}

// Four of the five who are needed, with a fifth key of their own making that completes the sum.
TEST(BeaconProof, ACoalitionBelowTheThresholdMakesNone) {
  const Group g;
  const Group forgers(7, 5, 3);
  const Bytes good = g.proof(9);
  std::vector<std::byte> mixed(good.view().begin(), good.view().end());
  const Bytes theirs = forgers.proof(9);
  std::copy(theirs.view().begin() + 4 * 130, theirs.view().end(), mixed.begin() + 4 * 130);
  EXPECT_FALSE(check_beacon_proof(g.group, 9, mixed));
}

}  // namespace
}  // namespace thresher::crypto
