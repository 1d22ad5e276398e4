// What the pages promise of messages, bytes and delays, in numbers that are counted and not timed.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "../../timed.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/protocols/broadcast/chained_wire.hpp"

namespace thresher {
namespace {

constexpr std::uint64_t kLink = 300;

Bytes filled(std::size_t size, std::uint64_t with) {
  return Bytes::from(std::vector<std::byte>(size, static_cast<std::byte>(with)));
}

struct Cost {
  std::uint64_t messages = 0;  ///< of all that are counted, as the bytes
  std::uint64_t bytes = 0;
  std::uint64_t most_behind = 0;  ///< instances after one that its delivery took, at any node
};

constexpr std::uint64_t kInstances = 512;  // that are counted
constexpr std::uint64_t kBegin = 64;       // before them; what all say of the first is over by then

// A stream of node 0 that goes on: a payload every `period`, and no node faulty.
Cost of_a_stream(std::uint32_t n, std::uint32_t c, std::size_t size, std::uint64_t period) {
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
  for (; sent < kBegin + kInstances; net.run_until(net.now() + period)) {
    if (sent == kBegin) cost = {.most_behind = cost.most_behind};
    ++sent;
    net.feed(0, Requested<broadcast::Submit>{{filled(size, sent)}});
  }
  // What all say when it pauses belongs to no instance.
  const Cost going_on = cost;
  net.run_until(net.now() + 200 * kDelta);
  for (std::uint16_t i = 0; i < n; ++i) EXPECT_EQ(next[i], kBegin + kInstances) << i;
  return going_on;
}

TEST(Figures, AStreamOfChainedEchoCostsWhatItsPageSays) {
  for (const std::uint32_t n : {4u, 16u, 31u}) {
    for (const std::uint32_t c : {1u, 2u, 4u}) {
      // So fast that everybody's turn comes within a tick: after two of them news is said anyway.
      // And so fast that something is always on the way: else the origin asks all to speak.
      const std::uint64_t period = std::min(3 * kDelta * c / n, kLink);
      const Cost cost = of_a_stream(n, c, 800 * c, period);
      EXPECT_LE(cost.messages, kInstances * n * (1 + c)) << n << ' ' << c;
      EXPECT_LE(10 * cost.bytes, kInstances * 11 * n * 800 * c) << n << ' ' << c;
      // Half of them by echoes, the rest by readies; what is on its way meanwhile comes on top.
      EXPECT_LE(cost.most_behind, 2 * ((n + c - 1) / c) + 2 + 2 * kLink / period) << n << ' ' << c;
      EXPECT_GE(cost.messages, n - 1);
    }
  }
}

enum class Liar : std::uint8_t {
  kMute,      // says nothing, whoever asks
  kInventor,  // stands on heads that nobody else knows, and asks for the way to others
};

// What correct nodes pay for the same stream when the last f nodes lie and each message takes as
// long as the scheduler likes, up to `slowest`.
Cost under_attack(std::uint32_t n, std::uint32_t c, Liar liar, std::uint64_t slowest,
                  std::uint64_t period) {
  const Committee committee = *Committee::of(n);
  const auto correct = static_cast<std::uint16_t>(n - committee.faults());
  Timed<ChainedEcho> net(n, [=](NodeId id) {
    ChainedEcho::Config config;
    config.committee = committee;
    config.self = id;
    config.speakers = c;
    config.window = 512;  // who is mute is waited for a while
    return ChainedEcho(config);
  });
  Prng rng(n * 100 + c);
  Cost cost;
  std::map<std::uint16_t, std::uint64_t> next;
  std::uint64_t sent = 0;
  std::map<std::pair<std::uint16_t, std::uint16_t>, std::uint64_t> last;
  net.link = [&](std::uint16_t from, std::uint16_t to, const auto& m) {
    if (from < correct) {
      ++cost.messages;
      cost.bytes += encode(m).size();
    }
    // In order, as a connection keeps it.
    std::uint64_t& arrives = last[{from, to}];
    arrives = std::max(arrives, net.now() + 1 + rng.below(slowest));
    return static_cast<std::int64_t>(arrives - net.now());
  };
  net.delivered = [&](std::uint16_t i, const broadcast::Delivery& d) {
    EXPECT_EQ(d.instance.number, next[i]++);
    cost.most_behind = std::max(cost.most_behind, sent - 1 - d.instance.number);
  };
  for (std::uint16_t i = correct; i < n; ++i) net.kill(i);
  const auto invent = [&](std::uint16_t from) {
    const chained_echo::Head nowhere{sent + rng.below(4), hash(as_view("nowhere"))};
    for (std::uint16_t to = 0; to < correct; ++to) {
      net.say(from, to, chained_echo::Status{NodeId{0}, nowhere, nowhere, true});
      net.say(from, to, chained_echo::Trace{NodeId{0}, {}, nowhere});
      net.say(from, to, chained_echo::Want{NodeId{0}, nowhere});
    }
  };
  for (; sent < kBegin + kInstances; net.run_until(net.now() + period)) {
    if (sent == kBegin) cost = {.most_behind = cost.most_behind};
    ++sent;
    net.feed(0, Requested<broadcast::Submit>{{filled(800 * c, sent)}});
    for (std::uint16_t i = correct; liar == Liar::kInventor && sent % n == 0 && i < n; ++i)
      invent(i);
  }
  const Cost going_on = cost;
  net.run_until(net.now() + 400 * kDelta);
  for (std::uint16_t i = 0; i < correct; ++i) EXPECT_EQ(next[i], kBegin + kInstances) << i;
  return going_on;
}

// The first of a stream asks all to speak: once of their echo, once of their ready.
TEST(Figures, WhatAllSayOfTheFirstIsSaidOnce) {
  const std::uint32_t n = 16;
  std::uint64_t statements = 0;
  Timed<ChainedEcho> net(
      n, [=](NodeId id) { return ChainedEcho({.committee = *Committee::of(n), .self = id}); });
  net.link = [&](auto, auto, const auto& m) {
    statements += std::holds_alternative<chained_echo::Status>(m) ? 1 : 0;
    return std::int64_t{kLink};
  };
  net.feed(0, Requested<broadcast::Submit>{{filled(32, 1)}});
  net.run_until(200 * kDelta);
  EXPECT_LE(statements, 2 * n * (n - 1));
}

TEST(Figures, LiarsAndTheSchedulerMakeAStreamOfChainedEchoNoDearer) {
  for (const Liar liar : {Liar::kMute, Liar::kInventor}) {
    for (const std::uint32_t n : {4u, 7u, 16u}) {
      for (const std::uint32_t c : {1u, 4u}) {
        constexpr std::uint64_t kSlowest = 6 * kDelta;
        const std::uint64_t period = std::min(3 * kDelta * c / n, kLink);
        const Cost cost = under_attack(n, c, liar, kSlowest, period);
        EXPECT_LE(cost.messages, kInstances * n * (1 + c)) << n << ' ' << c;
        EXPECT_LE(10 * cost.bytes, kInstances * 11 * n * 800 * c) << n << ' ' << c;
        // Messages on their way come on top: a payload, its echo, another payload at whose turn the
        // ready is said, and that.
        EXPECT_LE(cost.most_behind, 2 * ((n + c - 1) / c) + 2 + 4 * kSlowest / period)
            << n << ' ' << c;
      }
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
