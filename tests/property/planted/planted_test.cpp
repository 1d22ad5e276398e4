// What check_protocol finds by default in a protocol with a planted bug, and in how many runs.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "tendermint_subject.hpp"
#include "thresher/testing/check.hpp"

namespace thresher::planted {
namespace {

const std::vector<testing::Property>& promised() {
  static const std::vector<testing::Property> all{
      testing::agreement(), testing::prefix_order(), testing::integrity(),
      testing::validity(),  testing::totality(),     testing::bounded_liveness()};
  return all;
}

testing::TracedRunner runner(Bug bug) {
  return [bug](const sim::Experiment& e, const sim::RunOptions& options) {
    return sim::run(TendermintSubject(e, bug), e, options);
  };
}

testing::Report check(Bug bug, testing::Options options) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("planted-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  options.folder = folder;
  options.shrink_runs = 0;  // that it is found counts here, not how small it can be made
  auto report = testing::check("tendermint", runner(bug), promised(), options, "./test");
  std::filesystem::remove_all(folder);
  return report;
}

// By default settings, from seed 1: no more runs than these are needed.
struct Needs {
  Bug bug;
  std::uint64_t runs;
};

class Planted : public ::testing::TestWithParam<Needs> {};

TEST_P(Planted, IsFound) {
  testing::Options options;
  options.runs = GetParam().runs;
  const auto report = check(GetParam().bug, options);
  EXPECT_FALSE(report.passed) << to_string(GetParam().bug) << '\n' << report.text;
}

std::string number_of(const ::testing::TestParamInfo<Needs>& instance) {
  return "bug" + std::to_string(static_cast<int>(instance.param.bug));
}

// Seeds of the default settings: the fast ones take few runs.
INSTANTIATE_TEST_SUITE_P(Quick, Planted,
                         ::testing::Values(Needs{Bug::kCountsTwice, 100},
                                           Needs{Bug::kAcrossRounds, 200},
                                           Needs{Bug::kBelievesAnyone, 200},
                                           Needs{Bug::kFewPrecommits, 400}),
                         number_of);

TEST(Tendermint, WithoutABugSurvives) {
  testing::Options options;
  options.runs = 300;
  testing::check_protocol<Tendermint>(promised(), options);
}

// As `thresher sim fuzz` draws.
TEST(LongTendermint, WithoutABugSurvivesSchedulesWithoutTactics) {
  testing::Options options;
  options.runs = 20'000;
  options.menu.tactics = false;
  testing::check_protocol<Tendermint>(promised(), options);
}

TEST(LongTendermint, WithoutABugSurvives) {
  testing::Options options;
  options.runs = 20'000;
  testing::check_protocol<Tendermint>(promised(), options);
}

// Of 2000 schedules from `first` on, how many fail.
std::uint64_t failing(Bug bug, std::uint64_t first, bool tactics) {
  constexpr std::uint64_t kRuns = 2000;
  const testing::Options options;
  const auto bases = testing::bases_of("tendermint", promised(), options);
  sim::FuzzOptions fuzzing;
  fuzzing.first = first;
  fuzzing.last = first + kRuns - 1;
  fuzzing.jobs = std::max(1U, std::thread::hardware_concurrency());
  fuzzing.keep_going = true;
  fuzzing.menu = options.menu;
  fuzzing.menu.tactics = tactics;
  for (const sim::SentKind& kind : runner(Bug::kNone)(bases.front(), {}).sent)
    fuzzing.menu.labels.emplace_back(kind.label);
  const auto report = sim::fuzz(
      bases, [run = runner(bug)](const sim::Experiment& e) { return run(e, {}); }, fuzzing);
  return report ? report->violated + report->no_progress : 0;
}

// What none of the 6,000 schedules below shows. One that they come to show leaves this list.
constexpr Bug kNotFound[] = {Bug::kOldProof, Bug::kNoProof, Bug::kSecondPrevote, Bug::kLockInMemory,
                             Bug::kBackInTime};

// The table of docs/simulator/your-protocol.md, of bugs that break agreement; runs with the others
// end without progress, which takes each of them long.
TEST(LongTable, OfBugsAndOfRunsThatShowThem) {
  constexpr std::uint64_t kFirst[] = {1, 10'001, 20'001};
  std::printf("of 2000 runs: without tactics; with them, from seeds 1, 10001 and 20001\n");
  for (std::size_t b = 0; b <= static_cast<std::size_t>(Bug::kBelievesAnyone); ++b) {
    const auto bug = static_cast<Bug>(b);
    const std::uint64_t before = failing(bug, 1, false);
    std::string after;
    std::uint64_t sum = 0;
    for (const std::uint64_t first : kFirst) {
      const std::uint64_t found = failing(bug, first, true);
      sum += found;
      after += " " + std::to_string(found);
    }
    std::printf("%s: %s;%s\n", std::string(to_string(bug)).c_str(), std::to_string(before).c_str(),
                after.c_str());
    std::fflush(stdout);
    const bool missed = std::count(std::begin(kNotFound), std::end(kNotFound), bug) > 0;
    EXPECT_EQ(sum == 0, bug == Bug::kNone || missed) << to_string(bug);
  }
}

}  // namespace
}  // namespace thresher::planted
