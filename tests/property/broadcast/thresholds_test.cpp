// Each threshold of the signed and the chained broadcasts lowered by one: two-faced nodes fork it,
// or leave somebody behind, in some drawn schedule. With the right ones they never do.
#include <gtest/gtest.h>

#include <functional>

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
  return harness::check(std::string(B::kName), run,
                        {harness::agreement(), harness::integrity(), harness::validity(),
                         harness::totality(), harness::once()},
                        o, harness::this_test(harness::this_program()));
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
TEST(Thresholds, OfChainedEchoAreNeeded) {
  using C = ChainedEcho::Config;
  for (Threshold C::*which : {&C::ready, &C::amplify, &C::deliver, &C::fast}) {
    const auto report = play<ChainedEcho>(
        [=](C& c) {
          c.speakers = c.committee.size();
          c.*which = one_less(c.*which);
        },
        1000);
    EXPECT_FALSE(report.passed) << (which == &C::ready     ? "ready"
                                    : which == &C::amplify ? "amplify"
                                    : which == &C::deliver ? "deliver"
                                                           : "fast");
  }
}

}  // namespace
}  // namespace thresher
