// Whatever the shrinker tries may be what it keeps and what is written, so all of it has to be read
// back: a scenario of stable_link had one node, where that needs two, and could not be replayed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "../../how_many.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/sim/fuzz.hpp"
#include "thresher/sim/network.hpp"
#include "thresher/sim/read.hpp"
#include "thresher/sim/results.hpp"
#include "thresher/sim/shrink.hpp"
#include "thresher/sim/wan.hpp"

namespace thresher::sim {
namespace {

ProtocolInfo info_of(const std::string& protocol) {
  return *simulated_protocol(protocol);
}

// What is wrong with the files of all that the shrinker tries. Runs are not carried out: with an
// even seed all fail, so that it becomes as small as any; with an odd one luck keeps parts of all.
std::set<std::string> unreadable(const Experiment& failing, Verdict verdict, std::uint64_t seed,
                                 std::size_t most_runs) {
  const ProtocolInfo info = info_of(failing.protocol);
  std::set<std::string> wrong;
  std::uint64_t runs = 0;
  const auto fails = [&](const Experiment& e) {
    const auto cells =
        read_experiments(write_experiment(e), {"small.json", {}, simulated_protocols()});
    if (!cells) wrong.insert(cells.error().front().text());
    const bool passes = seed % 2 == 1 && runs++ > 0 && mix64(seed * 1000 + runs) % 2 == 0;
    Outcome o;
    o.verdict = passes ? Verdict::kPass : verdict;
    o.time = 7 * kUnit;
    return o;
  };
  (void)shrink(failing, fails,
               {.most_runs = most_runs,
                .nodes_per_fault = info.nodes_per_fault,
                .least_nodes = info.least_nodes,
                .progress = {}});
  return wrong;
}

void expect_readable(const Experiment& base, const std::string& name, std::uint64_t seeds,
                     std::size_t most_runs = 400) {
  const Menu menu = menu_of(base.protocol);
  for (const Verdict verdict : {Verdict::kViolated, Verdict::kNoProgress}) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const Experiment failing = draw_schedule(base, seed, menu);
      // A few of the long experiments draw tens of thousands, which take seconds to write and read.
      if (failing.faults.size() > how_many(5000, ~std::uint64_t{0})) continue;
      ASSERT_THAT(unreadable(failing, verdict, seed, most_runs), testing::IsEmpty())
          << name << ", seed " << seed;
    }
  }
}

TEST(Shrunk, OfEveryProtocolReadsBack) {
  for (const ProtocolInfo& info : simulated_protocols()) {
    Experiment base;
    base.protocol = info.name;
    base.n = std::max(info.least_nodes, info.nodes_per_fault + 1) + 3;
    if (info.most_nodes != 0) base.n = std::min(base.n, info.most_nodes);
    base.f = info.faults_of(base.n);
    expect_readable(base, info.name, 8);
  }
}

// Losses end with the GST. Without one they last for ever, and then of course nothing comes about:
// of losses on some links, or between regions, that was taken for the failure.
TEST(Shrunk, LeavesLossesTheirEnd) {
  Experiment plain;
  plain.protocol = "pbft";
  plain.network.gst = 40 * kUnit;
  Experiment network = plain;
  network.network.loss_ppm = 200'000;
  Experiment link = plain;
  link.network.links = {{.from = {NodeId{0}}, .loss_ppm = 200'000}};
  Experiment regions = plain;
  regions.network.matrix = *wan_table("aws5");
  regions.network.matrix.loss_ppm = 200'000;
  regions.network.regions = {"virginia", "ireland", "tokyo", "ireland"};
  for (const Experiment& failing : {network, link, regions}) {
    const auto fails = [](const Experiment& e) {
      Outcome o;
      const Links links(e, NodeSet(e.n));
      o.verdict = links.lossy() ? Verdict::kNoProgress : Verdict::kPass;
      return o;
    };
    const Shrunk small = shrink(failing, fails, {});
    EXPECT_EQ(small.outcome.verdict, Verdict::kNoProgress);
    EXPECT_GT(small.experiment.network.gst, 0U);
  }
}

// Links are cut until the GST, so without one a file with `cut` is refused. Half of 1.5 was none.
TEST(Shrunk, LeavesCutLinksTheirEnd) {
  for (const Ticks gst : {40 * kUnit, 3 * kUnit / 2}) {
    Experiment failing;
    failing.protocol = "pbft";
    failing.network.gst = gst;
    failing.network.cut_ppm = 400'000;
    const auto fails = [](const Experiment& e) {
      EXPECT_TRUE(e.network.cut_ppm == 0 || e.network.gst > 0);
      Outcome o;
      o.verdict = e.network.cut_ppm > 0 ? Verdict::kViolated : Verdict::kPass;
      return o;
    };
    const Shrunk small = shrink(failing, fails, {});
    EXPECT_GT(small.experiment.network.cut_ppm, 0U);
    EXPECT_LT(small.experiment.network.gst, 2 * kUnit);
  }
}

// A burst goes with an open workload and packed blocks.
TEST(Shrunk, WithBurstsReadsBack) {
  Experiment base;
  base.workload.kind = Workload::Kind::kOpen;
  base.workload.block_bytes = 1000;
  base.workload.burst = 4;
  expect_readable(base, base.protocol, 20);
}

// n >= 3f+2p+1 is more than a committee of f faults needs, and has to stay so.
TEST(Shrunk, WithTwoDelaysReadsBack) {
  for (const ProtocolInfo& info : simulated_protocols()) {
    if (info.two_delays.empty()) continue;
    Experiment base;
    base.protocol = info.name;
    base.parameters[info.two_delays] = std::int64_t{1};
    base.n = 12;
    base.f = 3;
    expect_readable(base, info.name, 8);
  }
}

TEST(Shrunk, OfEveryShippedExperimentReadsBack) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(EXPERIMENTS)) {
    if (entry.path().extension() != ".json") continue;
    const auto content = load_file(entry.path());
    ASSERT_TRUE(content) << content.error().text();
    const auto cells = read_experiments(content->text, {"file", {}, simulated_protocols()});
    ASSERT_TRUE(cells) << entry.path() << ": " << cells.error().front();
    ++files;
    // Larger ones say no more, and take long.
    if (cells->front().experiment.n <= 12)
      expect_readable(cells->front().experiment, entry.path().string(), 2, 80);
  }
  EXPECT_GT(files, 10u);
}

}  // namespace
}  // namespace thresher::sim
