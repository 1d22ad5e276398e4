#include <gmock/gmock.h>

#include <new>

#include "verb.hpp"

namespace thresher::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Args : testing::Test {
  std::uint64_t n = 7;
  OptionalNumber seed;
  double share = 0.5;
  std::vector<std::string> kills;
  std::string file;
  bool brief = false;
  int runs = 0;
  std::string errors;

  int call(std::vector<std::string> words) {
    const std::vector<Verb> verbs{
        {{"sim", "run"},
         "Run a simulation.",
         {{"--nodes", "how many", &n, true},
          {"--seed", "of chance", &seed},
          {"--share", "of the bad", &share},
          {"--kill", "whom", &kills},
          {"--brief", "few words", &brief},
          {"file", "to read", &file}},
         [this] { return ++runs, kNoProgress; },
         {{{"--kill", "file"}, [this] { return seed == 9; }, "seed 9 kills nobody"}}}};
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

// `thresher sim new dkg` means the protocol, though there is a verb of that name.
TEST_F(Args, AnArgumentMayHaveTheNameOfAVerb) {
  EXPECT_EQ(call({"sim", "run", "--nodes", "4", "sim"}), kNoProgress);
  EXPECT_EQ(file, "sim");
  EXPECT_EQ(call({"sim", "run", "--nodes", "4", "run"}), kNoProgress);
  EXPECT_EQ(file, "run");
}

TEST_F(Args, NamesTheNearestVerbAndOption) {
  EXPECT_EQ(call({"sym"}), kUsage);
  EXPECT_THAT(errors, HasSubstr("did you mean `sim`?"));
  EXPECT_EQ(call({"sim", "run", "--node", "4"}), kUsage);
  EXPECT_THAT(errors, HasSubstr("did you mean `--nodes`?"));
  EXPECT_EQ(runs, 0);
}

TEST_F(Args, AFlagTakesNoValue) {
  EXPECT_EQ(call({"sim", "run", "--nodes", "4", "--brief"}), kNoProgress);
  EXPECT_TRUE(brief);
  for (const char* word : {"--brief=5", "--brief=false", "--brief=0"}) {
    EXPECT_EQ(call({"sim", "run", "--nodes", "4", word}), kUsage) << word;
    EXPECT_THAT(errors, HasSubstr("takes no value, and is given '")) << word;
  }
  EXPECT_EQ(call({"sim", "run", "--help"}), kDone);
  EXPECT_EQ(runs, 1);
}

TEST_F(Args, RefusesMissingVerbsValuesAndBadNumbers) {
  EXPECT_EQ(call({}), kUsage);
  EXPECT_EQ(call({"sim"}), kUsage);
  EXPECT_EQ(call({"sim", "run"}), kUsage);
  EXPECT_EQ(call({"sim", "run", "--nodes"}), kUsage);
  EXPECT_EQ(call({"sim", "run", "--nodes", "four"}), kUsage);
  EXPECT_EQ(runs, 0);
}

TEST_F(Args, ANumberOutOfItsTypeIsNoNumberAndNoDefault) {
  for (const char* bad : {"-1", "-4", "18446744073709551616", "99999999999999999999", "", "+4",
                          "4 ", "4.0", "0x10", "1e3"}) {
    EXPECT_EQ(call({"sim", "run", "--nodes", bad}), kUsage) << bad;
    EXPECT_THAT(errors, HasSubstr("--nodes: '" + std::string(bad) + "' is ")) << bad;
    EXPECT_EQ(call({"sim", "run", "--nodes", "4", "--seed", bad}), kUsage) << bad;
  }
  EXPECT_THAT((call({"sim", "run", "--nodes", "18446744073709551616"}), errors),
              HasSubstr("more than 18446744073709551615"));
  for (const char* bad : {"nan", "inf", "-inf", "1e999", "", "0,5", "1x"}) {
    EXPECT_EQ(call({"sim", "run", "--nodes", "4", "--share", bad}), kUsage) << bad;
  }
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(seed, std::nullopt);
}

// Also one that is given its default value was given, and does nothing.
TEST_F(Args, AnOptionThatChangesNothingIsRefusedByName) {
  EXPECT_EQ(call({"sim", "run", "--nodes", "4", "--seed", "9", "--kill", "1", "x"}), kUsage);
  EXPECT_EQ(runs, 0);
  EXPECT_THAT(errors, HasSubstr("leave out --kill, file: seed 9 kills nobody; see `thresher sim "
                                "run --help`"));
  EXPECT_EQ(call({"sim", "run", "--nodes", "4", "--seed", "9"}), kNoProgress);
  EXPECT_EQ(call({"sim", "run", "--nodes", "4", "--seed", "8", "--kill", "1"}), kNoProgress);
}

TEST_F(Args, TheLargestNumberIsANumber) {
  EXPECT_EQ(
      call({"sim", "run", "--nodes", "4", "--seed", "18446744073709551615", "--share", "-2.5"}),
      kNoProgress);
  EXPECT_EQ(seed, ~std::uint64_t{0});
  EXPECT_EQ(share, -2.5);
}

TEST(Dispatch, OutOfMemoryIsAMissingResource) {
  const std::vector<Verb> verbs{
      {{"grow"}, "Take all.", {}, []() -> int { throw std::bad_alloc(); }}};
  std::string words[] = {"thresher", "grow"};
  char* argv[] = {words[0].data(), words[1].data()};
  testing::internal::CaptureStderr();
  EXPECT_EQ(dispatch(verbs, 2, argv), kResourceMissing);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("out of memory"));
}

}  // namespace
}  // namespace thresher::cli
