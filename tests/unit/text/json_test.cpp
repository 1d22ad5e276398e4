#include "thresher/text/json.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>

namespace thresher::text {
namespace {

Value parsed(std::string_view content) {
  auto tree = parse(content);
  EXPECT_TRUE(tree) << content << ": " << (tree ? "" : tree.error().front().what);
  return tree ? *tree : Value();
}

Problem refused(std::string_view content, const Limits& limits = {}) {
  const auto tree = parse(content, limits);
  EXPECT_FALSE(tree) << content;
  return tree ? Problem{} : tree.error().front();
}

std::vector<Place> places(const Value& value) {
  std::vector<Place> out{value.place()};
  for (const Value& item : value.items()) {
    for (const Place& place : places(item)) out.push_back(place);
  }
  for (const Member& member : value.members()) {
    out.push_back(member.place);
    for (const Place& place : places(member.value)) out.push_back(place);
  }
  return out;
}

TEST(Json, KnowsTheColumnOfEveryKeyAndValue) {
  const Value tree = parsed("[12, -3.5e2,\n  \"a\\\"],{b\" , true,null\t]");
  EXPECT_EQ(places(tree), (std::vector<Place>{{1, 1}, {1, 2}, {1, 6}, {2, 3}, {2, 15}, {2, 20}}));
  const Value object = parsed("{ \"a\":{}, \"b\" : [ ] ,\"c\":7}");
  EXPECT_EQ(places(object),
            (std::vector<Place>{{1, 1}, {1, 3}, {1, 7}, {1, 11}, {1, 17}, {1, 22}, {1, 26}}));
  EXPECT_EQ(places(parsed(" 5")), (std::vector<Place>{{1, 2}}));
}

// A user who reads a complaint does not know the library's names.
TEST(Json, SaysInItsOwnWordsWhatIsNoJson) {
  for (const auto& [content, words] : std::initializer_list<std::pair<std::string, std::string>>{
           {"{\"a\": }", "expected a value, found '}'"},
           {"{\"a\" 1}", "expected ':', found a number"},
           {"{\"a\": 1 \"b\": 2}", "expected '}', found a string"},
           {"{1: 2}", "expected a string, found a number"},
           {"[1 2]", "expected ']', found a number"},
           {"[1,", "the text ends before it is complete"},
           {"[1] []", "found '[' after the end of the value"},
           {"[tru]", "a word other than true, false and null"},
           {"[01]", "expected ']', found a number"},
           {"[-]", "a number that is not written as in 12"},
           {"[1e999]", "the number '1e999' is too large"},
           {"[\"a\tb\"]", "a string with a control character"},
           {"[\"a", "a string without its closing quote"},
           {"[\"\xff\"]", "a string with bytes that are not UTF-8"},
           {"[\"\\x\"]", "a string with an unknown escape"},
           {"\xef\xbb", "a byte-order mark"}}) {
    const std::string said = refused(content).what;
    EXPECT_NE(said.find(words), std::string::npos) << content << ": " << said;
    for (const char* theirs : {"json.exception", "literal", "parsing", "last read", "syntax error"})
      EXPECT_EQ(said.find(theirs), std::string::npos) << content << ": " << said;
  }
}

TEST(Json, KnowsTheLineOfEveryKeyAndValue) {
  const Value tree = parsed("{\n  \"a\": 1\n,\n  // a comment\n  \"b\":\n    [2,\n3\n]\n}\n");
  EXPECT_EQ(tree.place().line, 1U);
  EXPECT_EQ(tree.members()[0].place.line, 2U);
  EXPECT_EQ(tree.find("a")->place().line, 2U);  // the number ends at the line's end
  EXPECT_EQ(tree.members()[1].place.line, 5U);
  EXPECT_EQ(tree.find("b")->place().line, 6U);
  EXPECT_EQ(tree.find("b")->items()[0].place().line, 6U);
  EXPECT_EQ(tree.find("b")->items()[1].place().line, 7U);
}

// Between the mark and the first brace a comment was not taken as one.
TEST(Json, AByteOrderMarkIsNoWord) {
  const auto tree = parse("\xef\xbb\xbf// a comment\n{\"a\": 1,\n \"b\": 2}");
  ASSERT_TRUE(tree);
  EXPECT_EQ(to_string(tree->find("b")->place()), "3:7");
  EXPECT_FALSE(parse("{\"a\":\xef\xbb\xbf 1}"));
}

TEST(Json, CommentsAreWholeLinesOnly) {
  EXPECT_EQ(*parsed("// first\n\t // second\n{\"url\": \"http://x\"}").find("url"),
            Value("http://x"));
  EXPECT_EQ(refused("{\"a\": 1 // no\n}").place.line, 1U);
}

TEST(Json, SaysWhatIsNoJsonAndWhere) {
  EXPECT_EQ(refused("{\"a\": 1,\n\"b\": }\n").place, (Place{2, 6}));
  EXPECT_NE(refused("").what.find("invalid JSON"), std::string::npos);
  EXPECT_NE(refused("{} {}").what.find("invalid JSON"), std::string::npos);
  EXPECT_NE(refused("[1e999]").what.find("invalid JSON"), std::string::npos);
  EXPECT_NE(refused("\"\xff\"").what.find("invalid JSON"), std::string::npos);
}

// The library takes it for the end of the text: what followed was not looked at.
TEST(Json, RefusesAByteZeroWhereverItStands) {
  const std::string whole = "{\"a\": [1, \"b\"],\n  // words\n  \"c\": true}\n";
  for (std::size_t at = 0; at <= whole.size(); ++at) {
    std::string with = whole;
    with.insert(at, 1, '\0');
    const Problem problem = refused(with);
    EXPECT_NE(problem.what.find("a byte 0"), std::string::npos) << at << ": " << problem.what;
    const std::string before = whole.substr(0, at);
    const auto lines = std::count(before.begin(), before.end(), '\n');
    EXPECT_EQ(problem.place.line, 1 + lines) << at;
    const std::size_t begin = lines == 0 ? 0 : before.rfind('\n') + 1;
    EXPECT_EQ(problem.place.column, at - begin + 1) << at;
  }
  refused(std::string("{}\0 rubbish", 11));
  refused(std::string("\0", 1));
  EXPECT_EQ(parsed("[\"\\u0000\"]").items()[0].as_text()->size(), 1U);  // written out it is a text
}

TEST(Json, RefusesTwins) {
  const auto tree = parse("{\"a\": 1,\n\"b\": {\"c\": 1, \"c\": 2},\n\"a\": 3}");
  ASSERT_FALSE(tree);
  ASSERT_EQ(tree.error().size(), 2U);
  EXPECT_EQ(tree.error()[0].place.line, 2U);
  EXPECT_EQ(tree.error()[1].place.line, 3U);
  EXPECT_NE(tree.error()[1].what.find("first in line 1"), std::string::npos);
}

TEST(Json, RefusesWhatIsTooDeepOrTooLong) {
  const std::string nest = std::string(65, '[') + std::string(65, ']');
  EXPECT_NE(refused(nest).what.find("64 levels"), std::string::npos);
  EXPECT_TRUE(parse(nest.substr(1, 128)));
  EXPECT_NE(refused("[1, 2]", {.bytes = 5}).what.find("6 bytes"), std::string::npos);
}

TEST(Json, KeepsNumbersExactly) {
  const Value tree = parsed("[18446744073709551615, -9223372036854775808, 0.1, 4.0, -3]");
  EXPECT_EQ(tree.items()[0].as_unsigned(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(tree.items()[0].as_signed(), std::nullopt);
  EXPECT_EQ(tree.items()[1].as_signed(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(tree.items()[3].as_unsigned(), std::nullopt);
  EXPECT_EQ(tree.items()[4].as_real(), -3.0);
  EXPECT_EQ(write(tree), "[18446744073709551615,-9223372036854775808,0.1,4.0,-3]");
}

TEST(Json, WritesObjectsInTheirOrder) {
  Value tree;
  tree.set("b", 1)
      .set("a", Value::list({true, Value(), -2}))
      .set("b", "two")
      .set("c", Value::object());
  EXPECT_EQ(write(tree), R"({"b":"two","a":[true,null,-2],"c":{}})");
  EXPECT_EQ(write(tree, 2),
            "{\n  \"b\": \"two\",\n  \"a\": [\n    true,\n    null,\n    -2\n  ],\n"
            "  \"c\": {}\n}");
  EXPECT_TRUE(tree.erase("a"));
  EXPECT_FALSE(tree.erase("a"));
  EXPECT_EQ(write(Value(std::numeric_limits<double>::infinity())), "null");
  EXPECT_EQ(write(Value("\xff\n")), "\"\xEF\xBF\xBD\\n\"");
}

Value any_value(int depth) {
  switch (*rc::gen::inRange(0, depth == 0 ? 5 : 7)) {
    case 0:
      return {};
    case 1:
      return *rc::gen::arbitrary<bool>();
    case 2:
      return *rc::gen::arbitrary<std::uint64_t>();
    case 3:
      return *rc::gen::arbitrary<std::int64_t>();
    case 4:
      return *rc::gen::arbitrary<double>();
    case 5: {
      Value list = Value::list();
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i) list.push(any_value(depth - 1));
      return list;
    }
    default: {
      Value object = Value::object();
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
        const auto key = *rc::gen::container<std::string>(rc::gen::inRange<char>(' ', '~'));
        object.set(key, any_value(depth - 1));
      }
      return object;
    }
  }
}

RC_GTEST_PROP(Json, WhatIsWrittenReadsBackEqual, ()) {
  const Value tree = any_value(4);
  const auto line = parse(write(tree));
  const auto page = parse(write(tree, 2));
  RC_ASSERT(line);
  RC_ASSERT(page);
  RC_ASSERT(*line == tree);
  RC_ASSERT(*page == tree);
}

}  // namespace
}  // namespace thresher::text
