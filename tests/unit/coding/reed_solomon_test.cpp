#include "thresher/coding/reed_solomon.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "slow_field.hpp"

namespace thresher::coding {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Random = std::mt19937;

unsigned below(unsigned bound, Random& random) {
  return static_cast<unsigned>(random() % bound);
}

std::vector<std::byte> drawn_bytes(std::size_t size, Random& random) {
  std::vector<std::byte> out(size);
  for (std::byte& b : out) b = static_cast<std::byte>(random());
  return out;
}

std::vector<unsigned> drawn_order(unsigned total, Random& random) {
  std::vector<unsigned> order(total);
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

/// `shard` with one byte changed.
Bytes spoilt(const Bytes& shard, std::size_t at, std::byte by = std::byte{1}) {
  std::vector<std::byte> bytes(shard.view().begin(), shard.view().end());
  bytes[at] ^= by;
  return Bytes::from(std::move(bytes));
}

/// The first byte of every shard; of an absent one nothing.
std::vector<std::optional<slow::Byte>> first_column(const std::vector<Bytes>& shards) {
  std::vector<std::optional<slow::Byte>> out(shards.size());
  for (std::size_t i = 0; i < shards.size(); ++i) {
    if (!shards[i].empty()) out[i] = std::to_integer<slow::Byte>(shards[i].view()[0]);
  }
  return out;
}

RC_GTEST_PROP(ReedSolomon, AnyEnoughShardsGiveThePayloadBack, ()) {
  const unsigned total = *rc::gen::inRange(1U, 256U), data = *rc::gen::inRange(1U, total + 1);
  const auto code = ReedSolomon::make(data, total);
  RC_ASSERT(static_cast<bool>(code));
  const auto raw = *rc::gen::container<std::vector<std::uint8_t>>(rc::gen::arbitrary<uint8_t>());
  const ByteView payload = std::as_bytes(std::span(raw));
  auto shards = code->encode(payload);
  RC_ASSERT(shards.size() == total);
  Random random(*rc::gen::arbitrary<std::uint32_t>());
  const auto order = drawn_order(total, random);
  for (unsigned i = data; i < total; ++i) shards[order[i]] = Bytes{};
  const auto back = code->decode(shards, payload.size());
  RC_ASSERT((back && std::ranges::equal(back->view(), payload)));
  *std::ranges::find_if_not(shards, &Bytes::empty) = Bytes{};
  RC_ASSERT(code->decode(shards, payload.size()).error() == Errc::kMalformed);
}

RC_GTEST_PROP(ReedSolomon, EncodesAsTheSlowReferenceDoes, ()) {
  const unsigned total = *rc::gen::inRange(1U, 256U), data = *rc::gen::inRange(1U, total + 1);
  Random random(*rc::gen::arbitrary<std::uint32_t>());
  const auto column = drawn_bytes(data, random);
  std::vector<slow::Byte> symbols;
  for (const std::byte b : column) symbols.push_back(std::to_integer<slow::Byte>(b));
  const auto shards = ReedSolomon::make(data, total)->encode(column);
  const auto expected = slow::encode(symbols, total);
  for (unsigned i = 0; i < total; ++i)
    RC_ASSERT(std::to_integer<slow::Byte>(shards[i].view()[0]) == expected[i]);
  const unsigned one = below(total, random);
  RC_ASSERT(ReedSolomon::make(data, total)->shard(column, one) == shards[one]);
}

// Words near to codewords and far from all: what is found, and that nothing is found, as the
// reference says. Small codes are drawn often, where words far from one codeword are near another.
TEST(ReedSolomon, CorrectsWhatBerlekampWelchCorrectsAndNothingElse) {
  Random random(20030);
  unsigned mended = 0, refused = 0, another = 0;
  for (int run = 0; run < 3000; ++run) {
    const unsigned total = 1 + below(run % 2 == 0 ? 6 : 24, random);
    const unsigned data = 1 + below(total, random);
    const auto code = ReedSolomon::make(data, total);
    const auto payload = drawn_bytes(data, random);
    auto shards = code->encode(payload);
    const auto order = drawn_order(total, random);
    const unsigned absent = below(total - data + 1, random);
    const unsigned wrong = below(1 + below(total - absent + 1, random), random);
    for (unsigned i = 0; i < wrong; ++i)
      shards[order[i]] = spoilt(shards[order[i]], 0, static_cast<std::byte>(1 + below(3, random)));
    for (unsigned i = 0; i < absent; ++i) shards[order[total - 1 - i]] = Bytes{};
    const auto word = first_column(shards);
    for (unsigned most = 0; data + 2 * most <= total - absent; ++most) {
      const auto expected = slow::berlekamp_welch(word, data, most);
      const auto found = code->correct(shards, data, most);
      ASSERT_EQ(static_cast<bool>(found), expected.has_value()) << "run " << run;
      if (!found) {
        ASSERT_EQ(found.error(), Errc::kCorrupt);
        ++refused;
        continue;
      }
      ASSERT_TRUE(std::ranges::equal(found->payload.view(), std::as_bytes(std::span(*expected))));
      ASSERT_LE(found->wrong.size(), most);
      mended += found->wrong.empty() ? 0 : 1;
      another += std::ranges::equal(found->payload.view(), payload) ? 0 : 1;
    }
    ASSERT_EQ(code->correct(shards, data, (total - absent - data) / 2 + 1).error(),
              Errc::kMalformed);
  }
  EXPECT_GT(mended, 400U);
  EXPECT_GT(refused, 500U);
  EXPECT_GT(another, 100U);
}

// Each liar spoils another column, at most one byte, over several of the blocks that are checked.
RC_GTEST_PROP(ReedSolomon, WrongShardsAreFoundWhereverTheirWrongBytesLie, ()) {
  const unsigned total = *rc::gen::inRange(4U, 256U), data = *rc::gen::inRange(1U, total);
  const auto code = ReedSolomon::make(data, total);
  Random random(*rc::gen::arbitrary<std::uint32_t>());
  const std::size_t size = 1 + random() % 9000;
  const auto payload = drawn_bytes(data * size, random);
  auto shards = code->encode(payload);
  const unsigned most = (total - data) / 2;
  auto order = drawn_order(total, random);
  order.resize(random() % (most + 1));
  for (const unsigned i : order)
    shards[i] = spoilt(shards[i], random() % size, static_cast<std::byte>(1 + random() % 255));
  const auto found = code->correct(shards, payload.size(), most);
  RC_ASSERT((found && std::ranges::equal(found->payload.view(), payload)));
  std::ranges::sort(order);
  RC_ASSERT(found->wrong == order);
  const auto fewer = static_cast<unsigned>(order.size()) - 1;
  RC_ASSERT((order.empty() || !code->correct(shards, payload.size(), fewer)));
}

TEST(ReedSolomon, TwoOfFiveLiarsThatAgreeOnAnotherPayloadAreStillFound) {
  const auto code = ReedSolomon::make(1, 5);
  auto shards = code->encode(as_view("x"));
  const auto others = code->encode(as_view("y"));
  shards[0] = others[0];
  shards[3] = others[3];
  const auto found = code->correct(shards, 1, 2);
  ASSERT_TRUE(found);
  EXPECT_EQ(as_text(found->payload.view()), "x");
  EXPECT_THAT(found->wrong, ElementsAre(0, 3));
  EXPECT_EQ(code->correct(shards, 1, 1).error(), Errc::kCorrupt);
}

TEST(ReedSolomon, NoPayloadAndOneOf64MiBGoThereAndBack) {
  const auto code = ReedSolomon::make(2, 4);
  const std::size_t size = std::size_t{64} << 20;
  Random random(7);
  std::vector<std::byte> large(size);
  for (std::size_t i = 0; i < size; i += 997) large[i] = static_cast<std::byte>(random());
  for (const ByteView payload : {ByteView{}, ByteView(large)}) {
    auto shards = code->encode(payload);
    shards[0] = Bytes{};
    shards[2] = Bytes{};
    const auto back = code->decode(shards, payload.size());
    ASSERT_TRUE(back);
    EXPECT_TRUE(std::ranges::equal(back->view(), payload));
  }
  auto shards = code->encode(large);
  shards[1] = spoilt(shards[1], size / 2 - 1);
  const auto found = code->correct(shards, size, 1);
  ASSERT_TRUE(found);
  EXPECT_TRUE(std::ranges::equal(found->payload.view(), large));
  EXPECT_THAT(found->wrong, ElementsAre(1));
}

TEST(ReedSolomon, SizesThatNoByteCanNumberAreRefusedWithAReason) {
  for (const auto& [data, total] : {std::pair{0U, 4U}, {5U, 4U}, {2U, 256U}, {0U, 0U}}) {
    const auto code = ReedSolomon::make(data, total);
    ASSERT_FALSE(code);
    EXPECT_EQ(code.error().code, ErrorCode::kRejected);
    EXPECT_THAT(code.error().text(), HasSubstr("<= 255"));
    EXPECT_THAT(code.error().remedy, HasSubstr("smaller committee"));
  }
  EXPECT_TRUE(ReedSolomon::make(85, 255));
}

TEST(ReedSolomon, ShardsOfOtherSizesOrInTheWrongNumberAreRefused) {
  const auto code = ReedSolomon::make(2, 4);
  auto shards = code->encode(as_view("sixteen bytes ok"));
  EXPECT_EQ(code->decode(shards, 14).error(), Errc::kMalformed);
  EXPECT_EQ(code->decode(std::span(shards).first(3), 16).error(), Errc::kMalformed);
  EXPECT_EQ(code->correct(shards, 14, 0).error(), Errc::kMalformed);
  EXPECT_EQ(code->correct(std::span(shards).first(3), 16, 0).error(), Errc::kMalformed);
  EXPECT_EQ(code->correct(shards, 16, 2).error(), Errc::kMalformed);
  shards[3] = shards[3].slice(0, 3);
  EXPECT_EQ(code->decode(shards, 16).error(), Errc::kMalformed);
  EXPECT_EQ(code->correct(shards, 16, 0).error(), Errc::kMalformed);
}

}  // namespace
}  // namespace thresher::coding
