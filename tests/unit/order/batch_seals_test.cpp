// HoneyBadger with encrypted batches: nobody reads one before it is ordered, and lost, false and
// superfluous shares of decryptions neither stop a node nor fill it.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "../../timed.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/crypto/threshold_encryption.hpp"
#include "thresher/protocols/order/honey_badger.hpp"
#include "thresher/protocols/order/honey_badger_wire.hpp"

namespace thresher {
namespace {

using namespace honey_badger;  // NOLINT(google-build-using-namespace): its messages

constexpr std::uint32_t kNodes = 4;
constexpr std::uint64_t kWindow = 8;

Bytes payload(std::uint64_t k) {
  return Bytes::copy_of(as_view("a payload that nobody shall see, number " + std::to_string(k)));
}

class Encrypted {
 public:
  explicit Encrypted(Threshold shares = kAvailability, std::uint64_t window = kWindow)
      : deal(*crypto::deal_coin(kNodes, Committee::of(kNodes)->at_least(shares), {})),
        window_(window),
        net(kNodes, [this](NodeId id) { return HoneyBadger(config_of(id)); }),
        ordered(kNodes) {
    net.delivered = [this](std::uint16_t i, const Delivery& d) { ordered[i].push_back(d.value); };
  }
  HoneyBadger::Config config_of(NodeId id) const {
    HoneyBadger::Config c;
    c.committee = *Committee::of(kNodes);
    c.self = id;
    c.window = window_;
    c.coin = std::make_shared<crypto::ThresholdCoin>(ChainContext{}, deal.keys, id,
                                                     deal.secrets[id.value]);
    c.encryption = std::make_shared<crypto::ThresholdEncryption>(ChainContext{}, deal.keys, id,
                                                                 deal.secrets[id.value]);
    return c;
  }
  void submit(std::uint64_t i, std::uint64_t k) {
    net.feed(static_cast<std::uint16_t>(i), Requested<Submit>{{payload(k)}});
  }
  void expect_all(const std::set<std::uint16_t>& among, std::size_t count) {
    for (const std::uint16_t i : among) {
      EXPECT_EQ(ordered[i].size(), count) << "node " << i;
      EXPECT_EQ(ordered[i], ordered[*among.begin()]);
    }
  }

  crypto::CoinDeal deal;
  std::uint64_t window_;
  Timed<HoneyBadger> net;
  std::vector<std::vector<Bytes>> ordered;
};

bool is_agreement(const HoneyBadger::Message& m) {
  const auto* of_subset = std::get_if<Subset::Message>(&m);
  return of_subset != nullptr && std::holds_alternative<BcaAgreement::Message>(*of_subset);
}
bool is_reveal(const HoneyBadger::Message& m) {
  return std::holds_alternative<Reveal>(m);
}
// Whether some of a payload stands in what travels.
bool shows(const HoneyBadger::Message& m) {
  const WireParts parts = encode(m);
  const ByteView words = as_view("that nobody");
  const auto has = [&](ByteView in) {
    return std::search(in.begin(), in.end(), words.begin(), words.end()) != in.end();
  };
  return has(parts.control.view()) || has(parts.payload.view());
}

// All batches are everywhere, but nothing is agreed: no node says anything that opens one.
TEST(BatchSeals, NothingIsSeenUntilTheSubsetIsAgreed) {
  for (const Threshold shares : {kValidity, kAvailability}) {
    Encrypted run(shares);
    bool stalled = true;
    std::uint64_t reveals = 0;
    std::uint64_t shown = 0;
    run.net.link = [&](std::uint16_t, std::uint16_t, const HoneyBadger::Message& m) {
      reveals += is_reveal(m) ? 1 : 0;
      shown += shows(m) ? 1 : 0;
      return stalled && is_agreement(m) ? kLost : 300;
    };
    for (std::uint16_t i = 0; i < kNodes; ++i) run.submit(i, i);
    run.net.run_until(60 * kDelta);
    EXPECT_EQ(reveals, 0u);
    stalled = false;
    run.net.run_until(200 * kDelta);
    run.expect_all({0, 1, 2, 3}, kNodes);
    EXPECT_GT(reveals, 0u);
    EXPECT_EQ(shown, 0u);
  }
}

// One node hears no share for long, while the others finish and fall silent; in the second run they
// also lose what they did not write down.
TEST(BatchSeals, WhoLostTheSharesAsksForThem) {
  for (const bool outage : {false, true}) {
    Encrypted run;
    bool lost = true;
    run.net.link = [&](std::uint16_t, std::uint16_t to, const HoneyBadger::Message& m) {
      const bool answers = is_reveal(m) || std::holds_alternative<Decided>(m);
      return lost && to == 0 && answers ? kLost : 300;
    };
    for (std::uint16_t i = 0; i < kNodes; ++i) run.submit(i, i);
    run.net.run_until(60 * kDelta);
    run.expect_all({1, 2, 3}, kNodes);
    EXPECT_TRUE(run.ordered[0].empty());
    for (std::uint16_t i = 1; outage && i < kNodes; ++i) {
      run.net.kill(i);
      run.net.restart(i);
    }
    run.net.run_until(80 * kDelta);
    // Slots that peers vouch for are another way; this one is to be enough.
    run.net.link = [&](std::uint16_t, std::uint16_t, const HoneyBadger::Message& m) {
      return std::holds_alternative<Decided>(m) ? kLost : 300;
    };
    lost = false;
    run.net.run_until(100 * kDelta);
    EXPECT_EQ(run.ordered[0].size(), kNodes) << (outage ? "after an outage" : "");
  }
}

// All are killed while the subset is agreed and no batch is open.
TEST(BatchSeals, AnOutageOfAllInBetweenIsSurvived) {
  Encrypted run;
  bool lost = true;
  run.net.link = [&](std::uint16_t, std::uint16_t, const HoneyBadger::Message& m) {
    return lost && is_reveal(m) ? kLost : 300;
  };
  for (std::uint16_t i = 0; i < kNodes; ++i) run.submit(i, i);
  run.net.run_until(60 * kDelta);
  for (std::uint16_t i = 0; i < kNodes; ++i) run.net.kill(i);
  lost = false;
  for (std::uint16_t i = 0; i < kNodes; ++i) run.net.restart(i);
  run.net.run_until(120 * kDelta);
  run.expect_all({0, 1, 2, 3}, kNodes);
}

// A liar's shares come first, in all epochs, of all kinds: it is named, and costs no order.
TEST(BatchSeals, FalseSharesAreTheirSenders) {
  Encrypted run;
  run.net.kill(3);
  Prng random(1);
  run.net.every(kDelta, [&] {
    for (std::uint16_t to = 0; to < 3; ++to) {
      Reveal lie{run.net.node(to).epoch(), random.below(2) == 0, {}};
      for (std::uint16_t o = 0; o < kNodes; ++o) {
        if (random.below(4) == 0) continue;
        lie.shares.push_back({NodeId{o}, {}});
        lie.shares.back().share.bytes[random.below(96)] = static_cast<std::byte>(random.next());
      }
      run.net.say(3, to, lie);
    }
  });
  for (std::uint64_t k = 0; k < 12; ++k) {
    run.submit(k % 3, k);
    run.net.run_until((k + 1) * 40 * kDelta);
  }
  run.expect_all({0, 1, 2}, 12);
  for (std::uint16_t i = 0; i < 3; ++i) {
    const auto by = run.net.node(i).false_shares();
    EXPECT_GT(by[3], 0u);
    EXPECT_LE(by[3], run.net.node(i).epoch() + 1) << "once an epoch, and then it is not heard";
    EXPECT_EQ(by[0] + by[1] + by[2], 0u);
    EXPECT_EQ(run.net.node(i).refused(), by[3]);
  }
}

TEST(BatchSeals, PeersFillNoMoreThanIsPromised) {
  Encrypted run;
  run.net.kill(3);
  const std::size_t most = run.net.node(0).most_held().decryption_shares;
  for (std::uint64_t round = 0; round < 30; ++round) {
    run.submit(round % 3, round);
    for (std::uint64_t epoch = 0; epoch < 3 * kWindow; ++epoch) {
      Reveal lie{epoch, true, {}};
      for (std::uint16_t o = 0; o < kNodes; ++o) lie.shares.push_back({NodeId{o}, {}});
      for (std::uint16_t to = 0; to < 3; ++to) run.net.say(3, to, lie);
    }
    run.net.run_until((round + 1) * 30 * kDelta);
    for (std::uint16_t i = 0; i < 3; ++i)
      EXPECT_LE(run.net.node(i).footprint().decryption_shares, most);
  }
  run.expect_all({0, 1, 2}, 30);
}

// A question a message would be an amplifier.
TEST(BatchSeals, WhoAsksWithoutEndIsToldOnce) {
  Encrypted run;
  for (std::uint16_t i = 0; i < kNodes; ++i) run.submit(i, i);
  run.net.run_until(60 * kDelta);
  std::uint64_t told = 0;
  run.net.link = [&](std::uint16_t from, std::uint16_t to, const HoneyBadger::Message& m) {
    told += from == 0 && to == 3 && is_reveal(m) ? 1 : 0;
    return 300;
  };
  for (int k = 0; k < 100; ++k) run.net.say(3, 0, Reveal{0, true, {}});
  run.net.run_until(run.net.now() + kDelta);
  EXPECT_EQ(told, 1u);
}

TEST(BatchSeals, WithoutEncryptionAShareIsRefused) {
  Encrypted run;
  HoneyBadger::Config plain = run.config_of(NodeId{0});
  plain.encryption = nullptr;
  HoneyBadger node(plain);
  HoneyBadger::Fx fx;
  node.on(Received<HoneyBadger::Message>{NodeId{1}, Reveal{0, true, {}}}, fx);
  EXPECT_EQ(node.refused(), 1u);
  EXPECT_TRUE(fx.list().empty());
}

TEST(BatchSealsWire, RevealsSurviveAndNothingElsePasses) {
  const Committee c = *Committee::of(kNodes);
  Reveal m{7, true, {{NodeId{0}, {}}, {NodeId{2}, {}}}};
  m.shares[1].share.bytes[95] = std::byte{9};
  const auto again = decode_honey_badger(encode(m), c);
  ASSERT_TRUE(again && is_reveal(*again));
  EXPECT_EQ(encode(*again).control, encode(m).control);
  EXPECT_TRUE(decode_honey_badger(encode(Reveal{1, false, {}}), c));
  const auto refused = [&](const Reveal& wrong) {
    return !decode_honey_badger(encode(wrong), c).has_value();
  };
  EXPECT_TRUE(refused({7, true, {{NodeId{2}, {}}, {NodeId{0}, {}}}}));
  EXPECT_TRUE(refused({7, true, {{NodeId{2}, {}}, {NodeId{2}, {}}}}));
  EXPECT_TRUE(refused({7, true, {{NodeId{4}, {}}}}));
  const WireParts whole = encode(m);
  for (std::size_t cut = 1; cut < whole.control.size(); ++cut) {
    const auto less = decode_honey_badger({whole.control.slice(0, cut), {}}, c);
    EXPECT_EQ(less.has_value(), cut == 10 || cut == 10 + 98) << "a share less is another message";
  }
  EXPECT_FALSE(decode_honey_badger({whole.control, payload(1)}, c));
}

}  // namespace
}  // namespace thresher
