// Chained echo and nodes that the others left behind: slow, cut off for a minute, killed and back.
// With an archive nothing is missed; without one they are waited for, but not for ever.
#include <gtest/gtest.h>

#include <map>

#include "../../timed.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/protocols/broadcast/memory_archive.hpp"
#include "thresher/protocols/promises.hpp"

namespace thresher {
namespace {

constexpr std::uint64_t kWindow = 8;
constexpr std::uint64_t kMinute = 3000 * kDelta;  // with a Delta of 20 ms
constexpr std::uint16_t kLast = 3;
constexpr std::uint16_t kOrigins[] = {0, 1};

struct Setting {
  bool durable = true;
  std::uint32_t speakers = 1;
  std::uint32_t patience = 25;
  std::function<void(ChainedEcho::Config&)> change = [](auto&) {};
};

/// Streams of nodes 0 and 1 to four nodes.
class Streams {
 public:
  explicit Streams(const Setting& s = {})
      : archives_(4), net(4, [this, s](NodeId id) {
          ChainedEcho::Config config;
          config.self = id;
          config.window = kWindow;
          config.payload_bytes = 100;
          config.origin_bytes = 4096;
          config.speakers = s.speakers;
          config.patience_ticks = s.patience;
          if (s.durable) config.archive = &archives_[id.value];
          s.change(config);
          return ChainedEcho(config);
        }) {
    net.written = [this](std::uint16_t i, const Persist& r) { archives_[i].add(r); };
    net.delivered = [this](std::uint16_t i, const broadcast::Delivery& d) {
      std::uint64_t& next = next_[{i, d.instance.origin.value}];
      if (d.instance.number < next) return;  // again, after a restart
      if (d.instance.number > next) in_order_ = false;
      next = d.instance.number + 1;
      if (d.payload != payload(d.instance.number)) in_order_ = false;
    };
  }
  static Bytes payload(std::uint64_t number) {
    Writer w;
    while (w.view().size() < 64) w.u64(number);
    return Bytes::from(w.take());
  }
  /// `each` payloads of both, as fast as they are taken; false if they are not all taken by then.
  bool stream(std::uint64_t each, std::uint64_t until) {
    for (; net.now() < until; net.run_until(net.now() + kDelta / 2)) {
      bool all = true;
      for (const std::uint16_t o : kOrigins) {
        std::uint64_t& sent = sent_[o];
        if (!net.up(o) || sent >= each) continue;
        all = false;
        net.feed(o, Requested<broadcast::Submit>{{payload(sent)}});
        if (net.node(o).submitted(sent)) ++sent;
      }
      if (all) return true;
    }
    return false;
  }
  void cut(std::uint16_t who) {
    net.link = [who](auto from, auto to, const auto&) {
      return from == who || to == who ? kLost : std::int64_t{300};
    };
  }
  void mend() {
    net.link = [](auto, auto, const auto&) { return std::int64_t{300}; };
  }
  std::uint64_t delivered(std::uint16_t i, std::uint16_t origin) const {
    const auto at = next_.find({i, origin});
    return at == next_.end() ? 0 : at->second;
  }
  bool all_delivered(std::uint64_t each) const {
    for (std::uint16_t i = 0; i < 4; ++i) {
      if (delivered(i, 0) != each || delivered(i, 1) != each) return false;
    }
    return in_order_;
  }
  bool in_order() const { return in_order_; }
  std::vector<MemoryArchive>& archives() { return archives_; }

 private:
  std::vector<MemoryArchive> archives_;

 public:
  Timed<ChainedEcho> net;

 private:
  std::map<std::pair<std::uint16_t, std::uint16_t>, std::uint64_t> next_;
  std::map<std::uint16_t, std::uint64_t> sent_;
  bool in_order_ = true;
};

constexpr std::uint64_t kMany = 40 * kWindow;

TEST(ChainedEchoLagging, WhoWasCutOffForAMinuteGetsEverything) {
  for (const std::uint32_t speakers : {1u, 2u, 4u}) {
    Streams run({.speakers = speakers});
    run.cut(kLast);
    EXPECT_TRUE(run.stream(kMany, kMinute)) << "nobody waits for who cannot be heard";
    run.net.run_until(kMinute);
    EXPECT_EQ(run.delivered(2, 0), kMany);
    EXPECT_EQ(run.delivered(kLast, 0), 0u);
    run.mend();
    run.net.run_until(2 * kMinute);
    EXPECT_TRUE(run.all_delivered(kMany)) << "c = " << speakers;
    EXPECT_EQ(run.net.node(kLast).skipped(), 0u);
  }
}

// Streams that go on meanwhile must not run away from it.
TEST(ChainedEchoLagging, WhoIsBackCatchesUpWhileTheStreamsGoOn) {
  Streams run;
  run.cut(kLast);
  EXPECT_TRUE(run.stream(kMany, kMinute));
  run.mend();
  EXPECT_TRUE(run.stream(3 * kMany, 2 * kMinute));
  EXPECT_GT(run.delivered(kLast, 0), 2 * kMany);
  run.net.run_until(3 * kMinute);
  EXPECT_TRUE(run.all_delivered(3 * kMany));
}

TEST(ChainedEchoLagging, WhoWasKilledGetsEverything) {
  for (const std::uint16_t who : {std::uint16_t{1}, kLast}) {
    Streams run;
    EXPECT_TRUE(run.stream(20, kMinute));
    run.net.kill(who);
    (void)run.stream(kMany, kMinute / 4);
    run.net.run_until(kMinute);
    run.net.restart(who);
    EXPECT_TRUE(run.stream(kMany, 2 * kMinute)) << who;
    run.net.run_until(3 * kMinute);
    EXPECT_TRUE(run.all_delivered(kMany)) << who;
  }
}

// Its links are so slow that what it lacks is never in anybody's memory.
TEST(ChainedEchoLagging, WhoIsSlowGetsEverything) {
  Streams run;
  run.net.link = [](auto from, auto to, const auto&) {
    return from == kLast || to == kLast ? std::int64_t{40 * kDelta} : std::int64_t{300};
  };
  EXPECT_TRUE(run.stream(kMany, kMinute));
  run.net.run_until(10 * kMinute);
  EXPECT_TRUE(run.all_delivered(kMany));
}

TEST(ChainedEchoLagging, EachInTurnIsAway) {
  Streams run;
  for (std::uint64_t k = 0; k < 8; ++k) {
    run.cut(static_cast<std::uint16_t>(k % 4));
    (void)run.stream(20 * (k + 1), run.net.now() + 100 * kDelta);
    run.mend();
  }
  EXPECT_TRUE(run.stream(160, run.net.now() + kMinute));
  run.net.run_until(run.net.now() + kMinute);
  EXPECT_TRUE(run.all_delivered(160));
}

// Any node may be down, more than f at a time, and come back with what its disk holds.
TEST(ChainedEchoLagging, WhateverIsKilledAndComesBackAllIsDelivered) {
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    Prng random(seed);
    Streams run({.speakers = 1 + static_cast<std::uint32_t>(random.below(4))});
    std::uint64_t sent = 0;
    for (std::uint64_t k = 0; k < 12; ++k) {
      const auto who = static_cast<std::uint16_t>(random.below(4));
      if (run.net.up(who)) {
        run.net.kill(who);
      } else {
        run.net.restart(who);
      }
      sent += random.below(60);
      (void)run.stream(sent, run.net.now() + (20 + random.below(100)) * kDelta);
    }
    for (std::uint16_t i = 0; i < 4; ++i) {
      if (!run.net.up(i)) run.net.restart(i);
    }
    EXPECT_TRUE(run.stream(sent, run.net.now() + kMinute)) << "seed " << seed;
    run.net.run_until(run.net.now() + kMinute);
    EXPECT_TRUE(run.all_delivered(sent)) << "seed " << seed;
    if (HasFailure()) return;
  }
}

// One of the three that answer lies about what was delivered, with payloads of its own making.
TEST(ChainedEchoLagging, ALiarLeadsNobodyAstrayWhoCatchesUp) {
  using namespace chained_echo;
  for (const bool silent : {false, true}) {
    Streams run;
    run.cut(kLast);
    EXPECT_TRUE(run.stream(kMany, kMinute));
    std::uint64_t lies = 0;
    run.net.link = [&](auto from, auto to, const auto& m) {
      const auto* trace = std::get_if<Trace>(&m);
      const bool asked = from == kLast && to == 2 && trace != nullptr;
      if (asked && !silent) {
        Path path{trace->origin, trace->from, {}};
        Head at = trace->from;
        for (std::uint64_t k = 0; k < kWindow; ++k) {
          path.payloads.push_back(hash(Streams::payload(1'000'000 + k).view()));
          at = successor({}, trace->origin, at, path.payloads.back());
        }
        run.net.say(2, kLast, path);
        run.net.say(2, kLast, Delivered{trace->origin, at});
        ++lies;
      }
      const bool answers = from == 2 && to == kLast &&
                           (std::holds_alternative<Give>(m) || (silent && m.index() > 1));
      return asked || answers ? kLost : std::int64_t{300};
    };
    run.net.run_until(3 * kMinute);
    EXPECT_TRUE(run.all_delivered(kMany));
    EXPECT_EQ(lies > 0, !silent);
  }
}

// f liars alone vouch for nothing: with one peer less, node 3 delivers what a liar made up.
bool one_liar_makes_it_up(Threshold vouch) {
  using namespace chained_echo;
  Streams run({.change = [&](auto& c) { c.vouch = vouch; }});
  run.cut(kLast);
  const NodeId origin{0};
  const Digest made_up = hash(Streams::payload(1'000'000).view());
  const Head head = successor({}, origin, genesis({}, origin), made_up);
  run.mend();
  run.net.say(2, kLast, Path{origin, genesis({}, origin), {made_up}});
  run.net.say(2, kLast, Delivered{origin, head});
  run.net.run_until(run.net.now() + kDelta);
  run.net.say(2, kLast, Give{origin, head, Streams::payload(1'000'000)});
  run.net.run_until(run.net.now() + kDelta);
  return !run.in_order();
}
TEST(ChainedEchoLagging, OfThoseThatVouchOneIsCorrect) {
  EXPECT_FALSE(one_liar_makes_it_up(kValidity));
  EXPECT_TRUE(one_liar_makes_it_up(kAny));
}

// A disk that lost its archive does not help, and does no harm.
TEST(ChainedEchoLagging, AnArchiveThatIsGoneIsNoLie) {
  Streams run;
  run.cut(kLast);
  EXPECT_TRUE(run.stream(kMany, kMinute));
  run.archives()[0].clear();
  run.mend();
  run.net.run_until(3 * kMinute);
  EXPECT_TRUE(run.all_delivered(kMany));
}

// An origin that nobody heard for any time, and a node that heard nobody: all is delivered within
// what promises.hpp says, at whatever moment of their repetitions they are back.
TEST(ChainedEchoHeals, WithinWhatIsPromised) {
  for (const std::uint64_t payloads : {1u, 12u}) {
    const std::uint64_t promised =
        promises::chained_echo(ChainedEcho::Config{}.idle_ticks, payloads, ChainedEcho::kAtATime);
    for (const std::uint16_t away : {std::uint16_t{0}, kLast}) {
      for (std::uint64_t time = 60; time < 200; time += 7) {
        Streams run;
        run.cut(away);
        for (std::uint64_t k = 0; k < payloads; ++k)
          run.net.feed(0, Requested<broadcast::Submit>{{Streams::payload(k)}});
        run.net.run_until(time * kDelta);
        run.mend();
        run.net.run_until((time + promised) * kDelta);
        for (std::uint16_t i = 0; i < 4; ++i) {
          EXPECT_EQ(run.delivered(i, 0), payloads)
              << "node " << i << ", " << away << " was away for " << time << " Delta";
        }
      }
    }
  }
}

// Without a disk: the others wait for a node that lags, so it misses nothing.
TEST(ChainedEchoInMemory, WhoIsSlowIsWaitedFor) {
  Streams run({.durable = false});
  run.net.link = [](auto from, auto to, const auto&) {
    return from == kLast || to == kLast ? std::int64_t{12 * kDelta} : std::int64_t{300};
  };
  EXPECT_TRUE(run.stream(kMany, 10 * kMinute));
  run.net.run_until(11 * kMinute);
  EXPECT_TRUE(run.all_delivered(kMany));
  EXPECT_EQ(run.net.node(kLast).skipped(), 0u);
}

// A lying origin shows another branch to node 0, which hears nothing of the others for less than
// their patience. It echoes as many payloads as they do, but not theirs, so they must keep them
// (thresher sim fuzz of chained-echo without archives, seed 80003125).
TEST(ChainedEchoInMemory, WhoEchoesAnotherBranchIsWaitedFor) {
  using namespace chained_echo;
  constexpr std::uint64_t kLong = 12;
  Streams run({.durable = false});
  const NodeId liar{kLast};
  run.net.kill(kLast);
  run.net.link = [](auto, auto to, const auto&) { return to == 0 ? kLost : std::int64_t{300}; };
  Head shown = genesis({}, liar);
  for (std::uint64_t k = 0; k < kLong; ++k) {
    const Bytes other = Streams::payload(1'000'000 + k);
    run.net.feed(0, Received<ChainedEcho::Message>{liar, Extend{{liar, k}, other, true}});
    for (const std::uint16_t to : {std::uint16_t{1}, std::uint16_t{2}})
      run.net.say(kLast, to, Extend{{liar, k}, Streams::payload(k), true});
    shown = successor({}, liar, shown, hash(Streams::payload(k).view()));
  }
  for (const std::uint16_t to : {std::uint16_t{1}, std::uint16_t{2}})
    run.net.say(kLast, to, Status{liar, shown, shown, false});
  run.net.run_until(60 * kDelta);
  EXPECT_EQ(run.delivered(1, kLast), kLong);
  EXPECT_EQ(run.delivered(0, kLast), 0u);
  run.mend();
  run.net.run_until(160 * kDelta);
  EXPECT_EQ(run.delivered(0, kLast), kLong);
  EXPECT_EQ(run.net.node(0).skipped(), 0u);
  EXPECT_TRUE(run.in_order());
}

// A node that is gone keeps the others waiting once, and hears how much it missed.
TEST(ChainedEchoInMemory, WhoIsGoneIsNotWaitedForForever) {
  Streams run({.durable = false, .patience = 50});
  run.cut(kLast);
  EXPECT_FALSE(run.stream(kMany, 50 * 4 * kDelta)) << "it is waited for";
  EXPECT_TRUE(run.stream(kMany, kMinute)) << "and then no more";
  run.mend();
  EXPECT_TRUE(run.stream(2 * kMany, 3 * kMinute));
  run.net.run_until(4 * kMinute);
  for (const std::uint16_t o : kOrigins) {
    EXPECT_EQ(run.delivered(2, o), 2 * kMany);
    EXPECT_EQ(run.delivered(kLast, o), 2 * kMany) << "it goes on where the others are";
  }
  EXPECT_GT(run.net.node(kLast).skipped(), 0u);
  EXPECT_LE(run.net.node(kLast).skipped(), 2 * kMany);
  EXPECT_EQ(run.net.node(2).skipped(), 0u);
}

}  // namespace
}  // namespace thresher
