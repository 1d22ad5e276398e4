// The harness itself: it passes what is right, finds what is wrong, makes it small, replays it.
#include "thresher/testing/check.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "echo.hpp"
#include "thresher/sim/results.hpp"

namespace thresher {
namespace {

template <Threshold kEnough>
struct EchoSubject : ::thresher::testing::SubjectBase<Echo<kEnough>> {
  using Base = ::thresher::testing::SubjectBase<Echo<kEnough>>;
  using Base::Base;
  using Base::facts_of;
  static constexpr bool kOrdered = false;
  sim::OutputFacts facts_of(const typename Echo<kEnough>::Output& o) const {
    const std::uint64_t key = (std::uint64_t{o.origin.value} << 48) + o.number;
    return {.key = key, .digest = hash(o.payload.view()), .round = o.number};
  }
  std::size_t held(const Echo<kEnough>& node) const { return node.open(); }
};

template <Threshold kEnough>
testing::Report check_echo(const std::vector<testing::Property>& properties,
                           const testing::Options& options) {
  const auto run = [](const sim::Experiment& e, const sim::RunOptions& o) {
    return sim::run(EchoSubject<kEnough>(e), e, o);
  };
  return testing::check("echo", run, properties, options, "./test");
}

testing::Options options(std::uint64_t runs) {
  testing::Options o;
  o.runs = runs;
  o.folder = std::filesystem::temp_directory_path() / ("thresher-" + std::to_string(::getpid()));
  std::filesystem::create_directories(o.folder);
  return o;
}

TEST(Check, PassesWhatIsRight) {
  const auto report = check_echo<kQuorum>(
      {testing::agreement(), testing::integrity(), testing::validity()}, options(500));
  EXPECT_TRUE(report.passed) << report.text;
  EXPECT_EQ(report.runs, 500U);
}

TEST(Check, FindsThePlantedBugAndReplaysIt) {
  const auto o = options(2000);
  const auto report = check_echo<kValidity>({testing::agreement()}, o);
  ASSERT_FALSE(report.passed);
  EXPECT_NE(report.text.find("agreement"), std::string::npos) << report.text;
  EXPECT_NE(report.text.find("replay: THRESHER_SCENARIO=" + report.scenario + " ./test"),
            std::string::npos)
      << report.text;
  ::setenv("THRESHER_SCENARIO", report.scenario.c_str(), 1);
  ::testing::internal::CaptureStdout();
  const auto again = check_echo<kValidity>({testing::agreement()}, o);
  const std::string story = ::testing::internal::GetCapturedStdout();
  const auto mended = check_echo<kQuorum>({testing::agreement()}, o);
  ::unsetenv("THRESHER_SCENARIO");
  EXPECT_FALSE(again.passed);
  EXPECT_NE(again.text.find("agreement"), std::string::npos) << again.text;
  EXPECT_NE(story.find("fault `"), std::string::npos) << story;
  EXPECT_TRUE(mended.passed) << mended.text;
  std::filesystem::remove_all(o.folder);
}

TEST(Check, ANamelessPropertyIsNotJudged) {
  const auto report = check_echo<kValidity>({testing::integrity()}, options(200));
  EXPECT_TRUE(report.passed) << report.text;
}

TEST(Check, BoundsMemory) {
  const auto o = options(200);
  EXPECT_TRUE(check_echo<kQuorum>({testing::bounded_memory(56)}, o).passed);
  const auto report = check_echo<kQuorum>({testing::bounded_memory(1)}, o);
  EXPECT_FALSE(report.passed);
  EXPECT_NE(report.text.find("bounded memory: node"), std::string::npos) << report.text;
  std::filesystem::remove_all(o.folder);
}

// Echo broadcast promises nothing of the kind: a liar's payload may reach some only.
TEST(Check, MissesTotality) {
  const auto o = options(2000);
  const auto report = check_echo<kQuorum>({testing::totality()}, o);
  EXPECT_FALSE(report.passed);
  EXPECT_NE(report.text.find("totality"), std::string::npos) << report.text;
  std::filesystem::remove_all(o.folder);
}

TEST(Check, AScenarioOfAnotherTestIsRefusedInWords) {
  const auto o = options(1);
  ::setenv("THRESHER_SCENARIO", (std::filesystem::path(o.folder) / "none.json").c_str(), 1);
  const auto report = check_echo<kQuorum>({testing::agreement()}, o);
  ::unsetenv("THRESHER_SCENARIO");
  EXPECT_FALSE(report.passed);
  EXPECT_NE(report.text.find("none.json"), std::string::npos) << report.text;
  std::filesystem::remove_all(o.folder);
}

}  // namespace
}  // namespace thresher
