// What a program learns of an experiment file that is wrong: a code to decide by and a place.
#include <gtest/gtest.h>

#include "thresher/core/assert.hpp"
#include "thresher/sim/read.hpp"

namespace thresher::sim {
namespace {

const std::string kHead = R"({"schema": 1, "protocol": {"name": "thresher"})";

// A program decides by the code, and shows its user the place.
TEST(ReadErrors, EveryProblemHasACodeAndAPlace) {
  const auto read = [](const std::string& content, std::vector<Override> overrides = {}) {
    const auto out =
        read_experiments(content, {"exp.json", std::move(overrides), simulated_protocols()});
    EXPECT_FALSE(out) << content;
    return out ? Errors{{}} : out.error();
  };
  const Error newer = read("{\n  \"schema\": 2}").front();
  EXPECT_EQ(newer.code, ErrorCode::kUnsupported);
  EXPECT_EQ(newer.where, "exp.json:2:13");
  EXPECT_EQ(newer.remedy, "use a newer thresher, or write the file for schema 1");

  const Errors wrong = read(kHead + ",\n\"sed\": 1,\n\"committee\": {\"n\": \"x\"}}");
  ASSERT_EQ(wrong.size(), 2U);
  for (const auto& [at, where] : {std::pair(0, "exp.json:2:1"), {1, "exp.json:3:20"}}) {
    const Error& error = wrong[static_cast<std::size_t>(at)];
    EXPECT_EQ(error.code, ErrorCode::kMalformed) << error;
    EXPECT_EQ(error.where, where) << error;
  }
  EXPECT_EQ(wrong.front().remedy, "did you mean `seed`?");

  // What is set from outside stands in no line.
  const Error set = read(kHead + "}", {{"committee.n", "0"}}).front();
  EXPECT_EQ(set.code, ErrorCode::kMalformed);
  EXPECT_EQ(set.where, "committee.n");
  EXPECT_EQ(set.what.find("command line: committee.n: "), 0U) << set;

  const Error table = read(kHead +
                           ", \"engine\": \"events\","
                           "\n\"network\": {\"wan\": \"none.json\"}}")
                          .front();
  EXPECT_EQ(table.code, ErrorCode::kMissing) << table;
  EXPECT_EQ(table.where, "exp.json:2:20");
  EXPECT_EQ(table.remedy, "check the path");
}

// Runs were told under values that they did not have, or one was counted as two.
TEST(ReadErrors, AxesThatSetTheSameOrSayItTwiceAreRefused) {
  const std::pair<std::string, std::string> cases[] = {
      {R"("sweep": [{"network.loss": [0, 0.1]}, {"network": [{"duplicate": 0.2}]}])",
       "sweep.network: sets what `network.loss` sets as well"},
      {R"("sweep": [{"network": [{"duplicate": 0.2}], "network[loss]": [0.1]}])",
       "sweep.network[loss]: sets what `network` sets as well"},
      {R"("sweep": [{"seed": [1, 2]}, {"seed": [3, 4]}])",
       "sweep.seed: sets what `seed` sets as well"},
      {R"("sweep": {"committee.n": [4, 4, 7]})", "sweep.committee.n: has 4 twice"},
      {R"("sweep": {"sweep.seed": [1, 2]})", "sweep.sweep.seed: a sweep cannot"},
      {R"("seed": 18446744073709551615, "repeats": 2)", "seed: with 2 repeats"},
  };
  for (const auto& [line, message] : cases) {
    const auto out =
        read_experiments(kHead + ",\n" + line + "}", {"exp.json", {}, simulated_protocols()});
    ASSERT_FALSE(out) << line;
    EXPECT_EQ(out.error().size(), 1u) << line;
    EXPECT_NE(out.error().front().text().find(": " + message), std::string::npos)
        << out.error().front();
  }
}

// An experiment made without a file can be checked before it is run; after that it is a defect.
TEST(ReadErrors, AProtocolIsFoundOrTheNearestIsNamed) {
  const auto found = find_protocol("pbft");
  ASSERT_TRUE(found);
  EXPECT_EQ((*found)->name, "pbft");
  const auto none = find_protocol("pbtf");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kMissing);
  EXPECT_EQ(none.error().where, "pbtf");
  EXPECT_EQ(none.error().remedy, "did you mean `pbft`?");
  Experiment e;
  e.protocol = "pbtf";
  EXPECT_THROW((void)simulate(e, {}), InvariantBroken);
}

}  // namespace
}  // namespace thresher::sim
