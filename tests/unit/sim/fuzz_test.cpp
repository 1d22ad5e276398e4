// What a campaign reports, whatever its threads do. Runs are not carried out.
#include "thresher/sim/fuzz.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <stdexcept>
#include <thread>

namespace thresher::sim {
namespace {

struct Seeds {
  std::set<std::uint64_t> stall{};
  std::set<std::uint64_t> violate{};
  std::set<std::uint64_t> break_off{};
};

// "violation 7", "stall 3" or what broke off. Lower seeds take longer, so that others overtake
// them.
std::string reported(const Seeds& seeds, unsigned jobs, bool keep_going) {
  const auto run = [&](const Experiment& e) {
    std::this_thread::sleep_for(std::chrono::milliseconds(e.seed < 16 ? 16 - e.seed : 0));
    if (seeds.break_off.contains(e.seed)) throw std::runtime_error("no memory");
    Outcome o;
    if (seeds.stall.contains(e.seed)) o.verdict = Verdict::kNoProgress;
    if (seeds.violate.contains(e.seed)) o.verdict = Verdict::kViolated;
    return o;
  };
  const auto draw = [](const Experiment& base, std::uint64_t seed) {
    Experiment e = base;
    e.seed = seed;
    return e;
  };
  FuzzOptions options;
  options.last = 24;
  options.jobs = jobs;
  options.keep_going = keep_going;
  options.draw = draw;
  const auto report = fuzz({Experiment{}}, run, options);
  if (!report) return report.error().text();
  std::string out;
  if (report->violation) out += "violation " + std::to_string(report->violation->experiment.seed);
  if (report->stall) out += " stall " + std::to_string(report->stall->experiment.seed);
  return out;
}

// A violation was lost when a later seed, on another thread, had broken off meanwhile.
TEST(Fuzz, ReportsTheSameOnAnyNumberOfThreads) {
  for (const Seeds& seeds :
       {Seeds{.violate = {3, 5}}, Seeds{.stall = {4, 9}, .violate = {3}},
        Seeds{.stall = {2, 4}, .violate = {3}}, Seeds{.violate = {3}, .break_off = {4, 5}},
        Seeds{.violate = {6}, .break_off = {4, 5, 7}},
        Seeds{.stall = {1, 20}, .break_off = {9, 10, 11}}}) {
    for (const bool keep_going : {false, true}) {
      const std::string one = reported(seeds, 1, keep_going);
      EXPECT_FALSE(one.empty());
      for (const unsigned jobs : {2U, 4U, 8U})
        EXPECT_EQ(reported(seeds, jobs, keep_going), one) << jobs << " threads";
    }
  }
}

// A thread that had taken a lower seed and not begun with it gave it up when a higher one failed.
TEST(Fuzz, NoLowerSeedIsPassedOverWhenAHigherOneFails) {
  constexpr std::uint64_t kFirst = 90;
  FuzzOptions options;
  options.last = 100'000;
  options.jobs = 8;
  options.draw = [](const Experiment& base, std::uint64_t seed) {
    Experiment e = base;
    e.seed = seed;
    return e;
  };
  const Runner run = [](const Experiment& e) {
    Outcome o;
    if (e.seed >= kFirst) o.verdict = Verdict::kViolated;
    return o;
  };
  for (int campaign = 0; campaign < 20; ++campaign) {
    const auto report = fuzz({Experiment{}}, run, options);
    ASSERT_TRUE(report);
    ASSERT_TRUE(report->violation);
    ASSERT_EQ(report->violation->experiment.seed, kFirst) << "campaign " << campaign;
  }
}

}  // namespace
}  // namespace thresher::sim
