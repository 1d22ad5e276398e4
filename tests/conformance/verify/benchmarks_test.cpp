// The verdicts of the benchmark files that others wrote, against their manifest. The files are read
// where THRESHER_TA_BENCHMARKS points.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "thresher/verify/checker.hpp"
#include "thresher/verify/export.hpp"
#include "thresher/verify/text.hpp"

namespace thresher::verify {
namespace {

/// Seconds of exploration for each property that is called safe.
constexpr double kExploring = 0.05;

struct Row {
  std::string property;
  std::string file;     // safe or unsafe by TACO, or -
  std::string verdict;  // SAFE, CEX, CEX? or nothing
};

std::string folder() {
  const char* set = std::getenv("THRESHER_TA_BENCHMARKS");
  return set != nullptr ? set : THRESHER_TA_DEFAULT;
}

// By file; the columns are file, property, class, verdict of the file, verdict of the property.
std::map<std::string, std::vector<Row>> manifest() {
  std::map<std::string, std::vector<Row>> rows;
  std::ifstream in(folder() + "/manifest.tsv");
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::istringstream columns(line);
    std::string cell[5];
    for (std::string& c : cell) std::getline(columns, c, '\t');
    rows[cell[0]].push_back({cell[1], cell[3], cell[4]});
  }
  return rows;
}

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// THRESHER_TA_EVERY: of how many files one is judged, where there is no time for all.
int every() {
  const char* asked = std::getenv("THRESHER_TA_EVERY");
  return asked == nullptr ? 1 : std::atoi(asked);
}

TEST(Benchmarks, VerdictsAreThoseOfTheManifest) {
  const auto all = manifest();
  if (all.empty())
    GTEST_SKIP() << "no benchmarks in " << folder() << ": set THRESHER_TA_BENCHMARKS";
  int judged = 0, files = 0;
  for (const auto& [file, rows] : all) {
    if (file.ends_with(".tla") || file.ends_with(".eta")) continue;
    if (files++ % every() != 0) continue;
    const auto ta = parse_automaton(content(folder() + "/" + file), file);
    ASSERT_TRUE(ta) << ta.error();
    EXPECT_EQ(*parse_automaton(print_automaton(*ta), file), *ta) << file;
    const auto outcomes = check_all(*ta, {});
    for (const Row& row : rows) {
      if (row.verdict != "SAFE" && row.verdict != "CEX") continue;
      for (std::size_t i = 0; i < outcomes.size(); ++i) {
        if (ta->properties[i].name != row.property) continue;
        const Safety wanted = row.verdict == "SAFE" ? Safety::kSafe : Safety::kViolated;
        EXPECT_EQ(outcomes[i].verdict, wanted)
            << file << " " << row.property << " " << outcomes[i].why;
        if (wanted == Safety::kSafe) {
          const CheckResult small = check_explicit(*ta, ta->properties[i], kExploring);
          EXPECT_NE(small.verdict, Safety::kViolated) << file << " " << row.property;
        }
        ++judged;
      }
    }
  }
  EXPECT_GT(judged, 90 / every());
}

// After the free coin of the two n-ben-or files both estimates may have holders: the manifest's
// sketch could not say, its table counts only safety. Small instances show the same.
TEST(Benchmarks, DecideOrFlipFailsWhereTheCoinIsFree) {
  struct Case {
    const char* file;
    std::vector<std::int64_t> smallest;
    Safety verdict;
  };
  const Case cases[] = {
      {"n-ben-or.ta", {3, 1, 0, 0}, Safety::kViolated},
      {"n-ben-or-byz.ta", {6, 1, 0}, Safety::kViolated},
      {"ben-or.ta", {3, 1, 0, 0}, Safety::kSafe},
      {"p-ben-or.ta", {3, 1, 0, 0}, Safety::kSafe},
      {"p-ben-or-byz.ta", {6, 1, 0}, Safety::kSafe},
  };
  for (const Case& c : cases) {
    const std::string text = content(folder() + "/TACO/random19/" + c.file);
    if (text.empty())
      GTEST_SKIP() << "no benchmarks in " << folder() << ": set THRESHER_TA_BENCHMARKS";
    const auto ta = parse_automaton(text, c.file);
    ASSERT_TRUE(ta) << ta.error();
    for (const Property& p : ta->properties) {
      if (p.name != "decide_or_flip") continue;
      EXPECT_EQ(check_smt(*ta, p, 60).verdict, c.verdict) << c.file;
      const Exploration small = explore_instance(*ta, p, c.smallest, 60);
      EXPECT_TRUE(small.complete) << c.file;
      EXPECT_EQ(small.witness.has_value(), c.verdict == Safety::kViolated) << c.file;
    }
  }
}

// Automata with resets have one property each: the verdict of the file is the property's.
TEST(Benchmarks, ResetsAreDecidedAsPublished) {
  const auto all = manifest();
  if (all.empty())
    GTEST_SKIP() << "no benchmarks in " << folder() << ": set THRESHER_TA_BENCHMARKS";
  int judged = 0;
  for (const auto& [file, rows] : all) {
    if (!file.ends_with(".eta")) continue;
    const auto ta = parse_automaton(content(folder() + "/" + file), file);
    ASSERT_TRUE(ta) << ta.error();
    const auto outcomes = check_all(*ta, {});
    ASSERT_EQ(outcomes.size(), 1u);
    if (rows[0].file == "-") continue;
    const Safety wanted = rows[0].file == "safe" ? Safety::kSafe : Safety::kViolated;
    EXPECT_EQ(outcomes[0].verdict, wanted) << file << " " << outcomes[0].why;
    ++judged;
  }
  EXPECT_GE(judged, 4);
}

// Modules that others wrote for TLC and TACO; their properties are known to hold.
TEST(Benchmarks, TlaModulesAreReadAndProved) {
  const auto all = manifest();
  if (all.empty())
    GTEST_SKIP() << "no benchmarks in " << folder() << ": set THRESHER_TA_BENCHMARKS";
  int judged = 0;
  for (const auto& [file, rows] : all) {
    if (!file.ends_with(".tla")) continue;
    const auto ta = parse_tla(content(folder() + "/" + file), file);
    ASSERT_TRUE(ta) << ta.error();
    const auto printed = export_tla(*ta);
    ASSERT_TRUE(printed) << printed.error();
    EXPECT_EQ(*parse_tla(printed->text, file), *ta) << file;
    for (const CheckResult& o : check_all(*ta, {})) {
      EXPECT_EQ(o.verdict, Safety::kSafe) << file << ": " << o.why;
      ++judged;
    }
  }
  EXPECT_GE(judged, 10);
}

// Where acs and zcs answer alone, they answer what the others do.
TEST(Benchmarks, BackwardCheckersAgreeWhereTheyAnswer) {
  const auto all = manifest();
  if (all.empty())
    GTEST_SKIP() << "no benchmarks in " << folder() << ": set THRESHER_TA_BENCHMARKS";
  int judged = 0;
  for (const auto& [file, rows] : all) {
    const bool small =
        file.find("red-belly") != std::string::npos || file.find("handcoded") != std::string::npos;
    if (!small) continue;
    const auto ta = parse_automaton(content(folder() + "/" + file), file);
    ASSERT_TRUE(ta) << ta.error();
    for (const char* checker : {"acs", "zcs"}) {
      CheckOptions options;
      options.seconds = 2;
      options.checker = checker;
      const auto outcomes = check_all(*ta, options);
      for (const Row& row : rows) {
        for (std::size_t i = 0; i < outcomes.size(); ++i) {
          if (ta->properties[i].name != row.property) continue;
          if (outcomes[i].verdict == Safety::kUnknown || row.verdict == "CEX?") continue;
          EXPECT_EQ(outcomes[i].verdict == Safety::kSafe, row.verdict == "SAFE")
              << file << " " << row.property << " " << checker;
          ++judged;
        }
      }
    }
  }
  EXPECT_GT(judged, 20);
}

}  // namespace
}  // namespace thresher::verify
