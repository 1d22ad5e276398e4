// Bracha's broadcast after outages, restarts and tricks with the window: what one correct node
// delivers all deliver who are not too far behind, and who is goes on where the others are.
#include <gtest/gtest.h>

#include <set>

#include "../../timed.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/protocols/broadcast/bracha.hpp"

namespace thresher {
namespace {

constexpr std::uint64_t kWindow = 4;
constexpr std::uint64_t kSoon = 16 * kDelta;    // lost messages are said again, payloads asked for
constexpr std::uint64_t kSeldom = 80 * kDelta;  // also to nodes that do not know what they missed

// Nothing is kept for nodes that lag by more than a window: history_test.cpp has that.
class BrachaRun {
 public:
  explicit BrachaRun(std::uint32_t n, std::size_t origin_bytes = 1 << 20,
                     std::uint64_t window = kWindow)
      : net(n,
            [=](NodeId id) {
              return Bracha({.committee = *Committee::of(n),
                             .self = id,
                             .window = window,
                             .payload_bytes = 100,
                             .origin_bytes = origin_bytes,
                             .history = 0});
            }),
        got_(n) {
    net.delivered = [this](std::uint16_t i, const bracha::Delivery& d) {
      got_[i].insert(d.instance);
    };
  }
  static Bytes payload(std::uint64_t k) {
    Writer w;
    while (w.view().size() < 96) w.u64(k);
    return Bytes::from(w.take());
  }
  void broadcast(std::uint16_t i) { net.feed(i, Requested<Bracha::Request>{{payload(++last_)}}); }
  bool has(std::uint16_t i, std::uint16_t origin, std::uint64_t number) const {
    return got_[i].contains({NodeId{origin}, number});
  }
  void say_to_all(std::uint16_t from, const Bracha::Message& m) {
    for (std::uint16_t to = 0; to < net.size(); ++to) net.say(from, to, m);
  }

  Timed<Bracha> net;

 private:
  std::vector<std::set<bracha::Instance>> got_;
  std::uint64_t last_ = 0;
};

// A liar shows its payload to f+1 and moves the window on at once: they forgot the instance as soon
// as it was delivered, and nobody could give the payload to the last one.
TEST(BrachaHeals, AnOriginCannotMakeOthersForgetTooEarly) {
  BrachaRun run(4);
  run.net.kill(3);
  const Bytes payload = BrachaRun::payload(7);
  const Digest digest = hash(payload.view());
  for (std::uint64_t k = 0; k < 3; ++k) {
    const bracha::Instance i{NodeId{3}, k};
    for (const std::uint16_t to : {std::uint16_t{0}, std::uint16_t{1}})
      run.net.say(3, to, bracha::Init{i, payload});
    for (const auto c : {bracha::kEcho, bracha::kReadied})
      run.say_to_all(3, bracha::Statement{i, c, digest});
    run.say_to_all(3, bracha::Init{{NodeId{3}, k + 2 * kWindow - 1}, payload});
  }
  run.net.run_until(kSoon);
  for (std::uint16_t i = 0; i < 3; ++i) {
    for (std::uint64_t k = 0; k < 3; ++k) EXPECT_TRUE(run.has(i, 3, k)) << "node " << i;
  }
}

// Node 3 echoes to node 0 alone, which says ready before it has the payload, since that was lost.
// The others need the echo of node 0, and the origin told the payload to nobody who had spoken
// (setup-free-coin, seed 1851 of property_coin with 3,000 schedules).
TEST(BrachaHeals, WhoSaidReadyWithoutThePayloadStillGetsIt) {
  BrachaRun run(4);
  const Digest digest = hash(BrachaRun::payload(1).view());
  run.net.link = [&](std::uint16_t from, std::uint16_t to, const Bracha::Message& m) {
    if (from == 3) return to == 0 ? 100 : kLost;
    const bool first = run.net.now() < kDelta;
    return first && to == 0 && std::holds_alternative<bracha::Init>(m) ? kLost : std::int64_t{300};
  };
  run.net.say(3, 0, bracha::Statement{{NodeId{1}, 0}, bracha::kEcho, digest});
  run.net.kill(3);
  run.broadcast(1);
  run.net.run_until(kSeldom);
  for (std::uint16_t i = 0; i < 3; ++i) EXPECT_TRUE(run.has(i, 1, 0)) << "node " << i;
}

// Those who echoed are the only ones who have the payload; they crash before they deliver.
TEST(BrachaHeals, WhoEchoedHasThePayloadAfterACrash) {
  BrachaRun run(4);
  run.net.kill(3);
  const Bytes payload = BrachaRun::payload(7);
  const bracha::Instance i{NodeId{3}, 0};
  for (const std::uint16_t to : {std::uint16_t{0}, std::uint16_t{1}})
    run.net.say(3, to, bracha::Init{i, payload});
  for (const auto c : {bracha::kEcho, bracha::kReadied})
    run.say_to_all(3, bracha::Statement{i, c, hash(payload.view())});
  run.net.run_until(700);  // both said ready
  run.net.kill(0);
  run.net.kill(1);
  run.net.run_until(5 * kDelta);
  run.net.restart(0);
  run.net.restart(1);
  run.net.run_until(run.net.now() + kSoon);
  for (std::uint16_t node = 0; node < 3; ++node) EXPECT_TRUE(run.has(node, 3, 0)) << node;
}

// The floor was lost with a restart, and every later broadcast was too far ahead for ever.
TEST(BrachaHeals, ARestartedNodeTakesPartInLateInstances) {
  BrachaRun run(4);
  for (int k = 0; k < 40; ++k) {
    run.broadcast(0);
    run.net.run_until(run.net.now() + 2 * kDelta);
  }
  run.net.restart(2);
  run.net.kill(1);  // without node 2 nothing is delivered
  run.broadcast(0);
  run.net.run_until(run.net.now() + kSoon);
  for (const std::uint16_t i : {std::uint16_t{0}, std::uint16_t{2}, std::uint16_t{3}})
    EXPECT_TRUE(run.has(i, 0, 40)) << "node " << i;
}

// A node that missed more than all keep goes on where they are.
TEST(BrachaHeals, WhoMissedMoreThanAWindowGoesOn) {
  BrachaRun run(4);
  bool cut = true;
  run.net.link = [&](std::uint16_t from, std::uint16_t to, const Bracha::Message&) -> std::int64_t {
    return cut && (from == 2 || to == 2) ? kLost : 300;
  };
  for (int k = 0; k < 40; ++k) {
    run.broadcast(0);
    run.net.run_until(run.net.now() + 10 * kDelta);
  }
  cut = false;
  run.broadcast(0);
  run.net.run_until(run.net.now() + kSeldom);
  run.net.kill(1);
  run.broadcast(0);
  run.net.run_until(run.net.now() + kSoon);
  EXPECT_TRUE(run.has(2, 0, 41));
  EXPECT_TRUE(run.has(3, 0, 41));
}

// Room for two payloads, or for four: what comes out of order never keeps the oldest out, so the
// stream goes on, though who lost too much of it skips that.
TEST(BrachaHeals, LossAndLittleRoomStopNoStream) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    BrachaRun run(4, seed % 2 == 0 ? 200 : 400);
    Prng random(seed);
    run.net.link = [&](std::uint16_t, std::uint16_t, const Bracha::Message&) -> std::int64_t {
      if (run.net.now() < 60 * kDelta && random.chance_ppm(400'000)) return kLost;
      return static_cast<std::int64_t>(100 + random.below(900));
    };
    const auto taken = [&] {  // the others found no room at their origin
      std::uint64_t k = 0;
      while (run.net.node(0).submitted(k)) ++k;
      return k;
    };
    for (int k = 0; k < 12; ++k) {
      run.broadcast(0);
      run.net.run_until(run.net.now() + 8 * kDelta);
    }
    run.net.run_until(run.net.now() + kSeldom);
    const std::uint64_t last = taken();
    EXPECT_GE(last, 3u) << "seed " << seed;
    run.broadcast(0);
    ASSERT_EQ(taken(), last + 1) << "seed " << seed;
    run.net.run_until(run.net.now() + kSoon);
    for (std::uint16_t i = 0; i < 4; ++i) EXPECT_TRUE(run.has(i, 0, last)) << "seed " << seed;
  }
}

// With room for all of it nobody skips anything, whatever was lost: room is what makes the others
// forget.
TEST(BrachaHeals, LossAloneLosesNothing) {
  constexpr int kBroadcasts = 12;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    BrachaRun run(4, 1 << 20, kBroadcasts);
    Prng random(seed);
    run.net.link = [&](std::uint16_t, std::uint16_t, const Bracha::Message&) -> std::int64_t {
      if (run.net.now() < 60 * kDelta && random.chance_ppm(400'000)) return kLost;
      return static_cast<std::int64_t>(100 + random.below(900));
    };
    for (int k = 0; k < kBroadcasts; ++k) {
      run.broadcast(0);
      run.net.run_until(run.net.now() + 4 * kDelta);
    }
    run.net.run_until(60 * kDelta + kSeldom);
    for (std::uint16_t i = 0; i < 4; ++i) {
      for (int k = 0; k < kBroadcasts; ++k)
        EXPECT_TRUE(run.has(i, 0, k)) << "seed " << seed << " node " << i << " broadcast " << k;
    }
  }
}

// A lying origin shows node 2 payloads that nobody else hears of, and then the others one that they
// deliver: node 2 had no room for it and never delivered it (imbs-raynal, schedule 90005053).
TEST(BrachaHeals, ALiarThatFillsItsRoomAtOneNodeKeepsNothingFromIt) {
  constexpr std::size_t kRoom = 400;  // of which the half is for the oldest instance
  BrachaRun run(4, kRoom);
  run.net.kill(3);
  for (std::uint64_t k = 0; k < 3; ++k)
    run.net.say(3, 2, bracha::Init{{NodeId{3}, k}, BrachaRun::payload(k)});
  const Bytes payload = BrachaRun::payload(7);
  for (const std::uint64_t number : {4u, 5u, 6u}) {
    const bracha::Instance i{NodeId{3}, number};
    for (const std::uint16_t to : {std::uint16_t{0}, std::uint16_t{1}})
      run.net.say(3, to, bracha::Init{i, payload});
    for (const auto c : {bracha::kEcho, bracha::kReadied})
      run.say_to_all(3, bracha::Statement{i, c, hash(payload.view())});
    run.net.run_until(run.net.now() + kSeldom);
    for (std::uint16_t node = 0; node < 3; ++node)
      EXPECT_EQ(run.has(node, 3, number), run.has(0, 3, number)) << node << ", " << number;
    EXPECT_LE(run.net.node(2).footprint().payload_bytes, 4 * kRoom);
  }
  EXPECT_TRUE(run.has(0, 3, 4));
}

// A peer that says nothing for long hears of what it missed within a bound, not after as long
// again.
TEST(BrachaHeals, WhoWasCutOffForLongHearsOfItSoon) {
  BrachaRun run(4);
  bool cut = true;
  run.net.link = [&](std::uint16_t from, std::uint16_t to, const Bracha::Message&) -> std::int64_t {
    return cut && (from == 2 || to == 2) ? kLost : 300;
  };
  run.broadcast(0);
  run.net.run_until(1500 * kDelta);
  cut = false;
  run.net.run_until(run.net.now() + kSeldom);
  EXPECT_TRUE(run.has(2, 0, 0));
}

}  // namespace
}  // namespace thresher
