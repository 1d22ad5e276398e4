#include "thresher/crypto/reed_solomon.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace thresher::crypto {
namespace {

using testing::HasSubstr;

RC_GTEST_PROP(ReedSolomon, AnyEnoughShardsGiveThePayloadBack, ()) {
  const unsigned total = *rc::gen::inRange(1U, 256U), data = *rc::gen::inRange(1U, total + 1);
  const auto code = ReedSolomon::make(data, total);
  RC_ASSERT(static_cast<bool>(code));
  const auto raw = *rc::gen::container<std::vector<std::uint8_t>>(rc::gen::arbitrary<uint8_t>());
  const ByteView payload = std::as_bytes(std::span(raw));
  auto shards = code->encode(payload);
  RC_ASSERT(shards.size() == total);
  std::vector<unsigned> order(total);
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end(), std::mt19937(*rc::gen::arbitrary<std::uint32_t>()));
  for (unsigned i = data; i < total; ++i) shards[order[i]] = Bytes{};
  const auto back = code->decode(shards, payload.size());
  RC_ASSERT(back && std::ranges::equal(back->view(), payload));
  *std::ranges::find_if_not(shards, &Bytes::empty) = Bytes{};
  RC_ASSERT(code->decode(shards, payload.size()).error() == Errc::kMalformed);
}

TEST(ReedSolomon, SizesThatNoByteCanNumberAreRefusedWithAReason) {
  for (const auto& [data, total] : {std::pair{0U, 4U}, {5U, 4U}, {2U, 256U}, {0U, 0U}}) {
    const auto code = ReedSolomon::make(data, total);
    ASSERT_FALSE(code);
    EXPECT_THAT(code.error(), HasSubstr("<= 255"));
  }
  EXPECT_TRUE(ReedSolomon::make(85, 255));
}

TEST(ReedSolomon, ShardsOfOtherSizesOrInTheWrongNumberAreRefused) {
  const auto code = ReedSolomon::make(2, 4);
  auto shards = code->encode(as_view("sixteen bytes ok"));
  EXPECT_EQ(code->decode(shards, 14).error(), Errc::kMalformed);
  EXPECT_EQ(code->decode(std::span(shards).first(3), 16).error(), Errc::kMalformed);
  shards[3] = shards[3].slice(0, 3);
  EXPECT_EQ(code->decode(shards, 16).error(), Errc::kMalformed);
}

}  // namespace
}  // namespace thresher::crypto
