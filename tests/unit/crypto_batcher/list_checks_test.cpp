// One verdict on a list: when it comes, what it says, and what is left of it.
#include "thresher/crypto/list_checks.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace thresher::crypto {
namespace {

VerifyRequest asked(std::uint64_t ticket) {
  VerifyRequest r;
  r.instance = 5;
  r.ticket = Ticket{ticket};
  r.sender = 9;
  r.purpose = Purpose::kCatchUp;
  r.digest.bytes[0] = std::byte{7};
  return r;
}
VerifyAnswer answer_to(const VerifyRequest& r, SignatureStatus verdict = SignatureStatus::kValid) {
  return {r.instance, r.ticket, r.sender, verdict};
}

TEST(ListChecks, AnswerWithTheLastSignatureWhateverTheOrder) {
  ListChecks lists;
  const VerifyRequest a = lists.open(asked(3), 3);
  const VerifyRequest b = lists.open(asked(4), 2);
  EXPECT_NE(a.ticket, b.ticket);
  EXPECT_EQ(a.sender, 9u);
  EXPECT_EQ(a.purpose, Purpose::kCatchUp);
  EXPECT_EQ(a.digest, asked(3).digest);
  EXPECT_FALSE(lists.settle(answer_to(a)));
  EXPECT_FALSE(lists.settle(answer_to(b)));
  EXPECT_FALSE(lists.settle(answer_to(a)));
  const auto second = lists.settle(answer_to(b));
  ASSERT_TRUE(second);
  EXPECT_EQ(second->instance, 5u);
  EXPECT_EQ(second->ticket, Ticket{4});
  EXPECT_EQ(second->sender, 9u);
  EXPECT_TRUE(second->good());
  EXPECT_EQ(lists.waiting(), 1u);
  const auto first = lists.settle(answer_to(a));
  ASSERT_TRUE(first);
  EXPECT_EQ(first->ticket, Ticket{3});
  EXPECT_EQ(lists.waiting(), 0u);
  EXPECT_FALSE(lists.settle(answer_to(a))) << "answered already";
}

TEST(ListChecks, OneBadSignatureIsEnoughWhereverItStands) {
  for (std::size_t bad = 0; bad < 4; ++bad) {
    ListChecks lists;
    const VerifyRequest r = lists.open(asked(1), 4);
    for (std::size_t i = 0; i < 4; ++i) {
      const auto whole = lists.settle(
          answer_to(r, i == bad ? SignatureStatus::kBadSignature : SignatureStatus::kValid));
      ASSERT_EQ(whole.has_value(), i == 3);
      EXPECT_TRUE(!whole || whole->verdict == SignatureStatus::kBadSignature);
    }
  }
}

TEST(ListChecks, WhatIsOfNoListGoesThroughAsItIs) {
  ListChecks lists;
  (void)lists.open(asked(1), 1);
  const auto whole = lists.settle(answer_to(asked(1), SignatureStatus::kBadKey));
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->instance, 5u);
  EXPECT_EQ(whole->verdict, SignatureStatus::kBadKey);
  EXPECT_EQ(lists.waiting(), 1u);
}

}  // namespace
}  // namespace thresher::crypto
