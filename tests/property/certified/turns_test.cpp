// The leaders follow from what was ordered, and from nothing else: rules R12 and R13 of
// docs/protocols/anchored.md, on drawn schedules.
#include <gtest/gtest.h>

#include <cstdio>
#include <set>

#include "../../how_many.hpp"
#include "policies.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/sim/certified_run.hpp"
#include "thresher/testing/draw.hpp"

namespace thresher {
namespace {

using certified::Rules;

constexpr std::uint32_t kSizes[] = {4, 5, 7, 10};

std::uint32_t sample_of(std::uint64_t seed) {
  return static_cast<std::uint32_t>(seed % 7);
}

// Nodes hear some of the others much later than these hear each other, for a while each, and f stop
// and come back. Waits are short, so nobody waits for those that are late.
sim::Experiment drawn(std::uint64_t seed) {
  Prng random(seed, 21);
  sim::Experiment e;
  e.protocol = "anchored-bullshark";
  e.seed = seed;
  e.n = kSizes[seed % std::size(kSizes)];
  e.f = (e.n - 1) / 3;
  e.parameters["gc_depth"] = std::int64_t{1000};
  e.parameters["timeout"] = std::int64_t{2000};
  e.stop.time = 400 * sim::kUnit;
  e.network = testing::uneven_links(2);
  e.network.gst = 400 * sim::kUnit;
  e.workload.kind = sim::Workload::Kind::kOpen;
  e.workload.interval = 4 * sim::kUnit;
  e.workload.requests = 90 * e.n;
  const auto any = [&] { return NodeId{static_cast<std::uint16_t>(random.below(e.n))}; };
  for (std::uint32_t i = 0; i < e.f; ++i) {
    const NodeId who{static_cast<std::uint16_t>((seed + i) % e.n)};
    const std::uint64_t from = 20 + random.below(100);
    e.faults.push_back(testing::crash_of(who, from, from + 40 + random.below(100)));
  }
  for (int i = 0; i < 12; ++i) {
    sim::FaultAction late{.who = {any()}, .what = sim::FaultKind::kStarve};
    late.from = random.below(300) * sim::kUnit;
    late.to = late.from + (20 + random.below(80)) * sim::kUnit;
    late.amount = (4 + random.below(40)) * sim::kUnit;
    std::set<NodeId> group;
    while (group.size() < e.n / 2) group.insert(any());
    late.group.assign(group.begin(), group.end());
    e.faults.push_back(std::move(late));
  }
  return e;
}

TEST(Turns, OneOrderWhoeverIsPassedOver) {
  for (std::uint64_t seed = 1; seed <= how_many(15, 40); ++seed) {
    const sim::Outcome o =
        simulate_certified(drawn(seed), Rules::anchored_bullshark(sample_of(seed)), {});
    ASSERT_EQ(o.verdict, sim::Verdict::kPass) << "seed " << seed << ": " << o.why;
    EXPECT_FALSE(o.latencies.empty());
  }
}

// Nodes hold different vertices: leaders that follow from those would differ everywhere.
// That a walk has to be made again is shown in `unit_certified`, `Walk`, by hand: these schedules
// do not find it.
TEST(Turns, LeadersByWhatANodeHoldsFork) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Rules rules = Rules::anchored_bullshark(sample_of(seed));
    const Rules whole = rules;
    rules.policy = &certified::kOne<certified::NamedByWhatIsHeld>;
    const sim::Outcome o = simulate_certified(drawn(seed), rules, {});
    if (o.verdict != sim::Verdict::kViolated) continue;
    std::printf("  seed %llu: %s\n", static_cast<unsigned long long>(seed), o.why.c_str());
    EXPECT_EQ(simulate_certified(drawn(seed), whole, {}).verdict, sim::Verdict::kPass);
    return;
  }
  FAIL() << "no fork in 400 seeds";
}

}  // namespace
}  // namespace thresher
