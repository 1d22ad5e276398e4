// Which peer's request comes next, and what one peer may leave behind.
#include "thresher/protocols/order/requests.hpp"

#include <gtest/gtest.h>

#include <set>

#include "thresher/core/transcript.hpp"

namespace thresher::order {
namespace {

struct Value {
  explicit Value(std::uint64_t number, std::size_t size = 8) : bytes(of(number, size)) {}
  static Bytes of(std::uint64_t number, std::size_t size) {
    std::vector<std::byte> out(size);
    out[0] = static_cast<std::byte>(number);
    out[1] = static_cast<std::byte>(number >> 8);
    return Bytes::from(std::move(out));
  }
  Digest digest() const { return hash(bytes.view()); }
  Bytes bytes;
};

class RequestsTest : public ::testing::Test {
 protected:
  Result<bool> add(std::uint16_t from, const Value& v) {
    return requests_.add(NodeId{from}, v.bytes, v.digest(), 0);
  }
  Digest next(std::uint64_t turn) {
    const Queued* out = requests_.next(turn, [&](const Digest& d) { return !taken_.contains(d); });
    if (out == nullptr) return {};
    taken_.insert(out->digest);
    return out->digest;
  }
  Requests requests_{4, {.entries = 10, .bytes = 1000, .value_bytes = 300}};
  std::set<Digest> taken_;
};

TEST_F(RequestsTest, AQueueHasAQuotaInEntriesAndInBytes) {
  for (std::uint64_t k = 0; k < 100; ++k) (void)add(1, Value(k));
  EXPECT_EQ(requests_.bytes(), 80u);
  for (std::uint64_t k = 0; k < 100; ++k) (void)add(2, Value(1000 + k, 300));
  EXPECT_EQ(requests_.bytes(), 80u + 900u);
  EXPECT_TRUE(add(3, Value(5000)));  // takes no room from others
}

// What is forwarded: news once, never when it was ordered, within the bounds of a value.
TEST_F(RequestsTest, WhatIsForwardedIsTakenOnceAndWithinItsBounds) {
  const auto take = [&](const Value& v, bool urgent, bool ordered = false) {
    const auto news =
        requests_.take(NodeId{1}, {v.bytes, urgent}, 0, [&](const Digest&) { return ordered; });
    return !news ? to_string(news.error()) : *news ? "news" : "no news";
  };
  EXPECT_EQ(take(Value(1), false), "news");
  EXPECT_EQ(take(Value(1), false), "no news");
  EXPECT_EQ(take(Value(2), false, true), "no news");
  EXPECT_EQ(requests_.find(Value(2).digest()), nullptr);
  EXPECT_EQ(take(Value(3), true), "news");
  EXPECT_EQ(take(Value(3), true), "no news");
  EXPECT_NE(requests_.find(Value(3).digest()), nullptr);
  EXPECT_EQ(take(Value(4, 300), false), "news");
  EXPECT_EQ(take(Value(5, 301), false), to_string(Errc::kTooLarge));
  EXPECT_EQ(requests_.take(NodeId{1}, {{}, false}, 0, [](const Digest&) { return false; }).error(),
            Errc::kMalformed);
}

// One forward of the largest value, and 10,000 offers of it: each made a node hash all of it again.
// The name here is not the value's, so whoever hashed it would take it under another.
TEST_F(RequestsTest, WhatIsOfferedIsTakenByItsNameAndNothingIsHashed) {
  const Bytes value = Value(1, 300).bytes;
  const Digest name = Value(2).digest();
  EXPECT_TRUE(*requests_.add(NodeId{1}, value, name, 0));
  EXPECT_TRUE(*requests_.take(NodeId{2}, Offer{name, true}, 0));
  for (int k = 0; k < 10'000; ++k) {
    EXPECT_FALSE(*requests_.take(NodeId{2}, Offer{name, true}, 0));
    EXPECT_FALSE(*requests_.take(NodeId{1}, Offer{name, false}, 0));
  }
  EXPECT_TRUE(*requests_.take(NodeId{3}, Offer{name, false}, 0));
  EXPECT_FALSE(*requests_.take(NodeId{3}, Offer{Value(9).digest(), true}, 0)) << "not here";
  EXPECT_EQ(requests_.find(hash(value.view())), nullptr);
  EXPECT_EQ(requests_.bytes(), 300u);
  requests_.remove(name);
  EXPECT_TRUE(requests_.empty());
  EXPECT_EQ(requests_.bytes(), 0u);
}

TEST_F(RequestsTest, WhoSubmitsMuchDelaysOthersByATurn) {
  for (std::uint64_t k = 0; k < 10; ++k) (void)add(1, Value(k));
  (void)add(2, Value(100));
  requests_.urge(NodeId{3}, Value(200).bytes, Value(200).digest(), 0);
  std::set<Digest> early;
  for (std::uint64_t turn = 0; turn < 8; ++turn) early.insert(next(turn));
  EXPECT_TRUE(early.contains(Value(100).digest()));
  EXPECT_TRUE(early.contains(Value(200).digest()));
}

TEST_F(RequestsTest, ThereIsOneUrgentRequestOfAPeer) {
  for (std::uint64_t k = 0; k < 50; ++k)
    requests_.urge(NodeId{3}, Value(k).bytes, Value(k).digest(), 0);
  EXPECT_EQ(requests_.bytes(), 8u);
  EXPECT_EQ(next(0), Value(49).digest());
  EXPECT_TRUE(requests_.empty());  // nobody waits for it here
}

TEST_F(RequestsTest, AValueOfSeveralPeersIsHeldOnceAndGoesForAll) {
  for (std::uint16_t from = 0; from < 4; ++from) EXPECT_TRUE(*add(from, Value(7)));
  requests_.urge(NodeId{2}, Value(7).bytes, Value(7).digest(), 0);
  EXPECT_FALSE(*add(1, Value(7)));
  EXPECT_EQ(requests_.bytes(), 8u);
  requests_.remove(Value(7).digest());
  EXPECT_TRUE(requests_.empty());
  EXPECT_EQ(requests_.bytes(), 0u);
  EXPECT_EQ(next(0), Digest{});
  EXPECT_EQ(requests_.first_of(NodeId{1}), nullptr);
  for (std::uint64_t k = 0; k < 10; ++k) EXPECT_TRUE(add(1, Value(k)));  // its quota is back
}

}  // namespace
}  // namespace thresher::order
