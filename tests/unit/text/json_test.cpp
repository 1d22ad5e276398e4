#include "thresher/text/json.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

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

TEST(Json, KnowsTheLineOfEveryKeyAndValue) {
  const Value tree = parsed("{\n  \"a\": 1\n,\n  // a comment\n  \"b\":\n    [2,\n3\n]\n}\n");
  EXPECT_EQ(tree.line(), 1U);
  EXPECT_EQ(tree.members()[0].line, 2U);
  EXPECT_EQ(tree.find("a")->line(), 2U);  // the number ends at the line's end
  EXPECT_EQ(tree.members()[1].line, 5U);
  EXPECT_EQ(tree.find("b")->line(), 6U);
  EXPECT_EQ(tree.find("b")->items()[0].line(), 6U);
  EXPECT_EQ(tree.find("b")->items()[1].line(), 7U);
}

TEST(Json, CommentsAreWholeLinesOnly) {
  EXPECT_EQ(*parsed("// first\n\t // second\n{\"url\": \"http://x\"}").find("url"),
            Value("http://x"));
  EXPECT_EQ(refused("{\"a\": 1 // no\n}").line, 1U);
}

TEST(Json, SaysWhatIsNoJsonAndWhere) {
  EXPECT_EQ(refused("{\"a\": 1,\n\"b\": }\n").line, 2U);
  EXPECT_NE(refused("").what.find("no JSON"), std::string::npos);
  EXPECT_NE(refused("{} {}").what.find("no JSON"), std::string::npos);
  EXPECT_NE(refused("[1e999]").what.find("no JSON"), std::string::npos);
  EXPECT_NE(refused("\"\xff\"").what.find("no JSON"), std::string::npos);
}

TEST(Json, RefusesTwins) {
  const auto tree = parse("{\"a\": 1,\n\"b\": {\"c\": 1, \"c\": 2},\n\"a\": 3}");
  ASSERT_FALSE(tree);
  ASSERT_EQ(tree.error().size(), 2U);
  EXPECT_EQ(tree.error()[0].line, 2U);
  EXPECT_EQ(tree.error()[1].line, 3U);
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
