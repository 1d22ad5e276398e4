// What the pages promise of messages, bytes and delays, in numbers that are counted and not timed.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "../../timed.hpp"
#include "thresher/protocols/broadcast/chained_wire.hpp"

namespace thresher {
namespace {

constexpr std::uint64_t kLink = 300;

Bytes filled(std::size_t size, std::uint64_t with) {
  return Bytes::from(std::vector<std::byte>(size, static_cast<std::byte>(with)));
}

struct Cost {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t most_behind = 0;  ///< instances after one that its delivery took, at any node
};

// A stream of node 0 that goes on: a payload every `period`, and no node faulty.
Cost of_a_stream(std::uint32_t n, std::uint32_t c, std::size_t size, std::uint64_t period) {
  constexpr std::uint64_t kInstances = 512;
  Timed<ChainedEcho> net(n, [=](NodeId id) {
    ChainedEcho::Config config;
    config.committee = *Committee::of(n);
    config.self = id;
    config.speakers = c;
    config.window = 256;
    return ChainedEcho(config);
  });
  Cost cost;
  net.link = [&](auto, auto, const auto& m) {
    ++cost.messages;
    cost.bytes += encode(m).size();
    return std::int64_t{kLink};
  };
  std::uint64_t sent = 0;
  std::map<std::uint16_t, std::uint64_t> next;
  net.delivered = [&](std::uint16_t i, const broadcast::Delivery& d) {
    EXPECT_EQ(d.instance.number, next[i]++);
    cost.most_behind = std::max(cost.most_behind, sent - 1 - d.instance.number);
  };
  for (; sent < kInstances; net.run_until(net.now() + period)) {
    ++sent;
    net.feed(0, Requested<broadcast::Submit>{{filled(size, sent)}});
  }
  // What all say when it pauses belongs to no instance.
  const Cost going_on{cost.messages / kInstances, cost.bytes / kInstances, cost.most_behind};
  net.run_until(net.now() + 200 * kDelta);
  for (std::uint16_t i = 0; i < n; ++i) EXPECT_EQ(next[i], kInstances) << i;
  return going_on;
}

TEST(Figures, AStreamOfChainedEchoCostsWhatItsPageSays) {
  for (const std::uint32_t n : {4u, 16u, 31u}) {
    for (const std::uint32_t c : {1u, 2u, 4u}) {
      // So fast that everybody's turn comes within a tick: after two of them news is said anyway.
      const std::uint64_t period = 3 * kDelta * c / n;
      const Cost cost = of_a_stream(n, c, 800 * c, period);
      // A speaker says its echo, and with a flush or at a tick its ready as well.
      EXPECT_LE(cost.messages, n * (1 + 2 * c)) << n << ' ' << c;
      EXPECT_LE(10 * cost.bytes, 11 * n * 800 * c) << n << ' ' << c;
      // Half of them by echoes, the rest by readies; what is on its way meanwhile comes on top.
      EXPECT_LE(cost.most_behind, 2 * ((n + c - 1) / c) + 2 + 2 * kLink / period) << n << ' ' << c;
      EXPECT_GE(cost.messages, n - 1);
    }
  }
}

// An origin with nothing else on the way asks all to speak.
TEST(Figures, OnePayloadOfChainedEchoTakesTwoDelaysOrThree) {
  for (const bool one_is_down : {false, true}) {
    Timed<ChainedEcho> net(4, [](NodeId id) {
      ChainedEcho::Config config;
      config.self = id;
      return ChainedEcho(config);
    });
    net.link = [](auto, auto, const auto&) { return std::int64_t{kLink}; };
    if (one_is_down) net.kill(3);
    std::uint64_t sent_at = 0;
    std::uint64_t deliveries = 0;
    net.delivered = [&](std::uint16_t, const broadcast::Delivery&) {
      ++deliveries;
      EXPECT_EQ(net.now() - sent_at, (one_is_down ? 3 : 2) * kLink);
    };
    for (std::uint64_t k = 0; k < 10; ++k) {
      sent_at = net.now();
      net.feed(0, Requested<broadcast::Submit>{{filled(32, k)}});
      net.run_until(net.now() + 20 * kDelta);
    }
    EXPECT_EQ(deliveries, one_is_down ? 30u : 40u);
  }
}

}  // namespace
}  // namespace thresher
