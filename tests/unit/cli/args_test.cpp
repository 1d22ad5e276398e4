#include <gmock/gmock.h>

#include "verb.hpp"

namespace thresher::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Args : testing::Test {
  std::uint64_t n = 7;
  std::vector<std::string> kills;
  std::string file;
  int runs = 0;
  std::string errors;

  int call(std::vector<std::string> words) {
    const std::vector<Verb> verbs{{{"sim", "run"},
                                   "Run a simulation.",
                                   {{"--nodes", "how many", &n, true},
                                    {"--kill", "whom", &kills},
                                    {"file", "to read", &file}},
                                   [this] { return ++runs, kNoProgress; }}};
    words.insert(words.begin(), "thresher");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    testing::internal::CaptureStderr();
    const int status = dispatch(verbs, static_cast<int>(argv.size()), argv.data());
    errors = testing::internal::GetCapturedStderr();
    return status;
  }
};

TEST_F(Args, RunsANestedVerbWithRepeatedOptions) {
  EXPECT_EQ(call({"sim", "run", "--nodes", "4", "--kill", "1", "--kill", "2"}), kNoProgress);
  EXPECT_EQ(n, 4U);
  EXPECT_EQ(runs, 1);
  EXPECT_THAT(kills, ElementsAre("1", "2"));
}

TEST_F(Args, ARepeatableOptionLeavesThePositionalAlone) {
  EXPECT_EQ(call({"sim", "run", "--nodes", "4", "--kill", "1", "exp.json"}), kNoProgress);
  EXPECT_THAT(kills, ElementsAre("1"));
  EXPECT_EQ(file, "exp.json");
}

TEST_F(Args, NamesTheNearestVerbAndOption) {
  EXPECT_EQ(call({"sym"}), kUsage);
  EXPECT_THAT(errors, HasSubstr("did you mean `sim`?"));
  EXPECT_EQ(call({"sim", "run", "--node", "4"}), kUsage);
  EXPECT_THAT(errors, HasSubstr("did you mean `--nodes`?"));
  EXPECT_EQ(runs, 0);
}

TEST_F(Args, RefusesMissingVerbsValuesAndBadNumbers) {
  EXPECT_EQ(call({}), kUsage);
  EXPECT_EQ(call({"sim"}), kUsage);
  EXPECT_EQ(call({"sim", "run"}), kUsage);
  EXPECT_EQ(call({"sim", "run", "--nodes"}), kUsage);
  EXPECT_EQ(call({"sim", "run", "--nodes", "four"}), kUsage);
  EXPECT_EQ(runs, 0);
}

}  // namespace
}  // namespace thresher::cli
