// Bad histories are refused with the file, the line and the reason; good ones keep what they say.
#include <gmock/gmock.h>

#include "samples.hpp"

namespace thresher::history {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> problems(const std::string& content) {
  const auto history = read(content, "h.ndjson");
  return history ? std::vector<std::string>{} : texts_of(history.error());
}

std::string line(const std::string& more, const std::string& times = R"("begin":1,"end":2)") {
  return R"({"client":"a","op":"put","key":"x","value":1,)" + times + more + "}\n";
}

TEST(ReadHistory, KeepsOperationsByTheirBeginAndTheirLines) {
  const History h = history_of("a:x=7[5,6] b:x?7[2,9] b:y?-[10,] a:y=8[8,]");
  ASSERT_EQ(h.operations.size(), 3U);  // the get that never returned says nothing
  EXPECT_EQ(h.operations[0].line, 2U);
  EXPECT_EQ(show(h, h.operations[0]), "line 2 (b: get x -> 7)");
  EXPECT_EQ(show(h, h.operations[1]), "line 1 (a: put x = 7)");
  EXPECT_EQ(h.operations[0].version, h.operations[1].version);
  EXPECT_EQ(h.operations[2].end, kNever);
}

TEST(ReadHistory, TellsValuesApartByTypeAndKey) {
  const auto h =
      read(line("") + R"({"client":"b","op":"get","key":"x","value":"1","begin":3,"end":4})", "h");
  ASSERT_TRUE(h);
  EXPECT_NE(h->operations[0].version, h->operations[1].version);
}

// A program decides by the code, and shows its user the place.
TEST(ReadHistory, EveryProblemHasACodeAndAPlace) {
  const auto empty = read("", "h.ndjson");
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().front().code, ErrorCode::kMalformed);
  EXPECT_EQ(empty.error().front().where, "h.ndjson");
  const auto wrong = read("\n{]\n" + line(R"(,"kye":1)"), "h.ndjson");
  ASSERT_FALSE(wrong);
  ASSERT_EQ(wrong.error().size(), 2U);
  for (const auto& [at, where] : {std::pair(0, "h.ndjson:2:2"), {1, "h.ndjson:3:64"}}) {
    const Error& error = wrong.error()[static_cast<std::size_t>(at)];
    EXPECT_EQ(error.code, ErrorCode::kMalformed) << error;
    EXPECT_EQ(error.where, where) << error;
  }
  EXPECT_EQ(wrong.error().back().remedy, "did you mean `key`?");
}

// 2^64 + 1 and 2^64 are one number once they are rounded.
TEST(ReadHistory, RefusesNumbersThatAreNotExact) {
  const auto put = [](const std::string& value) {
    return R"({"client":"a","op":"put","key":"x","value":)" + value + R"(,"begin":1,"end":2})";
  };
  for (const char* value : {"18446744073709551617", "18446744073709551616", "-9223372036854775809",
                            "1e2", "1.0", "0.1", "-0.0"}) {
    EXPECT_THAT(problems("\n" + put(value)),
                ElementsAre(AllOf(HasSubstr("'h.ndjson':2:44: 'value'"), HasSubstr("as a string"))))
        << value;
    EXPECT_THAT(problems(put("\"" + std::string(value) + "\"")), ElementsAre()) << value;
  }
  for (const char* value : {"18446744073709551615", "-9223372036854775808", "0", "-1"})
    EXPECT_THAT(problems(put(value)), ElementsAre()) << value;
}

TEST(ReadHistory, RefusesWhatIsNoOperation) {
  EXPECT_THAT(problems(""), ElementsAre(HasSubstr("holds no operation")));
  EXPECT_THAT(problems("\n{]\n"), ElementsAre(HasSubstr("'h.ndjson':2:2: ")));
  EXPECT_THAT(problems("[1]"), ElementsAre(HasSubstr(":1:1: an operation is an object")));
  EXPECT_THAT(problems(line(R"(,"colour":1)")),
              ElementsAre(HasSubstr("unknown key `colour`; known: client, ")));
  EXPECT_THAT(problems(R"({"client":"a","op":"cas","key":"x","value":1,"begin":1})"),
              ElementsAre(HasSubstr("'op' is \"put\" or \"get\"")));
  EXPECT_THAT(problems(R"({"op":"put","key":"x","begin":1})"),
              ElementsAre(HasSubstr("'client' is missing"), HasSubstr("'value' is missing")));
  EXPECT_THAT(problems(R"({"client":"a","op":"get","key":"x","begin":1,"end":2})"),
              ElementsAre(HasSubstr("'value' is missing")));
  EXPECT_THAT(problems(line("", R"("begin":-1)")), ElementsAre(HasSubstr("not negative")));
  EXPECT_THAT(problems(line("", R"("begin":1.5)")), ElementsAre(HasSubstr("whole number")));
}

// A line of a recorded history is long: its number alone left it to the reader to find the place.
TEST(ReadHistory, SaysTheColumnOfWhatIsWrong) {
  const std::string first =
      R"({"client":"a","id":"e","op":"put","key":"x","value":1,"begin":1,"end":5})";
  for (const auto& [second, what] :
       {std::pair{R"({"client":"b","op":"put","key":"x","value":2,"begin":3 "end":8})", "1:60: "},
        {R"( 5)", "1:2: an operation is an object"},
        {R"({"client":"b","op":@"cas","key":"x","value":2,"begin":3})", "'op' is"},
        {R"({"client":@7,"op":"put","key":"x","value":2,"begin":3})", "'client' must be a string"},
        {R"({"client":"b","op":"put","key":"x","value":@1e2,"begin":3})", "'value' is a number"},
        {R"({"client":"b","op":"put","key":"x","value":@[],"begin":3})",
         "'value' must be a string"},
        {R"({"client":"b","op":"put","key":"x","value":2,"begin":@-3})", "not negative"},
        {R"({"client":"b","op":"put","key":"x","value":2,"begin":3,@"colour":1})", "`colour`"},
        {R"({"client":"b","op":"put","key":"x","value":2,"begin":3,"end":@2})", "it ends at 2"},
        {R"({"client":"b","op":"put","key":"x","value":2,"begin":3,"id":@"e"})", "the id 'e'"},
        {R"({"client":"a","op":"put","key":"x","value":2,"begin":@3})", "is open until 5"},
        {R"({"client":"b","op":"put","key":"x","value":2,"begin":3,"after":@["g"]})", "id 'g'"},
        {R"(@{"client":"b","op":"put","value":2,"begin":3})", "'key' is missing"}}) {
    std::string row = second;
    const std::size_t mark = row.find('@');
    std::string place = ":2:";
    if (mark != std::string::npos) {
      row.erase(mark, 1);
      place += std::to_string(mark + 1) + ": ";
    }
    std::string said = what;
    if (said.rfind("1:", 0) == 0) said = said.substr(1);  // the place is said by hand
    EXPECT_THAT(problems(first + "\n" + row + "\n"),
                ElementsAre(AllOf(HasSubstr(place), HasSubstr(said))));
  }
}

TEST(ReadHistory, RefusesTimesThatCannotBe) {
  EXPECT_THAT(problems(line("") + line("", R"("begin":9,"end":8)")),
              ElementsAre(AllOf(HasSubstr(":2:"), HasSubstr("it ends at 8, before"))));
  EXPECT_THAT(problems(line("", R"("begin":1,"end":5)") + line("", R"("begin":4,"end":8)")),
              ElementsAre(AllOf(HasSubstr(":2:"), HasSubstr("line 1 is open until 5"))));
  EXPECT_THAT(problems(line("", R"("begin":1)") + line("", R"("begin":4,"end":8)")),
              ElementsAre(HasSubstr("line 1 never ended")));
}

TEST(ReadHistory, RefusesDependenciesThatCannotBe) {
  const auto of = [](const std::string& id, const std::string& after, int begin, int end) {
    return R"({"client":"c)" + id + R"(","op":"put","key":"x","value":")" + id + R"(","id":")" +
           id + R"(","after":[")" + after + R"("],"begin":)" + std::to_string(begin) +
           R"(,"end":)" + std::to_string(end) + "}\n";
  };
  EXPECT_THAT(problems(of("e1", "e9", 1, 2)),
              ElementsAre(HasSubstr("no operation with the id 'e9'")));
  EXPECT_THAT(problems(of("e1", "e2", 1, 2) + of("e2", "e2", 5, 6)),
              ElementsAre(HasSubstr("'e2' of line 2, which began when it had ended")));
  EXPECT_THAT(problems(of("e1", "e1", 1, 2)), ElementsAre(HasSubstr("line 1 after line 1")));
  EXPECT_THAT(problems(of("e1", "e2", 1, 9) + of("e2", "e3", 1, 9) + of("e3", "e1", 1, 9)),
              ElementsAre(HasSubstr("operations depend on themselves: line ")));
  EXPECT_THAT(problems(of("e1", "e2", 1, 9) + of("e1", "e2", 1, 9)),
              ElementsAre(HasSubstr(":2:56: the id 'e1' stands at line 1 already")));
}

TEST(ReadHistory, GivesNoMoreThanTwentyProblems) {
  std::string content;
  for (int i = 0; i < 100; ++i) content += "nonsense\n";
  EXPECT_EQ(problems(content).size(), 20U);
}

}  // namespace
}  // namespace thresher::history
