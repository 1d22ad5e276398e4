#include "http/gateway_json.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace thresher::net {
namespace {

TEST(GatewayTarget, IsDecoded) {
  const auto t = Target::parse("/query?q=a%20b%2B%ff+c&length=8&empty=");
  ASSERT_TRUE(t);
  EXPECT_EQ(t->path, "/query");
  EXPECT_EQ(*t->find("q"), "a b+\xff c");
  EXPECT_EQ(t->number("length", 0), 8u);
  EXPECT_EQ(t->number("limit", 7), 7u);
  EXPECT_EQ(*t->find("empty"), "");
  EXPECT_FALSE(t->number("empty", 0));
  EXPECT_EQ(t->unknown_of({"q", "length"}), "empty");
  EXPECT_FALSE(t->unknown_of({"q", "length", "empty"}));
}

TEST(GatewayTarget, WhatCannotBeMeantIsRefused) {
  for (const char* bad :
       {"", "status", "http://x/", "?q=1", "/a%", "/a%2", "/a%zz", "/a?b=1&b=2", "/a?b=%g0"}) {
    EXPECT_FALSE(Target::parse(bad)) << bad;
  }
  const auto t = Target::parse("/a?n=18446744073709551616&m=-1&k=1x&j=0x1");
  ASSERT_TRUE(t);
  for (const char* name : {"n", "m", "k", "j"}) EXPECT_FALSE(t->number(name, 0)) << name;
}

RC_GTEST_PROP(GatewayTarget, AnyBytesAreReadOrRefused, (const std::string& text)) {
  (void)Target::parse("/" + text);
  (void)Target::parse(text);
}

TEST(GatewayHost, OfThisMachineAlone) {
  for (const char* good :
       {"localhost", "localhost:8080", "LocalHost", "127.0.0.1", "127.0.0.1:8080", "127.1.2.3:1"}) {
    EXPECT_TRUE(is_this_machine(good)) << good;
  }
  for (const char* bad :
       {"", "localhost.evil.example", "127.0.0.1.evil.example", "evil.example", "10.0.0.1",
        "127.0.0.1:8080.evil.example", "localhost:8080:evil",
        // A resolver asks for these as names.
        "127.999.1.1", "127.0.0.256:8080", "127.", "127.1", "127.0.0.1.", "127.0.0.1.1", "127..0.1",
        "127.0.0.01", "127.0.0.1111", "1270.0.0.1", "126.0.0.1", "[127.0.0.1]"}) {
    EXPECT_FALSE(is_this_machine(bad)) << bad;
  }
  EXPECT_FALSE(is_this_machine({"127.0.0.1\0.evil.example", 23}));
}

TEST(GatewayJson, BytesAreDigitsAndTextWhereItCanBeRead) {
  const auto written = [](const std::string& data) {
    return text::write(json_of(Answer{false, Bytes::copy_of(as_view(data)), 3}));
  };
  EXPECT_EQ(written("hi"), R"({"length":3,"answer":"6869","answer_text":"hi"})");
  EXPECT_EQ(written("\xc3\xa4"), "{\"length\":3,\"answer\":\"c3a4\",\"answer_text\":\"\xc3\xa4\"}");
  for (const char* bytes :
       {"\xff", "\xc3", "a\nb", "\x7f", "\xc0\x80", "\xf5\x80\x80\x80", "\xed\xa0\x80",
        "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80"}) {
    EXPECT_EQ(written(bytes).find("answer_text"), std::string::npos) << bytes;
  }
  for (const char* bytes :
       {"\xed\x9f\xbf", "\xe0\xa0\x80", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_NE(written(bytes).find("answer_text"), std::string::npos) << bytes;
  }
  EXPECT_EQ(text::write(json_of(Answer{true, Bytes::copy_of(as_view("no \"x\"")), 3})),
            R"({"length":3,"error":"no \"x\""})");
}

TEST(GatewayJson, OutcomesSayWhatBecameOfThem) {
  CommitStatus out{CommitStatus::Kind::kCommitted, {}, {}, 9, {}};
  out.receipt.position = 4;
  out.receipt.slot = 2;
  EXPECT_EQ(text::write(json_of(out)), R"({"outcome":"committed","position":4,"slot":2})");
  out.receipt.result = ApplyResult{true, Bytes::copy_of(as_view("no"))};
  EXPECT_EQ(text::write(json_of(out)),
            R"({"outcome":"committed","position":4,"slot":2,"failed":true,"result":"6e6f",)"
            R"("result_text":"no"})");
  EXPECT_EQ(text::write(json_of(
                CommitStatus{CommitStatus::Kind::kRefused, {}, Refusal::kRejected, 0, "bad"})),
            R"({"outcome":"refused","reason":"rejected","error":"bad"})");
  EXPECT_EQ(text::write(json_of(
                CommitStatus{CommitStatus::Kind::kRefused, {}, Refusal::kObserves, 0, "go on"})),
            R"({"outcome":"refused","reason":"observes","error":"go on"})");
  EXPECT_EQ(text::write(json_of(CommitStatus{CommitStatus::Kind::kUnknown, {}, {}, 9, "late"})),
            R"({"outcome":"unknown","until":9,"error":"late"})");
}

TEST(GatewayJson, APageNamesWhereTheNextBegins) {
  LogPage page{9, {{4, 2, {}, 0, Bytes::copy_of(as_view("x"))}}, {}};
  const text::Value out = json_of(4, page);
  EXPECT_EQ(out.find("next")->as_unsigned(), 5u);
  EXPECT_EQ(out.find("transactions")->items().size(), 1u);
  page.transactions.clear();
  EXPECT_EQ(json_of(9, page).find("next")->as_unsigned(), 9u);
}

}  // namespace
}  // namespace thresher::net
