// Runs as JSON: what is written is read again and carried out; what is wrong is named.
#include "thresher/verify/schedule.hpp"

#include <gmock/gmock.h>

#include "thresher/verify/checker.hpp"
#include "thresher/verify/text.hpp"

namespace thresher::verify {
namespace {

using testing::HasSubstr;

constexpr const char* kAutomaton =
    "skel S { shared x, y; parameters N, T; assumptions (0) { N > T; T >= 1; }\n"
    "locations (0) { a; b; c; } inits (0) { a == N; b == 0; c == 0; x == 0; y == 0; }\n"
    "rules (0) { 4: a -> b when (true) do { x' == x + 1; }; 9: b -> c when (x > T) do { x' == 0; };"
    " }\nspecifications (0) { never: [](c == 0); few: [](c < 2); } }";

Automaton automaton() {
  return *parse_automaton(kAutomaton, "s.ta");
}

constexpr const char* kText = R"({"format": "thresher-run-1",
  "automaton": "S",
  "runs": [
    {"property": "never",
     "parameters": {"N": 2, "T": 1},
     "locations": {"a": 2},
     "shared": {},
     "steps": [
       {"rule": 4, "from": "a", "to": "b", "times": 2},
       {"rule": 9, "from": "b", "to": "c", "times": 1}]}]
}
)";

std::string changed(std::string_view from, std::string_view to) {
  std::string text = kText;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  return text;
}

TEST(Schedule, WitnessesAreWrittenReadAndCarriedOut) {
  const Automaton ta = automaton();
  std::vector<NamedRun> runs;
  const auto outcomes = check_all(ta, {});
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    ASSERT_EQ(outcomes[i].verdict, Safety::kViolated) << outcomes[i].why;
    runs.push_back({ta.properties[i].name, *outcomes[i].witness});
  }
  const auto read = parse_schedule(print_schedule(ta, runs), "run.json", ta);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(*read, runs);
  for (std::size_t i = 0; i < read->size(); ++i) {
    const auto configurations = replay(ta, (*read)[i].run);
    ASSERT_TRUE(configurations) << configurations.error();
    EXPECT_FALSE(holds(ta.properties[i].formula, (*read)[i].run.parameters, *configurations));
  }
}

TEST(Schedule, TheTextIsTheOneInTheDocument) {
  const Automaton ta = automaton();
  const verify::Execution run{{2, 1}, {{2, 0, 0}, {0, 0}}, {{0, 2}, {1, 1}}};
  EXPECT_EQ(print_schedule(ta, {{"never", run}}), kText);
  EXPECT_EQ(parse_schedule(print_schedule(ta, {}), "none.json", ta)->size(), 0u);
}

// Solvers find numbers that no file of an automaton may have.
TEST(Schedule, LargeNumbersAreReadAgain) {
  const Automaton ta = automaton();
  const std::int64_t large = 1'000'000'000'000'000'000;
  const NamedRun named{"never", {{large, 1}, {{large, 0, 0}, {0, 0}}, {{0, 2}}}};
  const auto read = parse_schedule(print_schedule(ta, {named}), "run.json", ta);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->front(), named);
}

TEST(Schedule, FieldsComeInAnyOrderAndNamesOfLocationsMayBeLeftOut) {
  const auto read = parse_schedule(
      R"({"runs": [{"steps": [{"times": 1, "rule": 4}], "locations": {"a": 2},
          "property": "few", "parameters": {"T": 1, "N": 2}}], "format": "thresher-run-1", "automaton": "S"})",
      "run.json", automaton());
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->at(0), (NamedRun{"few", {{2, 1}, {{2, 0, 0}, {0, 0}}, {{0, 1}}}}));
}

TEST(Schedule, ErrorsNameThePlaceAndTheNearestName) {
  const std::pair<std::string, std::string> cases[] = {
      {changed("\"never\"", "\"nevr\""),
       "run.json:4:18: the automaton has no such property; did you mean 'never'?"},
      {changed("\"times\"", "\"time\""), "did you mean 'times'?"},
      {changed("\"rule\": 9", "\"rule\": 8"), "no rule of this number"},
      {changed("\"from\": \"b\"", "\"from\": \"a\""), "rule 9 goes from 'b' to 'c'"},
      {changed("\"N\": 2", "\"M\": 2"), "no field has this name here"},
      {changed("\"N\": 2", "\"N\": -2"), "a number up to"},
      {changed("\"N\": 2", "\"N\": 2, \"N\": 3"), "given twice"},
      {changed("\"S\"", "\"R\""), "another automaton than 'S'"},
      {changed("run-1", "run-2"), "the format is \"thresher-run-1\""},
      {changed("\"format\": \"thresher-run-1\",\n", ""), "\"format\" is missing"},
      {changed("\"automaton\": \"S\",\n", ""), "\"automaton\" is missing"},
      {changed("\"N\": 2, ", ""), "run.json:5:20: the parameter \"N\" is missing"},
      {changed("     \"parameters\": {\"N\": 2, \"T\": 1},\n", ""), "\"parameters\" is missing"},
      {changed("\"rule\": 4, ", ""), "\"rule\" is missing"},
      {changed(", \"times\": 2", ""), "\"times\" is missing"},
      {R"({"format": "thresher-run-1", "automaton": "S"})", "\"runs\" is missing"},
      // Taken for a run of no step, in which every property held.
      {R"({"format": "thresher-run-1", "automaton": "S", "runs": [{"property": "never",
          "parameters": {"N": 2, "T": 1}, "locations": {"a": 2}}]})",
       "\"steps\" is missing in this run"},
      {std::string(kText) + "{}", "nothing may follow"},
      {"", "'{' is expected here; found the end of the file"},
      {std::string(kText).substr(0, 200), "run.json:"},
  };
  for (const auto& [text, message] : cases) {
    const auto read = parse_schedule(text, "run.json", automaton());
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error().text(), HasSubstr(message)) << text;
    EXPECT_EQ(read.error().code, ErrorCode::kMalformed);
    EXPECT_EQ(read.error().where.rfind("run.json:", 0), 0U) << text;
  }
}

TEST(Schedule, ALongOneIsReadWithinItsTime) {
  std::string steps;
  for (int i = 0; i < 1'000; ++i) steps += R"({"rule": 4, "times": 1}, )";
  const std::string text = changed("\"steps\": [", "\"steps\": [" + steps);
  EXPECT_TRUE(parse_schedule(text, "run.json", automaton()));
  const auto late = parse_schedule(text, "run.json", automaton(), 0);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kRejected);
  EXPECT_EQ(late.error().where, "run.json");
}

TEST(Schedule, ReadIsNotBelieved) {
  const Automaton ta = automaton();
  const auto read = parse_schedule(changed("\"times\": 2", "\"times\": 1"), "run.json", ta);
  ASSERT_TRUE(read) << read.error();
  const Error none = replay(ta, read->at(0).run).error();
  EXPECT_EQ(none.code, ErrorCode::kRejected);
  EXPECT_EQ(none.where, "step 2");
  EXPECT_THAT(none.text(), HasSubstr("rule 9 is not enabled"));
}

}  // namespace
}  // namespace thresher::verify
