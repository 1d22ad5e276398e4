// The arithmetic of key generation: what is dealt adds up to one key at every threshold, what is
// false is seen, and who is honest is never proved to have lied.
#include "thresher/crypto/dkg.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "thresher/core/prng.hpp"
#include "thresher/crypto/threshold_coin.hpp"

namespace thresher::crypto {
namespace {

SigningKey identity(std::uint32_t i) {
  SigningKey::Seed seed{};
  seed[0] = static_cast<std::byte>(i);
  seed[1] = std::byte{0x5a};
  return SigningKey::from_seed(seed);
}

DkgSetup setup_of(std::uint32_t n, std::uint32_t threshold, std::uint64_t epoch = 0) {
  DkgSetup out{.chain = {{}, epoch}, .committee = *Committee::of(n), .threshold = threshold};
  std::vector<PublicKey> identities;
  for (std::uint32_t i = 0; i < n; ++i) identities.push_back(identity(i).public_key());
  out.keys = *dkg_keys_of(identities);
  return out;
}

DealtKey node_of(const DkgSetup& setup, std::uint16_t i, std::uint8_t salt = 1,
                 std::optional<Secret<RistrettoScalar>> old = std::nullopt) {
  DealtKey::Seed seed;
  seed.fill(static_cast<std::byte>(salt + 16 * i));
  return DealtKey(setup, NodeId{i}, dkg_secret_of(identity(i)), seed, std::move(old));
}

std::vector<DealtKey> nodes_of(const DkgSetup& setup) {
  std::vector<DealtKey> out;
  for (std::uint16_t i = 0; i < setup.committee.size(); ++i) out.push_back(node_of(setup, i));
  return out;
}

/// The first dealings that are enough, those of the last nodes.
std::vector<ChosenDealing> chosen_of(const std::vector<DealtKey>& nodes) {
  std::vector<ChosenDealing> out;
  const std::uint32_t enough = nodes[0].enough_dealings();
  for (auto i = static_cast<std::uint16_t>(nodes.size() - enough); i < nodes.size(); ++i)
    out.push_back({NodeId{i}, *nodes[i].deal(), {}});
  return out;
}

/// What node `i` ends with, from the points of the first f+1 others (and itself).
GeneratedKey finished(const std::vector<DealtKey>& nodes, std::uint16_t i,
                      std::span<const ChosenDealing> chosen) {
  const auto mine = nodes[i].settle(chosen);
  std::vector<Contribution> points;
  for (std::uint16_t j = 0; points.size() < nodes[i].revealers(); ++j) {
    points.push_back({NodeId{j}, nodes[j].settle(chosen)->point_for(NodeId{i})});
    EXPECT_TRUE(mine->check_point(NodeId{j}, points.back().bytes.view()));
  }
  return *mine->finish(points);
}

/// A coin on these keys, made by the given nodes.
std::optional<Digest> tossed(const std::vector<GeneratedKey>& keys,
                             const std::vector<std::uint16_t>& by) {
  std::vector<CoinClaim> claims;
  for (const std::uint16_t i : by) {
    const ThresholdCoin coin({}, keys[i].keys, NodeId{i}, keys[i].share);
    claims.push_back({NodeId{i}, *coin.share(5)});
  }
  std::vector<std::uint8_t> verdicts(claims.size());
  const ThresholdCoin observer({}, keys[0].keys, NodeId{0}, std::nullopt);
  observer.verify(5, claims, verdicts);
  EXPECT_EQ(std::count(verdicts.begin(), verdicts.end(), 1), std::ssize(claims));
  return observer.combine(5, claims);
}

TEST(Dkg, IdentitiesAreKeysThatTheirOwnersOpen) {
  for (std::uint32_t i = 0; i < 20; ++i) {
    const auto key = dkg_keys_of(std::vector{identity(i).public_key()});
    ASSERT_TRUE(key);
    EXPECT_EQ(key->front(), ristretto_base(*dkg_secret_of(identity(i))));
  }
  PublicKey small{};  // y = 0: a point of order four
  EXPECT_FALSE(dkg_keys_of(std::vector{small}));
  small[0] = std::byte{2};  // no x belongs to y = 2
  EXPECT_FALSE(dkg_keys_of(std::vector{small}));
}

TEST(Dkg, EveryThresholdGivesOneKeyWhoseSharesMakeOneCoin) {
  for (const std::uint32_t n : {1u, 4u, 5u, 6u, 7u, 9u}) {
    const Committee c = *Committee::of(n);
    for (std::uint32_t t = 1; t <= c.at_least(kAvailability); ++t) {
      const DkgSetup setup = setup_of(n, t);
      const auto nodes = nodes_of(setup);
      const auto chosen = chosen_of(nodes);
      std::vector<GeneratedKey> keys;
      for (std::uint16_t i = 0; i < n; ++i) {
        keys.push_back(finished(nodes, i, chosen));
        EXPECT_EQ(keys[i].keys.nodes, keys[0].keys.nodes);
        EXPECT_EQ(keys[i].group, keys[0].group);
        EXPECT_EQ(ristretto_base(*keys[i].share), keys[0].keys.nodes[i]);
      }
      EXPECT_EQ(keys[0].keys.threshold, t);
      EXPECT_TRUE(coin_keys_agree(keys[0].keys)) << "n " << n << " t " << t;
      std::vector<std::uint16_t> first, last;
      for (std::uint16_t i = 0; i < t; ++i) {
        first.push_back(i);
        last.push_back(static_cast<std::uint16_t>(n - 1 - i));
      }
      const auto value = tossed(keys, first);
      ASSERT_TRUE(value);
      EXPECT_EQ(tossed(keys, last), value);
      first.pop_back();
      EXPECT_FALSE(tossed(keys, first));
    }
  }
}

TEST(Dkg, ARestartedDealerDealsTheSameAndEveryRunAnother) {
  const DkgSetup setup = setup_of(4, 3);
  EXPECT_EQ(node_of(setup, 2).deal(), node_of(setup, 2).deal());
  EXPECT_NE(node_of(setup, 2).deal(), node_of(setup, 2, 2).deal());
  EXPECT_NE(node_of(setup, 2).deal(), node_of(setup_of(4, 3, 1), 2).deal());
  EXPECT_NE(node_of(setup, 2).deal(), node_of(setup_of(4, 2), 2).deal());
}

class Dealing : public ::testing::Test {
 protected:
  Bytes changed(std::size_t at, std::uint8_t by) const {
    std::vector<std::byte> out(dealing_.view().begin(), dealing_.view().end());
    out[at] ^= static_cast<std::byte>(by);
    return Bytes::from(std::move(out));
  }
  /// For n = 4, threshold 3: two secrets, two coefficients each.
  static constexpr std::size_t kCommitments = 4 * 32;
  static constexpr std::size_t kSealed = kCommitments + 4 * 32;
  static std::size_t sealed_for(std::size_t node) { return kSealed + node * 64; }

  DkgSetup setup_ = setup_of(4, 3);
  std::vector<DealtKey> nodes_ = nodes_of(setup_);
  Bytes dealing_ = *nodes_[0].deal();
};

TEST_F(Dealing, IsGoodForEverybody) {
  EXPECT_EQ(dealing_.size(), nodes_[0].dealing_bytes());
  EXPECT_EQ(dealing_.size(), kSealed + 4 * 64);
  for (const DealtKey& node : nodes_)
    EXPECT_EQ(node.check(NodeId{0}, dealing_.view()), Dealt::kGood);
}

TEST_F(Dealing, OfAnotherDealerOrRunOrSizeIsNone) {
  EXPECT_EQ(nodes_[1].check(NodeId{2}, dealing_.view()), Dealt::kMalformed);
  EXPECT_EQ(nodes_[1].check(NodeId{4}, dealing_.view()), Dealt::kMalformed);
  const auto other = setup_of(4, 3, 1);
  EXPECT_EQ(node_of(other, 1).check(NodeId{0}, dealing_.view()), Dealt::kMalformed);
  EXPECT_EQ(nodes_[1].check(NodeId{0}, dealing_.view().first(dealing_.size() - 1)),
            Dealt::kMalformed);
  EXPECT_EQ(nodes_[1].check(NodeId{0}, {}), Dealt::kMalformed);
}

// Any changed bit makes it bad for somebody, and who says so can prove it.
TEST_F(Dealing, EveryChangedByteIsSeen) {
  for (std::size_t at = 0; at < dealing_.size(); at += 5) {
    const Bytes bad = changed(at, 1);
    std::size_t objections = 0;
    for (std::uint16_t i = 0; i < 4; ++i) {
      const Dealt verdict = nodes_[i].check(NodeId{0}, bad.view());
      objections += verdict == Dealt::kGood ? 0 : 1;
      if (verdict != Dealt::kBadForMe) continue;
      const Bytes complaint = nodes_[i].complain(NodeId{0}, bad.view());
      for (const DealtKey& judge : nodes_)
        EXPECT_TRUE(judge.judge(NodeId{0}, bad.view(), NodeId{i}, complaint.view())) << at;
    }
    EXPECT_GT(objections, 0u) << at;
  }
}

TEST_F(Dealing, WithAPointThatIsNoneOrTheIdentityIsMalformed) {
  for (const std::size_t at : {std::size_t{0}, std::size_t{32}, kCommitments, kCommitments + 96}) {
    std::vector<std::byte> bad(dealing_.view().begin(), dealing_.view().end());
    for (const unsigned fill : {0x00u, 0xffu}) {
      std::fill_n(bad.begin() + static_cast<std::ptrdiff_t>(at), 32, static_cast<std::byte>(fill));
      EXPECT_EQ(nodes_[1].check(NodeId{0}, bad), Dealt::kMalformed) << at;
    }
  }
  const Bytes second_encoding = changed(sealed_for(1) + 31, 0x80);
  EXPECT_EQ(nodes_[1].check(NodeId{0}, second_encoding.view()), Dealt::kMalformed);
}

TEST_F(Dealing, OfAnHonestDealerNobodyCanComplainOf) {
  for (std::uint16_t liar = 1; liar < 4; ++liar) {
    const Bytes complaint = nodes_[liar].complain(NodeId{0}, dealing_.view());
    for (std::uint16_t accuser = 0; accuser < 5; ++accuser)
      EXPECT_FALSE(nodes_[1].judge(NodeId{0}, dealing_.view(), NodeId{accuser}, complaint.view()));
  }
  EXPECT_FALSE(nodes_[1].judge(NodeId{0}, dealing_.view(), NodeId{1}, {}));
}

TEST_F(Dealing, AComplaintIsGoodForItsOwnDealingAndAccuserOnly) {
  const Bytes bad = changed(sealed_for(2), 1);
  const Bytes complaint = nodes_[2].complain(NodeId{0}, bad.view());
  EXPECT_TRUE(nodes_[1].judge(NodeId{0}, bad.view(), NodeId{2}, complaint.view()));
  EXPECT_FALSE(nodes_[1].judge(NodeId{0}, bad.view(), NodeId{3}, complaint.view()));
  EXPECT_FALSE(nodes_[1].judge(NodeId{0}, dealing_.view(), NodeId{2}, complaint.view()));
  EXPECT_FALSE(
      nodes_[1].judge(NodeId{0}, changed(sealed_for(1), 1).view(), NodeId{2}, complaint.view()));
  for (std::size_t at = 0; at < complaint.size(); ++at) {
    std::vector<std::byte> other(complaint.view().begin(), complaint.view().end());
    other[at] ^= std::byte{4};
    EXPECT_FALSE(nodes_[1].judge(NodeId{0}, bad.view(), NodeId{2}, other)) << at;
  }
}

// A complaint opens what a dealer sealed for the accuser. A liar must not get a correct dealer's
// shares opened by sealing garbage under that dealer's ephemeral key.
TEST_F(Dealing, UnderAnothersEphemeralKeyIsMalformed) {
  std::vector<std::byte> stolen(dealing_.view().begin(), dealing_.view().end());
  const Bytes own = *nodes_[3].deal();
  std::copy_n(own.view().begin() + kCommitments, own.size() - kCommitments,
              stolen.begin() + kCommitments);
  EXPECT_EQ(nodes_[1].check(NodeId{3}, stolen), Dealt::kMalformed);
  EXPECT_EQ(nodes_[1].check(NodeId{3}, dealing_.view()), Dealt::kMalformed);
}

// The victim of a bad dealing gets its shares from f+1 others, and all end with one key.
TEST_F(Dealing, AVictimRecoversItsSharesFromOthers) {
  const Bytes bad = changed(sealed_for(2), 1);
  ASSERT_EQ(nodes_[2].check(NodeId{0}, bad.view()), Dealt::kBadForMe);
  std::vector<ChosenDealing> chosen = {{NodeId{0}, bad, {}}};
  for (std::uint16_t i = 1; i < 3; ++i) chosen.push_back({NodeId{i}, *nodes_[i].deal(), {}});
  std::vector<ChosenDealing> of_victim = chosen;
  for (const std::uint16_t i : std::to_array<std::uint16_t>({1, 3})) {
    const Bytes shares = nodes_[i].reveal(NodeId{0}, bad.view());
    EXPECT_TRUE(nodes_[2].check_reveal(NodeId{0}, bad.view(), NodeId{i}, shares.view()));
    EXPECT_FALSE(nodes_[2].check_reveal(NodeId{0}, bad.view(), NodeId{0}, shares.view()));
    EXPECT_FALSE(nodes_[2].check_reveal(NodeId{0}, dealing_.view(), NodeId{0}, {}));
    EXPECT_EQ(nodes_[2].settle(of_victim) == nullptr, !of_victim[0].revealed.empty());
    of_victim[0].revealed.push_back({NodeId{i}, shares});
  }
  const auto victim = nodes_[2].settle(of_victim);
  ASSERT_NE(victim, nullptr);
  const auto other = nodes_[1].settle(chosen);
  EXPECT_EQ(victim->keys().nodes, other->keys().nodes);
  EXPECT_TRUE(other->check_point(NodeId{2}, victim->point_for(NodeId{1}).view()));
  const std::vector<Contribution> points = {{NodeId{1}, other->point_for(NodeId{2})},
                                            {NodeId{2}, victim->point_for(NodeId{2})}};
  EXPECT_TRUE(victim->finish(points));
  EXPECT_FALSE(victim->finish(std::vector{points[0], points[0]}));
}

TEST_F(Dealing, FalsePointsAreSeen) {
  const auto chosen = chosen_of(nodes_);
  const auto mine = nodes_[1].settle(chosen);
  const Bytes good = nodes_[2].settle(chosen)->point_for(NodeId{1});
  EXPECT_TRUE(mine->check_point(NodeId{2}, good.view()));
  EXPECT_FALSE(mine->check_point(NodeId{3}, good.view()));
  EXPECT_FALSE(mine->check_point(NodeId{2}, {}));
  EXPECT_FALSE(mine->check_point(NodeId{9}, good.view()));
  EXPECT_FALSE(mine->check_point(NodeId{2}, nodes_[2].settle(chosen)->point_for(NodeId{3}).view()));
  for (std::size_t bit = 0; bit < 256; bit += 3) {
    std::vector<std::byte> bad(good.view().begin(), good.view().end());
    bad[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    EXPECT_FALSE(mine->check_point(NodeId{2}, bad)) << bit;
  }
  EXPECT_EQ(nodes_[1].settle(std::span(chosen).first(2)), nullptr);  // too few dealings
  EXPECT_EQ(nodes_[1].settle(std::vector{chosen[0], chosen[0], chosen[1]}), nullptr);
}

// The committee changes, n and threshold too: new nodes, nodes that left, others in other places.
TEST(Dkg, ResharingKeepsThePublicKeyAndNothingElse) {
  const auto before = nodes_of(setup_of(4, 3));
  const auto chosen = chosen_of(before);
  std::vector<GeneratedKey> old;
  for (std::uint16_t i = 0; i < 4; ++i) old.push_back(finished(before, i, chosen));

  for (const std::uint32_t threshold : {3u, 5u}) {
    DkgSetup setup = setup_of(7, threshold, 1);
    // Old 3, 0, 1, 2 are now 0, 2, 3, 5, of which two may be silent: too few.
    setup.reshares =
        Reshared{old[0].keys, {NodeId{3}, {}, NodeId{0}, NodeId{1}, {}, NodeId{2}, {}}};
    EXPECT_FALSE(setup.check());
    setup.committee = *Committee::make(7, 1);
    ASSERT_TRUE(setup.check());
    std::vector<DealtKey> nodes;
    for (std::uint16_t i = 0; i < 7; ++i) {
      const auto was = setup.reshares->before[i];
      nodes.push_back(
          node_of(setup, i, 3, was ? std::optional(old[was->value].share) : std::nullopt));
      EXPECT_EQ(nodes[i].deals(NodeId{i}), was.has_value());
      EXPECT_EQ(nodes[i].deal().has_value(), was.has_value());
    }
    std::vector<ChosenDealing> redealt;
    for (const std::uint16_t i : std::to_array<std::uint16_t>({0, 2, 5}))
      redealt.push_back({NodeId{i}, *nodes[i].deal(), {}});
    for (const ChosenDealing& c : redealt)
      EXPECT_EQ(nodes[1].check(c.dealer, c.dealing.view()), Dealt::kGood);
    std::vector<GeneratedKey> fresh;
    for (std::uint16_t i = 0; i < 7; ++i) {
      fresh.push_back(finished(nodes, i, redealt));
      EXPECT_EQ(fresh[i].group, old[0].group);
      EXPECT_EQ(ristretto_base(*fresh[i].share), fresh[0].keys.nodes[i]);
    }
    EXPECT_TRUE(coin_keys_agree(fresh[0].keys));
    for (const RistrettoPoint& key : old[0].keys.nodes)
      EXPECT_EQ(std::count(fresh[0].keys.nodes.begin(), fresh[0].keys.nodes.end(), key), 0);
  }
}

TEST(Dkg, ADealerThatResharesSomethingElseIsRefused) {
  const auto before = nodes_of(setup_of(4, 2));
  const auto chosen = chosen_of(before);
  const GeneratedKey old = finished(before, 0, chosen);
  DkgSetup setup = setup_of(4, 2, 1);
  setup.reshares = Reshared{old.keys, {NodeId{0}, NodeId{1}, NodeId{2}, NodeId{3}}};
  ASSERT_TRUE(setup.check());
  const DealtKey honest = node_of(setup, 0, 3, old.share);
  EXPECT_EQ(node_of(setup, 1).check(NodeId{0}, honest.deal()->view()), Dealt::kGood);
  const DealtKey liar = node_of(setup, 1, 3, old.share);  // the share of node 0
  EXPECT_EQ(node_of(setup, 2).check(NodeId{1}, liar.deal()->view()), Dealt::kMalformed);
}

TEST(Dkg, SetupsThatNobodyCanRunSayWhy) {
  const auto says = [](const DkgSetup& s, const char* what) {
    const auto good = s.check();
    ASSERT_FALSE(good);
    EXPECT_EQ(good.error().code, ErrorCode::kRejected);
    EXPECT_NE(good.error().text().find(what), std::string::npos) << good.error();
  };
  EXPECT_TRUE(setup_of(4, 3).check());
  says(setup_of(4, 4), "threshold is 4");
  says(setup_of(4, 0), "threshold is 0");
  DkgSetup setup = setup_of(4, 3);
  setup.keys[2] = {};
  says(setup, "no element");
  setup.keys.pop_back();
  says(setup, "3 keys for 4 nodes");
  setup = setup_of(4, 3);
  const auto deal = deal_coin(4, 2, {});
  setup.reshares = Reshared{deal->keys, {NodeId{0}, NodeId{1}, NodeId{1}, {}}};
  says(setup, "named twice");
  setup.reshares->before = {NodeId{0}, {}, {}, {}};
  says(setup, "change fewer nodes");
  setup.reshares->before.pop_back();
  says(setup, "3 of 4 nodes");
  setup.reshares->keys = {};
  setup.reshares->before.resize(4);
  says(setup, "old keys do not belong");
}

}  // namespace
}  // namespace thresher::crypto
