// Whatever an application throws or returns has a result, or ends it.
#include "host/app_calls.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

namespace thresher::net {
namespace {

class Odd final : public App {
 public:
  std::function<Bytes()> applies = [] { return Bytes::copy_of(as_view("done")); };
  std::function<std::optional<std::string>()> checks = [] { return std::nullopt; };
  int applied = 0;
  mutable int asked = 0;
  bool throws_state = false;

  Bytes apply(const Transaction&) override {
    ++applied;
    return applies();
  }
  std::optional<std::string> check(const ClientId&, ByteView) const override { return checks(); }
  Digest state() const override {
    ++asked;
    if (throws_state) throw std::runtime_error("no state");
    return hash(as_view(std::to_string(asked)));
  }
};

struct Called : testing::Test {
  Odd odd;
  HostCalls calls;
  AppCalls app{odd, calls};
  std::optional<ApplyResult> apply(std::uint64_t position) {
    return app.apply(Transaction{position, ClientId{}, 7, as_view("data"), 0, 0});
  }
};

TEST_F(Called, AResultIsWhatItReturns) {
  const auto result = apply(0);
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->failed);
  EXPECT_EQ(result->bytes, Bytes::copy_of(as_view("done")));
}

TEST_F(Called, ATransactionMayFailAndTheNextIsApplied) {
  odd.applies = []() -> Bytes { throw TransactionFailed("no money"); };
  const auto result = apply(0);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->failed);
  EXPECT_EQ(result->bytes, Bytes::copy_of(as_view("no money")));
  odd.applies = [] { return Bytes::from(std::vector<std::byte>(kMostResult + 1)); };
  const auto large = apply(1);
  ASSERT_TRUE(large);
  EXPECT_TRUE(large->failed);
  EXPECT_LT(large->bytes.size(), 100u);
  EXPECT_TRUE(calls.problem().empty());
}

// Each start would give it the transaction again, so the words have to find it.
TEST_F(Called, WhatItThrowsEndsIt) {
  odd.applies = []() -> Bytes { throw std::runtime_error("out of range"); };
  EXPECT_FALSE(apply(41));
  EXPECT_NE(calls.problem().find("position 41"), std::string::npos) << calls.problem();
  EXPECT_NE(calls.problem().find("out of range"), std::string::npos);
  EXPECT_FALSE(apply(42));
  EXPECT_EQ(odd.applied, 1);
}

TEST_F(Called, AnotherCallMayTakeThePlaceOfApply) {
  const Transaction t{3, ClientId{}, 7, as_view("data"), 0, 0};
  const auto result = app.apply(t, [] { return ApplyResult{true, {}}; });
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->failed);
  EXPECT_EQ(odd.applied, 0);
}

TEST_F(Called, ACheckThatThrowsRefuses) {
  EXPECT_FALSE(app.check({}, {}).against);
  odd.checks = [] { return std::optional<std::string>("too small"); };
  EXPECT_EQ(app.check({}, {}).against, "too small");
  EXPECT_FALSE(app.check({}, {}).threw);
  odd.checks = []() -> std::optional<std::string> { throw std::runtime_error("oh"); };
  EXPECT_EQ(app.check({}, {}).against, "check() threw: oh");
  EXPECT_EQ(app.check({}, {}).threw, "oh");
  EXPECT_TRUE(calls.problem().empty());
}

TEST_F(Called, TheStateIsAskedForOnceASlot) {
  EXPECT_EQ(app.state(), Digest{});
  EXPECT_TRUE(app.look_at_state(Round{0}));
  EXPECT_TRUE(app.look_at_state(Round{0}));
  EXPECT_EQ(odd.asked, 1);
  const Digest before = app.state();
  EXPECT_TRUE(app.look_at_state(Round{1}));
  EXPECT_NE(app.state(), before);
  odd.throws_state = true;
  const Digest last = app.state();
  EXPECT_FALSE(app.look_at_state(Round{2}));
  EXPECT_EQ(app.state(), last);
  EXPECT_FALSE(calls.problem().empty());
}

}  // namespace
}  // namespace thresher::net
