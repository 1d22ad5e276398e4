// Each threshold of the signed and the chained broadcasts lowered by one: two-faced nodes fork it,
// or leave somebody behind, in some drawn schedule or in one written down. With the right ones they
// never do.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "../../timed.hpp"
#include "thresher/protocols/broadcast/chained_echo.hpp"
#include "thresher/protocols/broadcast/signed_broadcast.hpp"
#include "thresher/testing/check.hpp"
#include "thresher/testing/draw.hpp"

namespace thresher {
namespace {

namespace harness = ::thresher::testing;

template <class B>
using Change = std::function<void(typename B::Config&)>;

template <class B>
struct Changed : harness::SubjectBase<B> {
  using Base = harness::SubjectBase<B>;
  using Base::facts_of;
  static constexpr bool kOrdered = false;

  Changed(const sim::Experiment& e, const Change<B>& how) : Base(e), change(how) {}

  B make(NodeId id) const {
    typename B::Config config;
    config.committee = this->committee;
    config.self = id;
    change(config);
    return B(config);
  }
  sim::OutputFacts facts_of(const broadcast::Delivery& d) const {
    const std::uint64_t key = (std::uint64_t{d.instance.origin.value} << 48) | d.instance.number;
    return {.key = key, .digest = hash(d.payload.view()), .round = d.instance.number};
  }
  template <class F>
  void payloads(const broadcast::Delivery& d, std::optional<NodeId>, F visit) const {
    visit(d.payload.view(), d.instance.origin);
  }

  Change<B> change;
};

// f nodes with two faces, each shown to some; links of any length. Liars keep on broadcasting.
sim::Experiment two_faced(const sim::Experiment& base, std::uint64_t seed) {
  sim::Experiment e = base;
  Prng random(seed);
  e.seed = seed;
  e.network = harness::uneven_links(1 + random.below(6));
  e.workload = {.kind = sim::Workload::Kind::kOpen,
                .interval = 6 * sim::kUnit,
                .liars_interval = 3 * sim::kUnit};
  const std::uint64_t first = random.below(e.n);
  for (std::uint32_t k = 0; k < e.f; ++k) {
    const NodeId id{static_cast<std::uint16_t>((first + k) % e.n)};
    sim::FaultAction a{.who = {id}, .what = sim::FaultKind::kTwins};
    for (std::uint16_t i = 0; i < e.n; ++i) {
      if (NodeId{i} != id && random.below(2) == 0) a.group.push_back(NodeId{i});
    }
    if (!a.group.empty()) e.faults.push_back(a);
  }
  return e;
}

template <class B>
harness::Report play(const Change<B>& change, std::uint64_t runs) {
  harness::Options o;
  o.runs = runs;
  o.sizes = {4, 5, 6, 7};
  o.draw = two_faced;
  o.base.stop.time = 60 * sim::kUnit;
  o.shrink_runs = 1;
  o.folder = ::testing::TempDir();
  const harness::TracedRunner run = [&](const sim::Experiment& e, const sim::RunOptions& options) {
    return sim::run(Changed<B>(e, change), e, options);
  };
  return harness::check(
      std::string(B::kName), run,
      {harness::agreement(), harness::integrity(), harness::validity(), harness::totality()}, o,
      harness::this_test(harness::this_program()));
}

Threshold one_less(Threshold t) {
  t.c -= t.d;
  return t;
}

template <class B>
void caught(const Change<B>& change) {
  const harness::Report report = play<B>(change, 400);
  EXPECT_FALSE(report.passed) << report.text;
}

TEST(Thresholds, OfTheSignedBroadcastsHold) {
  EXPECT_TRUE(play<SignedBroadcast>([](auto&) {}, 100).passed);
  EXPECT_TRUE(play<CertifiedBroadcast>([](auto&) {}, 100).passed);
}
TEST(Thresholds, OfTheSignedBroadcastsAreNeeded) {
  caught<SignedBroadcast>([](auto& c) { c.certify = one_less(c.certify); });
  caught<CertifiedBroadcast>([](auto& c) { c.certify = one_less(c.certify); });
}

TEST(Thresholds, OfChainedEchoHold) {
  for (const std::uint32_t speakers : {1u, 2u, 7u}) {
    const auto report = play<ChainedEcho>([=](auto& c) { c.speakers = speakers; }, 100);
    EXPECT_TRUE(report.passed) << report.text;
  }
}
TEST(Thresholds, TheQuorumOfChainedEchoIsNeeded) {
  caught<ChainedEcho>([](auto& c) {
    c.speakers = c.committee.size();
    c.ready = one_less(c.ready);
  });
}

// A liar that is the origin, word by word, against three correct nodes.
class Scripted {
 public:
  using Config = ChainedEcho::Config;
  using Change = std::function<void(Config&)>;

  explicit Scripted(const Change& change)
      : net(4, [change](NodeId id) {
          Config config;
          config.self = id;
          config.speakers = 4;
          change(config);
          return ChainedEcho(config);
        }) {
    net.kill(kLiar);
    net.delivered = [this](std::uint16_t i, const broadcast::Delivery& d) {
      got_[i] = hash(d.payload.view());
    };
  }
  void show(std::initializer_list<std::uint16_t> to, std::string_view payload) {
    for (const std::uint16_t i : to)
      net.say(kLiar, i, chained_echo::Extend{{NodeId{kLiar}, 0}, Bytes::copy_of(as_view(payload))});
    net.run_until(net.now() + kDelta);
  }
  void claim(std::initializer_list<std::uint16_t> to, std::string_view payload, bool ready) {
    const chained_echo::Head none = chained_echo::genesis({}, NodeId{kLiar});
    const chained_echo::Head head =
        chained_echo::successor({}, NodeId{kLiar}, none, hash(as_view(payload)));
    for (const std::uint16_t i : to)
      net.say(kLiar, i, chained_echo::Status{NodeId{kLiar}, head, ready ? head : none});
    net.run_until(net.now() + kDelta);
  }
  /// All of the correct nodes delivered the same, or none anything.
  bool agree() {
    net.run_until(net.now() + 200 * kDelta);
    return got_.empty() || (got_.size() == 3 && got_[0] == got_[1] && got_[1] == got_[2]);
  }

  Timed<ChainedEcho> net;

 private:
  static constexpr std::uint16_t kLiar = 3;
  std::map<std::uint16_t, Digest> got_;
};

// One node hears a quorum and the liar; the others hear one ready, and never more.
bool one_hears_more(const Scripted::Change& change) {
  Scripted run(change);
  run.show({0, 1}, "a");
  run.claim({0}, "a", false);
  run.net.run_until(run.net.now() + 20 * kDelta);  // node 0 is ready, and says so
  run.claim({0}, "a", true);
  return run.agree();
}
TEST(Thresholds, ReadiesThatDeliverHoldAsManyCorrectOnesAsMakeReady) {
  EXPECT_TRUE(one_hears_more([](auto&) {}));
  EXPECT_FALSE(one_hears_more([](auto& c) { c.deliver = one_less(c.deliver); }));
}
TEST(Thresholds, EchoesThatDeliverHoldAQuorumOfCorrectOnes) {
  EXPECT_FALSE(one_hears_more([](auto& c) { c.fast = one_less(c.fast); }));
}

// The liar alone makes one node ready for another payload than the quorum's.
bool one_is_led_astray(const Scripted::Change& change) {
  Scripted run(change);
  run.show({1, 2}, "b");
  run.claim({1, 2}, "b", false);
  run.show({0}, "a");
  run.claim({0}, "a", true);
  run.net.run_until(run.net.now() + 20 * kDelta);
  run.claim({1}, "b", true);
  return run.agree();
}
TEST(Thresholds, ReadiesThatMakeReadyHoldACorrectOne) {
  EXPECT_TRUE(one_is_led_astray([](auto&) {}));
  EXPECT_FALSE(one_is_led_astray([](auto& c) { c.amplify = one_less(c.amplify); }));
}

}  // namespace
}  // namespace thresher
