// The coin of lowest tickets: what counts, what is said after a restart, who can break it.
#include "thresher/protocols/coin/vrf_coin.hpp"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "../../timed.hpp"
#include "thresher/protocols/coin/ideal_lottery.hpp"

namespace thresher::coin {
namespace {

using Lotteries = std::vector<std::shared_ptr<const crypto::VrfScheme>>;

Lotteries real(std::uint16_t n) {
  std::vector<crypto::VrfSeed> seeds(n);
  std::vector<PublicKey> keys;
  for (std::uint16_t i = 0; i < n; ++i) {
    seeds[i].fill(static_cast<std::byte>(i + 1));
    keys.push_back(crypto::vrf_public_key(seeds[i]));
  }
  Lotteries out;
  for (std::uint16_t i = 0; i < n; ++i)
    out.push_back(std::make_shared<crypto::VrfLottery>(ChainContext{}, keys, seeds[i]));
  return out;
}

Lotteries ideal(std::uint16_t n) {
  Lotteries out;
  for (std::uint16_t i = 0; i < n; ++i) out.push_back(std::make_shared<IdealLottery>(NodeId{i}, 5));
  return out;
}

/// The node that drew the lowest ticket, and its value.
std::pair<std::uint16_t, Digest> lowest(const Lotteries& schemes, std::uint64_t instance) {
  std::pair<std::uint16_t, Digest> out;
  for (std::uint16_t i = 0; i < schemes.size(); ++i) {
    const Digest value = *schemes[i]->check(instance, NodeId{i}, *schemes[i]->draw(instance));
    if (i == 0 || value < out.second) out = {i, value};
  }
  return out;
}

class Nodes {
 public:
  explicit Nodes(Lotteries schemes)
      : lotteries(std::move(schemes)),
        net(static_cast<std::uint32_t>(lotteries.size()),
            [this](NodeId id) {
              return VrfCoin(
                  {.committee = *Committee::of(static_cast<std::uint32_t>(lotteries.size())),
                   .self = id,
                   .scheme = lotteries[id.value]});
            }),
        values(lotteries.size()) {
    net.delivered = [this](std::uint16_t i, const Tossed& t) {
      const auto [it, fresh] = values[i].emplace(t.instance, t.value);
      EXPECT_TRUE(fresh || it->second == t.value) << "a restarted node has another value";
    };
  }
  void toss_all(std::uint64_t instance) {
    for (std::uint16_t i = 0; i < net.size(); ++i) toss(i, instance);
  }
  void toss(std::uint16_t i, std::uint64_t instance) { net.feed(i, Requested<Toss>{{instance}}); }

  Lotteries lotteries;
  Timed<VrfCoin> net;
  std::vector<std::map<std::uint64_t, Digest>> values;
};

TEST(VrfCoin, ReadsItsMessagesBack) {
  crypto::VrfProof proof{};
  proof[0] = std::byte{7};
  for (const VrfMessage& m :
       {VrfMessage(Ticket{9, proof, true}), VrfMessage(Lowest{9, NodeId{3}, proof})}) {
    Writer w;
    encode_vrf(m, w);
    Reader in(w.view());
    const auto again = decode_vrf(in);
    ASSERT_TRUE(again.has_value());
    Writer other;
    encode_vrf(*again, other);
    EXPECT_EQ(w.view().size(), other.view().size());
    EXPECT_TRUE(std::equal(w.view().begin(), w.view().end(), other.view().begin()));
    for (std::size_t size = 0; size < w.view().size(); ++size) {
      Reader shorter(w.view().first(size));
      EXPECT_FALSE(decode_vrf(shorter)) << size;
    }
  }
}

TEST(VrfCoin, GivesTheLowestTicketInFairWeather) {
  for (const std::uint16_t n : {std::uint16_t{1}, std::uint16_t{4}, std::uint16_t{7}}) {
    Nodes run(real(n));
    for (std::uint64_t k = 0; k < 3; ++k) run.toss_all(k);
    run.net.run_until(5 * kDelta);
    for (std::uint16_t i = 0; i < n; ++i) {
      ASSERT_EQ(run.values[i].size(), 3u);
      EXPECT_EQ(run.net.node(i).stats().refused, 0u);
    }
    for (std::uint64_t k = 0; k < 3; ++k) {
      for (const auto& of_node : run.values) EXPECT_EQ(of_node.at(k), run.values[0].at(k));
    }
  }
}

TEST(VrfCoin, TicketsAreOfTheirNodeInstanceAndChain) {
  const Lotteries schemes = real(4);
  const crypto::VrfProof mine = *schemes[1]->draw(3);
  EXPECT_TRUE(schemes[0]->check(3, NodeId{1}, mine));
  EXPECT_FALSE(schemes[0]->check(4, NodeId{1}, mine));
  EXPECT_FALSE(schemes[0]->check(3, NodeId{2}, mine));
  EXPECT_FALSE(schemes[0]->check(3, NodeId{9}, mine));
  const crypto::VrfLottery watcher(ChainContext{{}, 1}, {}, std::nullopt);
  EXPECT_FALSE(watcher.draw(3));
  EXPECT_FALSE(watcher.check(3, NodeId{1}, mine));
}

// Counts what it is asked to check.
class Counting final : public crypto::VrfScheme {
 public:
  explicit Counting(std::shared_ptr<const crypto::VrfScheme> inner) : inner_(std::move(inner)) {}
  std::optional<crypto::VrfProof> draw(std::uint64_t instance) const override {
    return inner_->draw(instance);
  }
  std::optional<Digest> check(std::uint64_t instance, NodeId from,
                              const crypto::VrfProof& proof) const override {
    ++checks;
    return inner_->check(instance, from, proof);
  }
  mutable std::uint64_t checks = 0;

 private:
  std::shared_ptr<const crypto::VrfScheme> inner_;
};

TEST(VrfCoin, OfALiarOneFalseTicketIsChecked) {
  Lotteries schemes = ideal(4);
  const auto counting = std::make_shared<Counting>(schemes[0]);
  schemes[0] = counting;
  Nodes run(schemes);
  run.net.kill(3);
  run.toss(0, 0);
  const std::uint64_t before = counting->checks;
  for (std::uint8_t k = 0; k < 100; ++k) {
    crypto::VrfProof lie{};
    lie[0] = std::byte{k};
    run.net.say(3, 0, Ticket{0, lie, false});
    run.net.say(3, 0, Lowest{0, NodeId{1}, lie});
  }
  run.net.run_until(kDelta);
  EXPECT_LE(counting->checks - before, 1u);
  EXPECT_EQ(run.net.node(0).stats().refused, 200u);
  for (std::uint16_t i = 1; i < 3; ++i) run.toss(i, 0);
  run.net.run_until(20 * kDelta);
  EXPECT_TRUE(run.values[0].contains(0));
}

TEST(VrfCoin, SaysTheLowestTicketThatItHas) {
  Nodes run(ideal(4));
  std::uint64_t of_others = 0;
  run.net.link = [&](std::uint16_t from, std::uint16_t, const VrfMessage& m) -> std::int64_t {
    const auto* l = std::get_if<Lowest>(&m);
    if (l == nullptr) return 300;
    const auto value = [&](NodeId origin) {
      const auto& scheme = *run.lotteries[origin.value];
      return *scheme.check(l->instance, origin, *scheme.draw(l->instance));
    };
    EXPECT_LE(value(l->origin), value(NodeId{from}));
    of_others += l->origin.value == from ? 0 : 1;
    return 300;
  };
  for (std::uint64_t k = 0; k < 10; ++k) run.toss_all(k);
  run.net.run_until(5 * kDelta);
  EXPECT_GT(of_others, 10u);
}

// docs/protocols/vrf-coin.md: (c - f) / n with c = ceil(((n-f)^2 - n f) / (n - 2f)).
TEST(VrfCoin, TheBoundIsTheCount) {
  EXPECT_EQ(agreement_bound_ppm(*Committee::of(4)), 500'000u);
  EXPECT_EQ(agreement_bound_ppm(*Committee::make(5, 1)), 600'000u);
  EXPECT_EQ(agreement_bound_ppm(*Committee::of(7)), 285'714u);
  EXPECT_EQ(agreement_bound_ppm(*Committee::make(9, 2)), 555'555u);
  EXPECT_EQ(agreement_bound_ppm(*Committee::make(4, 0)), 1'000'000u);
}

// All that the holder of the lowest ticket says is late: it has its own, and the others have not.
TEST(VrfCoin, ASchedulerThatLooksIntoTicketsBreaksIt) {
  Nodes run(ideal(4));
  run.net.link = [&](std::uint16_t from, std::uint16_t, const VrfMessage& m) -> std::int64_t {
    return from == lowest(run.lotteries, instance_of(m)).first ? 3000 : 300;
  };
  for (std::uint64_t k = 0; k < 50; ++k) {
    run.toss_all(k);
    run.net.run_until((k + 1) * 20 * kDelta);
    const auto [holder, value] = lowest(run.lotteries, k);
    for (std::uint16_t i = 0; i < 4; ++i) EXPECT_EQ(run.values[i].at(k) == value, i == holder);
  }
}

TEST(VrfCoin, LostMessagesAreSaidAgain) {
  Nodes run(ideal(4));
  run.net.link = [&](std::uint16_t, std::uint16_t, const VrfMessage&) -> std::int64_t {
    return run.net.now() < 3 * kDelta ? kLost : 300;
  };
  run.toss_all(0);
  run.net.run_until(10 * kDelta);
  for (const auto& of_node : run.values) EXPECT_TRUE(of_node.contains(0));
}

TEST(VrfCoin, ARestartContradictsNothing) {
  for (std::uint64_t at = 0; at < 2000; at += 100) {
    Nodes run(ideal(4));
    std::map<std::uint64_t, NodeId> said;  // by node 2, by instance
    run.net.link = [&](std::uint16_t from, std::uint16_t to, const VrfMessage& m) -> std::int64_t {
      if (const auto* l = std::get_if<Lowest>(&m); l != nullptr && from == 2) {
        EXPECT_EQ(said.emplace(l->instance, l->origin).first->second, l->origin) << "at " << at;
      }
      return 300 + 70 * ((from + to) % 4);
    };
    for (std::uint64_t k = 0; k < 3; ++k) run.toss_all(k);
    run.net.run_until(at);
    run.net.restart(2);
    for (std::uint64_t k = 0; k < 3; ++k) run.toss(2, k);
    run.net.run_until(at + 20 * kDelta);
    for (const auto& of_node : run.values) EXPECT_EQ(of_node.size(), 3u) << "at " << at;
  }
}

// Node 0 hears no tickets and then what the others say of them. It had its value from that, said
// nothing any more, and nodes 1 and 2 waited for it for ever (schedule 90002550).
TEST(VrfCoin, WhoHasItsValueHasSaidWhatOthersNeed) {
  Nodes run(ideal(4));
  run.net.kill(3);
  run.net.link = [&](std::uint16_t, std::uint16_t to, const VrfMessage& m) -> std::int64_t {
    const bool early = run.net.now() < 3 * kDelta;
    return early && to == 0 && std::holds_alternative<Ticket>(m) ? kLost : 300;
  };
  for (std::uint16_t i = 0; i < 3; ++i) run.toss(i, 0);
  run.net.say(3, 0, Lowest{0, NodeId{3}, *run.lotteries[3]->draw(0)});
  run.net.run_until(15 * kDelta);
  for (std::uint16_t i = 0; i < 3; ++i) EXPECT_EQ(run.values[i].size(), 1u) << "node " << i;
}

TEST(VrfCoin, LiesCountForNothing) {
  Nodes run(ideal(4));
  const crypto::VrfProof good = *run.lotteries[3]->draw(0);
  crypto::VrfProof bad = good;
  bad[5] ^= std::byte{1};
  // Before the toss: one ticket and one Lowest of an instance wait, and 64 messages of a peer.
  for (std::uint64_t k = 0; k < 2 * kEarlyShares; ++k)
    run.net.say(3, 0, Lowest{k + 10, NodeId{3}, good});
  run.net.run_until(kDelta);
  EXPECT_EQ(run.net.node(0).early_messages(), kEarlyShares);
  EXPECT_EQ(run.net.node(0).stats().unused, kEarlyShares);
  EXPECT_EQ(run.net.node(0).stats().refused, 0u);
  run.toss(0, 0);
  const auto refused = run.net.node(0).stats().refused;
  run.net.say(3, 0, Ticket{0, bad, false});
  run.net.say(3, 0, Lowest{0, NodeId{2}, good});  // not 2's
  run.net.say(3, 0, Lowest{0, NodeId{9}, good});
  run.net.say(3, 0, Ticket{0, good, false});
  run.net.say(3, 0, Lowest{0, NodeId{3}, good});
  run.net.run_until(2 * kDelta);
  // Nor does what it says right after a lie.
  EXPECT_EQ(run.net.node(0).stats().refused, refused + 5);
  EXPECT_TRUE(run.values[0].empty());
  for (std::uint16_t i = 1; i < 3; ++i) run.toss(i, 0);
  run.net.run_until(12 * kDelta);
  EXPECT_EQ(run.values[0].size(), 1u);
}

TEST(VrfCoin, RemembersSoManyInstances) {
  Nodes run(ideal(1));
  for (std::uint64_t k = 0; k < 3000; ++k) run.toss(0, k);
  EXPECT_EQ(run.net.node(0).instances(), 1025u);
  run.net.restart(0);
  EXPECT_LE(run.net.node(0).instances(), 1025u);
  run.toss(0, 5);
  EXPECT_EQ(run.values[0].size(), 3000u);
}

}  // namespace
}  // namespace thresher::coin
