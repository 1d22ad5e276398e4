// The wide area of an experiment file: a table in it or beside it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <regex>

#include "thresher/sim/read.hpp"

namespace thresher::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Read = Result<std::vector<Cell>, Errors>;

const std::vector<ProtocolInfo>& known() {
  static const std::vector<ProtocolInfo> kKnown{{"thresher", "", "", 3, {}, {}}};
  return kKnown;
}

// The members stand from line 2 on.
Read read_members(const std::string& members, const std::string& file = "exp.json") {
  return read_experiments(R"({"schema": 1, "protocol": {"name": "thresher"}, "engine": "events",)"
                          "\n" +
                              members + "\n}",
                          {file, {}, known()});
}

TEST(WideArea, DealsItsRegionsOut) {
  const auto out = read_members(R"("committee": {"n": 5},
    "network": {"wan": "aws", "regions": ["ireland", "tokyo"]})");
  ASSERT_TRUE(out) << testing::PrintToString(out.error());
  const Experiment& e = out->front().experiment;
  EXPECT_THAT(e.network.regions, ElementsAre("ireland", "tokyo", "ireland", "tokyo", "ireland"));
  EXPECT_EQ(e.network.delta, Ticks{212'400});
}

TEST(WideArea, IsATableThatTheFileBrings) {
  const auto out = read_members(R"("network": {"matrix": {"regions": ["a", "b"],
    "rtt": [[0.5, 80], [90, 0.5]], "jitter": 0.1, "loss": 0.001}, "regions": ["b", "a", "b"]})");
  ASSERT_TRUE(out) << testing::PrintToString(out.error());
  const Experiment& e = out->front().experiment;
  EXPECT_THAT(e.network.matrix.rtt_us, ElementsAre(500, 80'000, 90'000, 500));
  EXPECT_EQ(e.network.matrix.jitter_ppm, 100'000U);
  EXPECT_EQ(e.network.matrix.loss_ppm, 1'000U);
  EXPECT_THAT(e.network.regions, ElementsAre("b", "a", "b", "b"));
  EXPECT_EQ(e.network.delta, Ticks{99'000});  // twice the longest way with its jitter
}

// A folder of a test's own.
class WideAreaBeside : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void put(const std::string& content) const { std::ofstream(folder_ / "mine.json") << content; }
  Read read(const std::string& members) const {
    return read_members(members, (folder_ / "exp.json").string());
  }
  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) /
      ("beside-" + std::to_string(::getpid()) + "-" +
       testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(WideAreaBeside, ATableOfAFileStandsInTheResolvedExperiment) {
  put(R"({"regions": ["a", "b"], "rtt": [[1, 80], [80, 1]], "jitter": 0.02})");
  const auto out = read(R"("network": {"wan": "mine.json"})");
  ASSERT_TRUE(out) << testing::PrintToString(out.error());
  const std::string page = write_experiment(out->front().experiment);
  EXPECT_THAT(page, testing::Not(HasSubstr("mine.json")));
  std::filesystem::remove(folder_ / "mine.json");  // it is not needed again
  const auto again = read_experiments(page, {"again.json", {}, known()});
  ASSERT_TRUE(again) << testing::PrintToString(again.error());
  EXPECT_EQ(again->front().experiment.network.matrix.rtt_us[1], 80'000U);
  EXPECT_EQ(write_experiment(again->front().experiment), page);
}

TEST_F(WideAreaBeside, TablesCanBeSwept) {
  put(R"({"regions": ["a"], "rtt": [[80]]})");
  const auto out = read(R"("sweep": {"network.wan": ["aws", "mine.json"]})");
  ASSERT_TRUE(out) << testing::PrintToString(out.error());
  ASSERT_EQ(out->size(), 2U);
  EXPECT_EQ((*out)[0].experiment.network.wan, "aws");
  EXPECT_EQ((*out)[1].experiment.network.delta, Ticks{80'000});
}

TEST_F(WideAreaBeside, SaysWhereInTheFileATableIsWrong) {
  const std::pair<const char*, const char*> bad[] = {
      {"{\n  \"regions\": [\"a\"],\n  \"rtt\": [[-1]]}", "mine.json:3:12: rtt[0]: must be"},
      {"{\"regions\": [\"a\"]", "mine.json:1:"},
      {"{\"regions\": [\"a\"], \"rtt\": [[1]], \"rt\": 1}", "did you mean `rtt`?"},
      {"[1]", "must be one object"},
      {"", "mine.json:1:1"},
  };
  for (const auto& [content, what] : bad) {
    put(content);
    const auto out = read(R"("network": {"wan": "mine.json"})");
    ASSERT_FALSE(out) << content;
    ASSERT_EQ(out.error().size(), 1U) << testing::PrintToString(out.error());
    EXPECT_TRUE(out.error().front().where.ends_with("/exp.json:2:20"));
    EXPECT_THAT(out.error().front().text(), HasSubstr("exp.json:2:20: network.wan: "));
    EXPECT_THAT(out.error().front().text(), HasSubstr(what));
  }
}

struct Bad {
  const char* members;
  const char* path;  ///< with the line before it
  const char* what;
};

class BadWideArea : public testing::TestWithParam<Bad> {};

TEST_P(BadWideArea, IsOneComplaintWithPathAndLine) {
  const auto out = read_members(GetParam().members);
  ASSERT_FALSE(out);
  ASSERT_EQ(out.error().size(), 1U) << testing::PrintToString(out.error());
  const std::string line = std::regex_replace(out.error().front().text(),
                                              std::regex("^([a-z.]+:[0-9]+):[0-9]+: "), "$1: ");
  EXPECT_THAT(line, HasSubstr(std::string("exp.json:") + GetParam().path + ": "));
  EXPECT_THAT(line, HasSubstr(GetParam().what));
}

INSTANTIATE_TEST_SUITE_P(
    Every, BadWideArea,
    testing::Values(Bad{R"("network": {"matrix": {"rtt": [[1]]}})", "2: network.matrix",
                        "needs `regions`"},
                    Bad{R"("network": {"matrix": {"regions": ["a"]}})", "2: network.matrix",
                        "needs a row of `rtt` for each region, 1, not 0"},
                    Bad{R"("network": {"matrix": {"regions": ["a", "b"], "rtt": [[1, 2], [2]]}})",
                        "2: network.matrix.rtt", "the row of `b` has 1 round trips; give 2"},
                    Bad{R"("network": {"matrix": {"regions": ["a", "a"],
               "rtt": [[1, 2], [2, 1]]}})",
                        "2: network.matrix.regions", "twice"},
                    Bad{R"("network": {"matrix": {"regions": ["a"], "rtt": [[0]]}})",
                        "2: network.matrix.rtt[0]", "from 0.002"},
                    Bad{R"("network": {"matrix": {"regions": ["a"], "rtt": [[1]],
               "jiter": 0.1}})",
                        "3: network.matrix.jiter", "did you mean `jitter`?"},
                    Bad{R"("network": {"matrix": {"regions": ["a"], "rtt": [[1]],
               "loss": 2}})",
                        "3: network.matrix.loss", "from 0 to 1"},
                    Bad{R"("network": {"matrix": {"regions": ["a"], "rtt": [[1]]}},
                        "sweep": {"engine": ["rounds"]})",
                        "2: network.matrix", "use \"engine\": \"events\""},
                    Bad{R"("network": {"wan": "aws", "matrix": {"regions": ["a"],
               "rtt": [[1]]}})",
                        "2: network.wan", "one of the two"},
                    Bad{R"("network": {"matrix": {"regions": ["a", "b"],
               "rtt": [[1, 2], [2, 1]]}, "regions": ["c"]})",
                        "3: network.regions", "unknown region `c`"},
                    Bad{R"("network": {"regions": ["a"]})", "2: network.regions",
                        "goes with `wan` or `matrix`"},
                    Bad{R"("network": {"wan": "nowhere.json"})", "2: network.wan", "cannot read"}));

}  // namespace
}  // namespace thresher::sim
