// What check_protocol finds by default in a protocol with a planted bug, and in how many runs.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

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

sim::Outcome run(const sim::Experiment& e, const sim::RunOptions& options, Bug bug) {
  return sim::run(TendermintSubject(e, bug), e, options);
}

struct Found {
  std::uint64_t runs = 0;
  std::uint64_t failed = 0;
  std::uint64_t first = 0;
  double mean = 0;
  std::string what;
};

Found sweep(Bug bug, std::uint64_t first, std::uint64_t last) {
  testing::Options options;
  sim::FuzzOptions fuzzing;
  fuzzing.first = first;
  fuzzing.last = last;
  fuzzing.jobs = 1;
  fuzzing.keep_going = true;
  fuzzing.menu = options.menu;
  fuzzing.menu.tactics = std::getenv("TACTICS") == nullptr;
  fuzzing.menu.labels = {"decision", "precommit", "prevote", "proposal", "status"};
  std::map<std::string, int> what;
  Found found;
  fuzzing.observe = [&](const sim::Experiment& e, const sim::Outcome& o) {
    if (o.verdict == sim::Verdict::kPass) return;
    ++found.failed;
    ++what[o.oracle];
    if (found.first == 0 || e.seed < found.first) found.first = e.seed;
  };
  const auto report = sim::fuzz(
      testing::bases_of("tendermint", promised(), options),
      [bug](const sim::Experiment& e) { return run(e, {}, bug); }, fuzzing);
  if (!report) found.what = report.error().text();
  for (const auto& [name, n] : what) found.what += " " + name + " " + std::to_string(n);
  return found;
}

TEST(Planted, One) {
  testing::Options options;
  if (std::getenv("FIRST")) options.first_seed = std::atoi(std::getenv("FIRST"));
  if (std::getenv("RUNS")) options.runs = std::atoi(std::getenv("RUNS"));
  options.menu.tactics = std::getenv("TACTICS") == nullptr;
  const Bug bug = static_cast<Bug>(std::getenv("BUG") ? std::atoi(std::getenv("BUG")) : 0);
  const auto report = testing::check(
      "tendermint",
      [bug](const sim::Experiment& e, const sim::RunOptions& o) { return run(e, o, bug); },
      promised(), options, "./test");
  std::printf("%s\n", report.text.c_str());
}

TEST(Table, All) {
  const char* only = std::getenv("BUG");
  const std::uint64_t runs = std::getenv("RUNS") ? std::atoi(std::getenv("RUNS")) : 2000;
  const std::uint64_t first = std::getenv("FIRST") ? std::atoi(std::getenv("FIRST")) : 1;
  for (std::size_t b = 0; b < kBugs; ++b) {
    if (only && std::atoi(only) != static_cast<int>(b)) continue;
    const std::clock_t t = std::clock();
    const Found f = sweep(static_cast<Bug>(b), first, first + runs - 1);
    std::printf("%2zu %-46s %6lu failed, first %5lu, %6.1f s:%s\n", b,
                std::string(to_string(static_cast<Bug>(b))).c_str(), f.failed, f.first,
                double(std::clock() - t) / CLOCKS_PER_SEC, f.what.c_str());
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace thresher::planted
