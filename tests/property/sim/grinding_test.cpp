// The shipped experiments on what sampling costs: liars that grind their samples miss committed
// anchors at the computed rate, and make the published rule fork where the anchored one does not.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "../../how_many.hpp"
#include "thresher/sim/outcome.hpp"
#include "thresher/sim/read.hpp"

namespace thresher::sim {
namespace {

/// Standard deviations on either side that hold 99 of 100 measurements.
constexpr double kConfidence = 2.576;
/// More tries than this are for the sweep by hand: seconds for each anchor.
constexpr std::int64_t kMostTries = 64;

std::vector<Cell> shipped(const std::string& name) {
  const std::string path = std::string(EXPERIMENTS) + name;
  std::ifstream file(path);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  const auto cells = read_experiments(
      content, {.file = path, .overrides = {}, .protocols = simulated_protocols()});
  if (cells) return *cells;
  for (const Error& problem : cells.error()) ADD_FAILURE() << problem;
  return {};
}

std::int64_t number(const Experiment& e, const char* name) {
  return std::get<std::int64_t>(e.parameters.at(name));
}

double measure(const Outcome& o, const std::string& name) {
  for (const Measure& m : o.measures) {
    if (m.name == name) return m.value;
  }
  ADD_FAILURE() << "no measure " << name;
  return 0;
}

// docs/protocols/anchored.md, "What `sparse-bullshark` promises": 1 - (1 - C(f, D) / C(n-f,
// D))^tries.
double computed(const Experiment& e) {
  double p = 1;
  for (std::int64_t i = 0; i < number(e, "D"); ++i)
    p *= static_cast<double>(e.f - i) / static_cast<double>(e.n - e.f - i);
  return 1 - std::exp(static_cast<double>(number(e, "tries")) * std::log1p(-p));
}

TEST(Grinding, MissesCommittedAnchorsAtTheComputedRate) {
  std::size_t judged = 0;
  const auto cells = shipped("grinding.json");
  for (std::size_t first = 0; first < cells.size();) {
    const Experiment& e = cells[first].experiment;
    double anchors = 0;
    double missed = 0;
    std::size_t i = first;
    for (; i < cells.size() && cells[i].at == cells[first].at; ++i) {
      if (number(e, "tries") > kMostTries || cells[i].repeat >= REPEATS) continue;
      const Outcome o = simulate(cells[i].experiment, {});
      EXPECT_EQ(o.verdict, Verdict::kPass) << o.why;
      anchors += measure(o, "liars_anchors");
      missed += measure(o, "liars_anchors_that_missed");
    }
    first = i;
    if (number(e, "tries") > kMostTries) continue;
    ++judged;
    const double p = computed(e);
    std::printf("  D %lld, %lld tries: %.0f of %.0f, computed %.3f\n",
                static_cast<long long>(number(e, "D")), static_cast<long long>(number(e, "tries")),
                missed, anchors, p);
    ASSERT_GT(anchors, 25 * REPEATS);
    EXPECT_NEAR(missed / anchors, p, kConfidence * std::sqrt(p * (1 - p) / anchors));
  }
  EXPECT_EQ(judged, 3U);
}

// An honest node misses nothing that is committed: all others voted.
TEST(Grinding, NoLiarNoMiss) {
  Experiment e = shipped("grinding.json").front().experiment;
  e.faults.front().field = "round";  // liars that say nothing about samples
  e.stop.rounds = 60;
  const Outcome o = simulate(e, {});
  EXPECT_EQ(o.verdict, Verdict::kPass) << o.why;
  EXPECT_GT(measure(o, "liars_anchors"), 0);
  EXPECT_EQ(measure(o, "liars_anchors_that_missed"), 0);
}

// Whether it forks in so few rounds is a matter of the seed: of the published rule's one does.
TEST(SampledFork, ThePublishedRuleForksAndTheAnchoredOneDoesNot) {
  bool forks = false;
  const auto cells = shipped("sampled-fork.json");
  for (const Cell& cell : cells) {
    Experiment e = cell.experiment;
    const bool may_fork = e.protocol == "sparse-bullshark" && number(e, "D") == 2;
    if (may_fork ? forks : cell.repeat > 0) continue;
    e.stop.rounds = how_many(60, 120);
    const Outcome o = simulate(e, {});
    const std::string which = e.protocol + " D " + std::to_string(number(e, "D")) + ", repeat " +
                              std::to_string(cell.repeat) + ": " + o.why;
    if (o.verdict == Verdict::kPass) continue;
    EXPECT_TRUE(may_fork) << which;
    EXPECT_EQ(o.verdict, Verdict::kViolated) << which;
    EXPECT_EQ(o.oracle, "prefix") << which;
    forks = true;
  }
  EXPECT_TRUE(forks);
}

}  // namespace
}  // namespace thresher::sim
