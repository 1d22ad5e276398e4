// What a fault costs the others, counted in virtual time: rows 1, 16 and 17 of the reliability
// checklist. The same run with and without the fault, on links and processors that have limits.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "thresher/sim/dag_run.hpp"

namespace thresher::sim {
namespace {

constexpr Ticks kSecond = 1000 * kUnit;

class Shares : public ::testing::TestWithParam<dag::Rules> {};
INSTANTIATE_TEST_SUITE_P(Family, Shares,
                         ::testing::Values(dag::Rules::thresher(), dag::Rules::mysticeti(),
                                           dag::Rules::mysticeti_bitmap()),
                         [](const auto& suite) { return std::string(suite.param.name); });

/// Signatures take a core what Ed25519 takes; a node's link carries 100 Mbit/s.
Experiment on_machines(std::uint32_t n, Ticks delay, Ticks time) {
  Experiment e;
  e.n = n;
  e.f = (n - 1) / 3;
  e.engine = Engine::kEvents;
  e.network.delay = {DelayLaw::Kind::kConstant, delay, 0, delay, delay};
  e.network.delta = 2 * delay;
  e.network.nic_bits_per_s = 100'000'000;
  e.costs.sign_ns = 20'000;
  e.costs.verify_ns = 60'000;
  e.stop.time = time;
  return e;
}

/// What the `others` of n nodes got done of their own is at least `percent` of what they get done
/// in the clean run, and so is the number of slots that commit.
void expect_share(const Outcome& with, const Outcome& without, std::uint32_t n,
                  std::uint32_t others, std::uint64_t percent) {
  ASSERT_EQ(without.verdict, Verdict::kPass) << without.why;
  ASSERT_EQ(with.verdict, Verdict::kPass) << with.why;
  EXPECT_GT(with.faults_fired, 0u);
  ASSERT_GT(without.decisions, 100u);
  EXPECT_GE(with.decisions * 100, without.decisions * percent);
  EXPECT_GE(with.latencies.size() * n * 100, without.latencies.size() * others * percent);
}

// Row 1: f members send ten copies and junk of all they say, or one signs blocks of its own making
// for early and late rounds; each costs the others bandwidth and a signature to check. (Of ten
// nodes, three that forge cost more than that: docs/operations.md.)
TEST_P(Shares, Row1AFloodLeavesTheOthersSevenTenths) {
  for (const std::uint32_t n : {4u, 10u}) {
    const Experiment clean = on_machines(n, 10 * kUnit, 3 * kSecond);
    const Outcome without = simulate_dag(clean, GetParam(), {});
    for (const FaultKind what : {FaultKind::kFlood, FaultKind::kForge}) {
      Experiment e = clean;
      FaultAction flood;
      const std::uint32_t liars = what == FaultKind::kFlood ? e.f : 1;
      for (std::uint32_t i = 1; i <= liars; ++i)
        flood.who.push_back(NodeId{static_cast<std::uint16_t>(i)});
      flood.what = what;
      flood.amount = 10;
      e.faults.push_back(flood);
      SCOPED_TRACE(std::to_string(n) + (what == FaultKind::kFlood ? " flood" : " forge"));
      expect_share(simulate_dag(e, GetParam(), {}), without, n, n - liars, 70);
    }
  }
}

// Row 17: for ten minutes nothing reaches one node, and so it has nothing to say. The others lose
// no more than a tenth of what they do.
TEST_P(Shares, Row17TenMinutesOfADeafNodeCostTheOthersATenthAtMost) {
  for (const std::uint32_t n : {4u, 10u}) {
    const Ticks begin = 5 * kSecond;
    Experiment e = on_machines(n, 100 * kUnit, begin + 600 * kSecond);
    const Outcome without = simulate_dag(e, GetParam(), {});
    FaultAction mute;
    mute.who = {NodeId{2}};
    mute.what = FaultKind::kDrop;
    mute.from = begin;
    e.faults.push_back(mute);
    Partition deaf;
    deaf.from = begin;
    deaf.to = *e.stop.time;
    deaf.groups = {{NodeId{2}}, {}};
    for (std::uint16_t i = 0; i < n; ++i) {
      if (i != 2) deaf.groups[1].push_back(NodeId{i});
    }
    e.network.partitions.push_back(deaf);
    SCOPED_TRACE(n);
    expect_share(simulate_dag(e, GetParam(), {}), without, n, n - 1, 90);
  }
}

/// When node 0 committed, and how far it was when the network healed.
class Healing final : public TraceSink {
 public:
  explicit Healing(Ticks heal) : heal_(heal) {}
  void event(const TraceEvent& e) override {
    if (e.node != NodeId{0}) return;
    if (e.kind == TraceEvent::Kind::kSend && e.at < heal_) round_ = std::max(round_, e.round);
    if (e.kind != TraceEvent::Kind::kDecide) return;
    if (e.at < heal_) ++before_;
    if (e.at >= heal_) first_ = std::min(first_, e.at);
  }
  std::uint64_t before() const { return before_; }
  std::uint64_t round() const { return round_; }
  Ticks first() const { return first_; }

 private:
  Ticks heal_;
  std::uint64_t before_ = 0;
  std::uint64_t round_ = 0;
  Ticks first_ = std::numeric_limits<Ticks>::max();
};

// Row 16: no leader is heard in time for 500 rounds, so that time-outs stand at their cap; then
// every message is on time. Wherever in a round that happens, the next slot commits within two of
// the largest time-outs: 64 T, T is six Delta.
TEST_P(Shares, Row16AfterFiveHundredFailedRoundsItHealsWithinTwoTimeouts) {
  constexpr Ticks kDelay = 10 * kUnit;
  constexpr Ticks kLargest = 64 * 6 * 2 * kDelay;
  for (const std::uint32_t n : {4u, 10u}) {
    for (Ticks phase = 0; phase < (n == 4 ? 3u : 1u); ++phase) {
      const Ticks heal = 520 * kLargest + phase * kLargest / 3;
      Experiment e = on_machines(n, kDelay, heal + 3 * kLargest);
      e.network.gst = heal;
      e.network.scheduler = Network::Scheduler::kHunt;
      Healing seen(heal);
      const Outcome o = simulate_dag(e, GetParam(), {&seen});
      SCOPED_TRACE(std::to_string(n) + " nodes, phase " + std::to_string(phase));
      EXPECT_EQ(o.verdict, Verdict::kPass) << o.why;
      EXPECT_EQ(seen.before(), 0u);
      EXPECT_GE(seen.round(), 500u);
      // All took as long as a round may but the first: f + 4 that were left after a third of the
      // time-out (W3), and those while the time-out doubled six times, each time for f + 1 leaders
      // that were late.
      EXPECT_LE(seen.round(), 520u + (e.f + 4) + 6 * (e.f + 1) + 4);
      EXPECT_LE(seen.first(), heal + 2 * kLargest);
    }
  }
}

}  // namespace
}  // namespace thresher::sim
