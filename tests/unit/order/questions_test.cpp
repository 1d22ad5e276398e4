// A question of a few bytes that is answered with a payload or a certificate: once in a tick of an
// instance to a peer, or within a bound of bytes, however often it comes; and again after a tick,
// because the answer may have been lost.
#include <gtest/gtest.h>

#include "../../timed.hpp"
#include "thresher/protocols/broadcast/avid.hpp"
#include "thresher/protocols/broadcast/bracha.hpp"
#include "thresher/protocols/broadcast/chained_echo.hpp"
#include "thresher/protocols/broadcast/das_xiang_ren.hpp"
#include "thresher/protocols/broadcast/imbs_raynal.hpp"
#include "thresher/protocols/broadcast/signed_broadcast.hpp"

namespace thresher {
namespace {

constexpr std::size_t kSize = 1u << 16;

Bytes payload(std::uint64_t k) {
  return Bytes::from(std::vector<std::byte>(kSize, static_cast<std::byte>(k + 1)));
}

// Node 0 has delivered a payload, and everybody is still.
template <class B>
class Asked {
 public:
  static constexpr std::uint32_t kNodes = B::kNodesPerFault + 1;
  static constexpr std::uint16_t kLiar = kNodes - 1;
  using Message = typename B::Message;

  explicit Asked(typename B::Config config = {})
      : net(kNodes, [config](NodeId id) {
          typename B::Config c = config;
          c.committee = *Committee::make(kNodes, 1);
          c.self = id;
          return B(c);
        }) {}
  void broadcast(std::uint64_t k) {
    net.feed(0, Requested<broadcast::Submit>{{payload(k)}});
    net.run_until(net.now() + 200 * kDelta);
  }
  /// How many answers the liar gets to so many questions in half a Delta.
  template <class Answer>
  std::uint64_t answers(const Message& question, int times) {
    std::uint64_t count = 0;
    net.link = [&](std::uint16_t from, std::uint16_t to, const Message& m) -> std::int64_t {
      count += from == 0 && to == kLiar && std::holds_alternative<Answer>(m) ? 1 : 0;
      return 10;
    };
    for (int i = 0; i < times; ++i) net.say(kLiar, 0, question);
    net.run_until(net.now() + kDelta / 2);
    net.link = [](std::uint16_t, std::uint16_t, const Message&) { return std::int64_t{10}; };
    return count;
  }
  void expect_still() {
    bool said = false;
    net.link = [&](std::uint16_t, std::uint16_t, const Message&) -> std::int64_t {
      said = true;
      return 10;
    };
    net.run_until(net.now() + 200 * kDelta);
    EXPECT_FALSE(said);
  }

  Timed<B> net;
};

// 10,000 questions of 13 bytes in half a Delta were answered with 2.6 GB.
template <class B>
void expect_one_payload_in_a_tick() {
  Asked<B> run;
  run.broadcast(0);
  const bracha::Want want{{NodeId{0}, 0}};
  for (int tick = 0; tick < 3; ++tick) {
    EXPECT_EQ(run.template answers<bracha::Give>(want, 1000), 1u);
    run.net.run_until(run.net.now() + 5 * kDelta);
  }
  run.expect_still();
}

TEST(Questions, BrachaAnswersOnceInATick) {
  expect_one_payload_in_a_tick<Bracha>();
}
TEST(Questions, ImbsRaynalAnswersOnceInATick) {
  expect_one_payload_in_a_tick<ImbsRaynal>();
}

template <class B>
void expect_one_of_each_in_a_tick() {
  using namespace signed_broadcast;  // NOLINT(google-build-using-namespace): its messages
  Asked<B> run;
  run.broadcast(0);
  for (int tick = 0; tick < 3; ++tick) {
    // A node that needs the payload next has just got the certificate.
    EXPECT_EQ(run.template answers<Certificate>(Want{{NodeId{0}, 0}, true, false}, 1000), 1u);
    EXPECT_EQ(run.template answers<Give>(Want{{NodeId{0}, 0}, false, true}, 1000), 1u);
    run.net.run_until(run.net.now() + 5 * kDelta);
  }
  run.expect_still();
}

TEST(Questions, SignedBroadcastAnswersOnceInATick) {
  expect_one_of_each_in_a_tick<SignedBroadcast>();
}
TEST(Questions, CertifiedBroadcastAnswersOnceInATick) {
  expect_one_of_each_in_a_tick<CertifiedBroadcast>();
}

TEST(Questions, ChainedEchoAnswersWithWhatMemoryHoldsInATick) {
  ChainedEcho::Config config;
  config.payload_bytes = kSize;
  config.origin_bytes = 4 * kSize;
  Asked<ChainedEcho> run(config);
  chained_echo::Head head;
  run.net.link = [&](std::uint16_t from, std::uint16_t, const ChainedEcho::Message& m) {
    const auto* status = std::get_if<chained_echo::Status>(&m);
    if (status != nullptr && from == 0 && status->origin == NodeId{0}) head = status->echoed;
    return std::int64_t{300};
  };
  run.net.feed(0, Requested<broadcast::Submit>{{payload(0)}});
  run.net.run_until(2 * kDelta);
  ASSERT_EQ(head.count, 1u);
  const chained_echo::Want want{NodeId{0}, head};
  for (int tick = 0; tick < 3; ++tick) {
    EXPECT_EQ(run.answers<chained_echo::Give>(want, 1000), 4u) << tick;
    run.net.run_until(run.net.now() + 5 * kDelta);
  }
}

// A question of four bytes was answered with a summary of all origins, however often it came.
TEST(Questions, SummariesAreToldSoOften) {
  using namespace signed_broadcast;  // NOLINT(google-build-using-namespace): its messages
  Asked<SignedBroadcast> run;
  run.broadcast(0);
  for (int tick = 0; tick < 3; ++tick) {
    EXPECT_LE(run.answers<Have>(Have{{}, true}, 1000), 2 * kSummaries);
    run.net.run_until(run.net.now() + 5 * kDelta);
  }
  EXPECT_GE(run.answers<Have>(Have{{}, true}, 1), 1u);
  run.net.run_until(run.net.now() + 5 * kDelta);
  run.expect_still();
}

// Each summary of a liar had a node look at all places of all windows: 2 KB cost it 36 ms where
// there are a hundred origins.
TEST(Questions, OfWhatALiarNamesSoMuchIsLookedAt) {
  constexpr std::uint16_t kNodes = 40;
  constexpr std::uint64_t kWindow = 64;
  SignedBroadcast node({.committee = *Committee::of(kNodes), .window = kWindow});
  SignedBroadcast::Fx fx;
  signed_broadcast::Have lie;
  for (std::uint16_t o = 0; o < kNodes; ++o)
    lie.origins.push_back({NodeId{o}, 1, ~std::uint64_t{0}, {}});
  node.on(Received<SignedBroadcast::Message>{NodeId{3}, lie}, fx);
  EXPECT_LE(node.footprint().instances, 8 * kWindow);
  for (auto& p : lie.origins) p.floor = 0;
  node.on(Received<SignedBroadcast::Message>{NodeId{3}, lie}, fx);
  EXPECT_EQ(node.footprint().instances, kNodes * 2 * kWindow);
}

// Each message that came to an idle node had it look at everything that it keeps, thousands of
// instances by default, to see whether it still had nothing to do.
template <class B>
void expect_a_look_at_one_instance(const std::vector<typename B::Message>& messages) {
  constexpr std::uint64_t kKept = 50;
  constexpr std::uint64_t kTimes = 100;
  Asked<B> run;
  for (std::uint64_t k = 0; k < kKept; ++k) run.broadcast(k);
  const B& node = run.net.node(0);
  ASSERT_EQ(node.open(), 0u);
  ASSERT_GE(node.footprint().instances + node.footprint().history, kKept);
  const auto say_all = [&] {
    for (const auto& m : messages) run.net.say(Asked<B>::kLiar, 0, m);
    run.net.run_until(run.net.now() + kDelta);
  };
  say_all();
  const std::uint64_t before = node.looked_at();
  for (std::uint64_t k = 0; k < kTimes; ++k) say_all();
  EXPECT_LE(node.looked_at() - before, kTimes * messages.size());
  run.expect_still();
}

TEST(Questions, AnIdleBrachaNodeLooksAtWhatIsSpokenOf) {
  expect_a_look_at_one_instance<Bracha>(
      {bracha::Statement{{NodeId{0}, 7}, bracha::kEcho, {}}, bracha::Floor{NodeId{0}, 0}});
}
TEST(Questions, AnIdleImbsRaynalNodeLooksAtWhatIsSpokenOf) {
  expect_a_look_at_one_instance<ImbsRaynal>(
      {bracha::Statement{{NodeId{0}, 7}, bracha::kEcho, {}}, bracha::Floor{NodeId{0}, 0}});
}
TEST(Questions, AnIdleAvidNodeLooksAtWhatIsSpokenOf) {
  expect_a_look_at_one_instance<Avid>({coded::Floor{NodeId{0}, 0}});
}
TEST(Questions, AnIdleDasXiangRenNodeLooksAtWhatIsSpokenOf) {
  expect_a_look_at_one_instance<DasXiangRen>({coded::Floor{NodeId{0}, 0}});
}
TEST(Questions, AnIdleSignedBroadcastNodeLooksAtWhatIsSpokenOf) {
  expect_a_look_at_one_instance<SignedBroadcast>(
      {signed_broadcast::Vote{{NodeId{0}, 7}, {}, {}}, signed_broadcast::Have{}});
}
TEST(Questions, AnIdleCertifiedBroadcastNodeLooksAtWhatIsSpokenOf) {
  expect_a_look_at_one_instance<CertifiedBroadcast>(
      {signed_broadcast::Vote{{NodeId{0}, 7}, {}, {}}, signed_broadcast::Have{}});
}

// A statement of 52 bytes had a node walk along all that it keeps of a stream, up to three times,
// and compare what everybody says of everybody's stream: half a millisecond at the largest window.
TEST(Questions, AChainedEchoNodeLooksAtFewPositionsForAStatement) {
  using namespace chained_echo;  // NOLINT(google-build-using-namespace): its messages
  constexpr std::uint64_t kKept = 200;
  constexpr std::uint64_t kTimes = 100;
  Asked<ChainedEcho> run({.window = 512, .origin_bytes = 1u << 26});
  Head top = genesis({}, NodeId{0});
  for (std::uint64_t k = 0; k < kKept; ++k) {
    run.broadcast(k);
    top = successor({}, NodeId{0}, top, hash(payload(k).view()));
  }
  ASSERT_EQ(run.net.node(0).footprint().instances, kKept);
  Head other = top;
  other.hash.bytes[0] ^= std::byte{1};
  for (const Status& status :
       {Status{NodeId{0}, top, {kKept, {}}}, Status{NodeId{0}, other, top},
        Status{NodeId{0}, top, {1, {}}}, Status{NodeId{1}, genesis({}, NodeId{1}), {}}}) {
    run.net.ask(0, [&](ChainedEcho& node, ChainedEcho::Fx& fx) {
      const std::uint64_t before = node.looked_at();
      for (std::uint64_t k = 0; k < kTimes; ++k)
        node.on(Received<ChainedEcho::Message>{NodeId{3}, status}, fx);
      EXPECT_LE(node.looked_at() - before, 32 * kTimes);
    });
  }
}

// A question of 83 bytes was answered with all of a way, up to 262 KB, however often it came.
TEST(Questions, WaysAreShownSoOften) {
  using namespace chained_echo;  // NOLINT(google-build-using-namespace): its messages
  constexpr std::uint64_t kWindow = 8;
  Asked<ChainedEcho> run({.window = kWindow});
  const Head none = genesis({}, NodeId{0});
  Head head = none;
  for (std::uint64_t k = 0; k < 3; ++k) {
    run.broadcast(k);
    head = successor({}, NodeId{0}, head, hash(payload(k).view()));
  }
  for (int tick = 0; tick < 3; ++tick) {
    const std::uint64_t shown = run.answers<Path>(Trace{NodeId{0}, none, head}, 1000);
    EXPECT_GE(shown, 1u);
    EXPECT_LE(shown, 4 * kWindow / 3 + 1);
    run.net.run_until(run.net.now() + 5 * kDelta);
  }
  run.expect_still();
}

}  // namespace
}  // namespace thresher
