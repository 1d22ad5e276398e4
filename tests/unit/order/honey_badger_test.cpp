// HoneyBadger against liars that fill batches and queues, ask without end, and keep a node's
// batches and copies back.
#include "thresher/protocols/order/honey_badger.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "../../timed.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/protocols/coin/ideal_coin.hpp"
#include "thresher/protocols/coin/ideal_encryption.hpp"

namespace thresher {
namespace {

using namespace honey_badger;  // NOLINT(google-build-using-namespace): its messages

constexpr std::uint32_t kNodes = 4;

HoneyBadger::Config config_of(NodeId self) {
  HoneyBadger::Config c;
  c.committee = *Committee::of(kNodes);
  c.self = self;
  c.coin = std::make_shared<coin::IdealCoin>(2, self, 7);
  return c;
}
Bytes numbered(std::uint64_t k, std::size_t size = sizeof(std::uint64_t)) {
  auto bytes = Writer().u64(k).take();
  bytes.resize(size);
  return Bytes::from(std::move(bytes));
}
Requested<Submit> request(std::uint64_t k, std::size_t size = sizeof(std::uint64_t)) {
  return {{numbered(k, size)}};
}

// Encrypts another batch than its node has, as only a liar does.
class LiarsScheme final : public crypto::EncryptionScheme {
 public:
  LiarsScheme(NodeId self, Bytes batch) : honest_(2, self, 9), batch_(std::move(batch)) {}

  std::uint32_t threshold() const override { return honest_.threshold(); }
  std::size_t overhead() const override { return honest_.overhead(); }
  std::optional<Bytes> encrypt(ByteView label, ByteView) const override {
    return honest_.encrypt(label, batch_.view());
  }
  bool valid(ByteView label, ByteView sealed) const override {
    return honest_.valid(label, sealed);
  }
  std::optional<crypto::DecryptionShare> share(ByteView label, ByteView sealed) const override {
    return honest_.share(label, sealed);
  }
  void verify(ByteView label, ByteView sealed, std::span<const crypto::DecryptionClaim> claims,
              std::span<std::uint8_t> verdicts) const override {
    honest_.verify(label, sealed, claims, verdicts);
  }
  std::optional<Bytes> combine(ByteView label, ByteView sealed,
                               std::span<const crypto::DecryptionClaim> claims) const override {
    return honest_.combine(label, sealed, claims);
  }

 private:
  coin::IdealEncryption honest_;
  Bytes batch_;
};

// One batch of one-byte payloads took 52,428 slots, and transactions live 16,384.
TEST(HoneyBadgerBatches, OfALiarLetNoTransactionExpire) {
  std::vector<Bytes> tiny(config_of(NodeId{0}).batch_bytes / 5);
  for (Bytes& b : tiny) b = Bytes::copy_of(as_view("x"));
  for (const std::size_t count : {tiny.size(), most_payloads(*Committee::of(kNodes)) + 1}) {
    tiny.resize(count);
    Timed<HoneyBadger> net(kNodes, [&](NodeId id) {
      HoneyBadger::Config c = config_of(id);
      if (id == NodeId{0})
        c.encryption = std::make_shared<LiarsScheme>(id, encode_batch(tiny));
      else
        c.encryption = std::make_shared<coin::IdealEncryption>(2, id, 9);
      return HoneyBadger(c);
    });
    std::uint64_t slots = 0;
    std::set<std::uint64_t> ordered;
    net.delivered = [&](std::uint16_t i, const Delivery& d) {
      if (i != 2 || d.value.size() != 8) return;
      ordered.insert(Reader(d.value.view()).u64());
      slots = d.slot + 1;
    };
    for (std::uint64_t k = 0; k < 9; ++k) {
      net.feed(static_cast<std::uint16_t>(1 + k % 3), request(k));
      if (k % 3 == 2) net.run_until((k + 1) * 10 * kDelta);
    }
    EXPECT_EQ(ordered, (std::set<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
    EXPECT_LE(slots, net.node(2).epoch() * kEpochSlots);
    EXPECT_EQ(slots, 9u) << "a batch of too many counts as empty";
  }
}

TEST(HoneyBadgerBatches, HoldSoManyPayloadsThatAnEpochIsShort) {
  for (std::uint32_t n = 1; n <= Avid::kMostNodes; ++n) {
    const std::size_t most = most_payloads(*Committee::of(n));
    EXPECT_GE(most, 4u);
    EXPECT_LE(n * most, kEpochSlots);
  }
  const std::size_t most = most_payloads(*Committee::of(kNodes));
  std::vector<Bytes> values(most, numbered(1));
  EXPECT_TRUE(decode_batch(encode_batch(values), 8, most));
  values.push_back(numbered(1));
  EXPECT_FALSE(decode_batch(encode_batch(values), 8, most));
}

// A node with more than a batch holds has several, and orders all.
TEST(HoneyBadgerBatches, OfCorrectNodesAreWithinTheBound) {
  Timed<HoneyBadger> net(kNodes, [](NodeId id) { return HoneyBadger(config_of(id)); });
  std::uint64_t ordered = 0;
  net.delivered = [&](std::uint16_t i, const Delivery&) { ordered += i == 2 ? 1 : 0; };
  for (std::uint64_t k = 0; k < 300; ++k) net.feed(1, request(k));
  net.run_until(200 * kDelta);
  EXPECT_EQ(ordered, 300u);
}

// Two batches of one epoch have a payload, and between them stand more than the history remembers.
TEST(HoneyBadgerBatches, ACopyInOneEpochIsDeliveredOnce) {
  Timed<HoneyBadger> net(kNodes, [](NodeId id) {
    HoneyBadger::Config c = config_of(id);
    c.history = 16;
    return HoneyBadger(c);
  });
  std::map<std::uint64_t, std::uint64_t> times;
  net.delivered = [&](std::uint16_t i, const Delivery& d) {
    if (i == 0) ++times[Reader(d.value.view()).u64()];
  };
  for (std::uint64_t e = 0; e < 4; ++e) {
    for (std::uint16_t i = 0; i < kNodes; ++i) net.feed(i, request(90'000 + 4 * e + i));
    for (std::uint64_t j = 0; j < 60; ++j) net.feed(1, request(1000 * (e + 1) + j));
    net.feed(0, request(e));
    net.feed(2, request(e));
    net.run_until((e + 1) * 60 * kDelta);
  }
  for (std::uint64_t e = 0; e < 4; ++e) EXPECT_EQ(times[e], 1u) << e;
  for (const auto& [value, count] : times) EXPECT_EQ(count, 1u) << value;
}

bool is_forward(const HoneyBadger::Message& m) {
  return std::holds_alternative<Forward>(m);
}
// Whether it belongs to the broadcast of the node's batches.
bool is_batch_of(NodeId origin, const HoneyBadger::Message& m) {
  const auto* subset = std::get_if<Subset::Message>(&m);
  const auto* batch = subset != nullptr ? std::get_if<Avid::Message>(subset) : nullptr;
  return batch != nullptr && std::visit(
                                 [&](const auto& x) {
                                   if constexpr (requires { x.instance.origin; })
                                     return x.instance.origin == origin;
                                   return false;
                                 },
                                 *batch);
}

// The scheduler keeps the batches of node 3 back; the others have something to order all the time.
class LeftOut {
 public:
  static constexpr std::uint64_t kMine = 1'000'000;

  LeftOut() : net(kNodes, [](NodeId id) { return HoneyBadger(config_of(id)); }) {
    net.delivered = [this](std::uint16_t i, const Delivery& d) {
      if (i == 1 && Reader(d.value.view()).u64() == kMine) ++ordered;
    };
    net.link = [this](std::uint16_t from, std::uint16_t to, const HoneyBadger::Message& m) {
      const bool lost = (cut && (from == 3 || to == 3)) || (lose && from == 3 && is_forward(m));
      return lost ? kLost : is_batch_of(NodeId{3}, m) ? std::int64_t{3000} : std::int64_t{50};
    };
  }
  void run(std::uint64_t deltas) {
    for (std::uint64_t end = net.now() + deltas * kDelta; net.now() < end;) {
      for (std::uint16_t i = 0; i < 3; ++i) net.feed(i, request(++others));
      net.run_until(net.now() + kDelta);
    }
  }

  Timed<HoneyBadger> net;
  std::uint64_t others = 0;
  std::uint64_t ordered = 0;
  bool cut = false;
  bool lose = false;
};

TEST(HoneyBadgerLeftOut, ALiarWhoToldThePayloadBeforeDisarmsNothing) {
  LeftOut all;
  all.run(5);
  all.net.feed(3, Received<HoneyBadger::Message>{NodeId{2}, Forward{numbered(LeftOut::kMine)}});
  all.run(10);
  all.net.feed(3, request(LeftOut::kMine));
  all.run(40);
  EXPECT_EQ(all.ordered, 1u);
}

// `fault` begins with the request of node 3, which is ordered within `deltas` of its end.
void expect_ordered_once_it_ends(bool LeftOut::*fault, std::uint64_t deltas) {
  LeftOut all;
  all.run(10);
  all.net.feed(3, request(LeftOut::kMine));
  all.*fault = true;
  all.run(30);
  EXPECT_EQ(all.ordered, 0u);
  all.*fault = false;
  all.run(deltas);
  EXPECT_EQ(all.ordered, 1u);
}

TEST(HoneyBadgerLeftOut, EpochsThatWerePassedOverCount) {
  expect_ordered_once_it_ends(&LeftOut::cut, 80);
}

TEST(HoneyBadgerLeftOut, CopiesThatWereLostAreSentAgain) {
  expect_ordered_once_it_ends(&LeftOut::lose, 40);
}

// A liar's queue is full of what is small at all nodes, and their own queues are longer than a
// batch.
TEST(HoneyBadgerLeftOut, NeitherFullQueuesNorOwnPayloadsKeepACopyOut) {
  LeftOut all;
  for (std::uint64_t k = 0; k < 1000; ++k) {
    for (std::uint16_t to = 0; to < 3; ++to) {
      all.net.feed(to, request(10'000 * (to + std::uint64_t{1}) + k));
      if (to != 2) all.net.say(2, to, Forward{numbered(50'000 + k)});
    }
  }
  all.net.feed(3, request(LeftOut::kMine));
  all.run(15);
  EXPECT_EQ(all.ordered, 1u);
}

// The others have more of their own than a batch holds, at all times.
TEST(HoneyBadgerLeftOut, LargeOwnPayloadsKeepNoCopyOut) {
  LeftOut all;
  constexpr std::size_t kLarge = 60'000;
  all.net.feed(3, request(LeftOut::kMine, kLarge));
  for (std::uint64_t k = 0; k < 150; ++k) {
    for (std::uint16_t i = 0; i < 3; ++i) {
      for (int queued = 0; queued < 4; ++queued) all.net.feed(i, request(++all.others, kLarge));
    }
    all.net.run_until(all.net.now() + kDelta / 10);
  }
  EXPECT_EQ(all.ordered, 1u);
}

// 1,000 questions of 26 bytes were answered with 4 GB.
TEST(HoneyBadgerQuestions, OfOnePeerAreAnsweredWithinABoundInTime) {
  constexpr std::size_t kSize = 65536;
  HoneyBadger node(config_of(NodeId{0}));
  const auto feed = [&](const InputOf<HoneyBadger>& input) {
    HoneyBadger::Fx fx;
    step(node, input, fx);
    return fx;
  };
  feed(Start{1});
  for (std::uint64_t s = 0; s < 64; ++s) {
    for (const std::uint16_t p : {std::uint16_t{1}, std::uint16_t{2}}) {
      const Decided told{s, Bytes::from(std::vector<std::byte>(kSize, std::byte(s + 1)))};
      feed(Received<HoneyBadger::Message>{NodeId{p}, told});
    }
  }
  ASSERT_EQ(node.delivered(), 64u);
  const auto bytes_for = [&](NodeId peer, int questions) {
    std::uint64_t bytes = 0;
    for (int i = 0; i < questions; ++i) {
      HoneyBadger::Fx fx = feed(Received<HoneyBadger::Message>{peer, Status{0, 0, 0, true}});
      for (const auto& effect : fx.list()) {
        const auto* sent = std::get_if<Send<HoneyBadger::Message>>(&effect);
        const auto* told = sent != nullptr ? std::get_if<Decided>(&sent->message) : nullptr;
        bytes += told != nullptr ? told->value.size() : 0;
      }
    }
    return bytes;
  };
  EXPECT_LE(bytes_for(NodeId{3}, 1000), (64u << 20) + kSize);
  EXPECT_EQ(bytes_for(NodeId{3}, 1), 0u);
  EXPECT_EQ(bytes_for(NodeId{2}, 1), 64 * kSize) << "another peer is served";
  feed(Expired{{1, {}}});
  EXPECT_EQ(bytes_for(NodeId{3}, 1), 64 * kSize) << "it asks again, and is served";
}

}  // namespace
}  // namespace thresher
