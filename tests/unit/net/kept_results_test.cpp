#include "ledger/kept_results.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <span>

#include "wire/result_entries.hpp"

namespace thresher::net {
namespace {

ApplyResult text(const std::string& words, bool failed = false) {
  return {failed, Bytes::copy_of(as_view(words))};
}

TEST(KeptResults, AreFoundByPosition) {
  KeptResults kept;
  kept.add(0, text("zero"));
  kept.add(1, {});
  kept.add(2, text("two", true));
  ASSERT_NE(kept.of(0), nullptr);
  EXPECT_EQ(*kept.of(0), text("zero"));
  EXPECT_EQ(*kept.of(1), ApplyResult{});
  EXPECT_EQ(*kept.of(2), text("two", true));
  EXPECT_EQ(kept.of(3), nullptr);
  EXPECT_EQ(kept.end(), 3u);
}

TEST(KeptResults, WhatASnapshotCoversIsNotKnown) {
  KeptResults kept;
  kept.begin_at(10);
  kept.add(10, {});
  EXPECT_EQ(kept.of(9), nullptr);
  EXPECT_NE(kept.of(10), nullptr);
}

TEST(KeptResults, TheOldestGiveWayAndEmptyOnesCostNothing) {
  KeptResults kept;
  const std::string large(1 << 20, 'x');
  std::uint64_t position = 0;
  for (int i = 0; i < 100; ++i) {
    kept.add(position++, text(large));
    for (int k = 0; k < 1000; ++k) kept.add(position++, {});
    EXPECT_LE(kept.bytes(), KeptResults::kMostKept);
  }
  EXPECT_EQ(kept.of(0), nullptr);
  EXPECT_EQ(kept.of(1), nullptr);  // not "empty": nobody knows any more
  ASSERT_NE(kept.of(position - 1001), nullptr);
  EXPECT_EQ(kept.of(position - 1001)->bytes.size(), large.size());
  EXPECT_EQ(*kept.of(position - 1), ApplyResult{});
}

TEST(KeptResults, DoNotHoldTheMemoryAroundASlice) {
  KeptResults kept;
  const Bytes whole = Bytes::copy_of(as_view(std::string(1 << 20, 'x')));
  kept.add(0, {false, whole.slice(0, 10)});
  EXPECT_EQ(kept.bytes(), KeptResults::kOverhead + 10);
  EXPECT_NE(kept.of(0)->bytes.view().data(), whole.view().data());
}

TEST(ApplyResult, DigestsTellResultsApart) {
  EXPECT_EQ(digest_of({}), digest_of({}));
  EXPECT_NE(digest_of({}), digest_of(text("x")));
  EXPECT_NE(digest_of(text("x")), digest_of(text("x", true)));
  EXPECT_NE(digest_of({}), digest_of(text("", true)));
}

TEST(ResultEntries, AreReadBack) {
  Writer out;
  const ApplyResult done = text("a");
  const ApplyResult failed = text("b", true);
  append_result(1, 10, &done, out);
  append_result(2, 11, &failed, out);
  append_result(3, 12, nullptr, out);
  std::vector<std::optional<ApplyResult>> seen;
  const auto see = [&](std::uint64_t sequence, std::uint64_t position,
                       std::optional<ApplyResult> r) {
    EXPECT_EQ(position, sequence + 9);
    seen.push_back(std::move(r));
  };
  EXPECT_TRUE(each_result(out.view(), see));
  EXPECT_EQ(seen, (std::vector<std::optional<ApplyResult>>{done, failed, std::nullopt}));
  for (std::size_t cut = 1; cut < 22; ++cut) {
    EXPECT_FALSE(each_result(out.view().first(cut), see)) << cut;
  }
}

// A node may send anything.
RC_GTEST_PROP(ResultEntries, AnyBytesAreReadOrRefused, (const std::vector<std::uint8_t>& bytes)) {
  std::size_t told = 0;
  const ByteView view = std::as_bytes(std::span(bytes));
  const bool whole = each_result(
      view, [&](std::uint64_t, std::uint64_t, const std::optional<ApplyResult>& result) {
        told += 21 + (result ? result->bytes.size() : 0);
      });
  RC_ASSERT(told <= bytes.size());
  RC_ASSERT(!whole || bytes.empty() || bytes.size() >= 21);  // no part of one passes
}

}  // namespace
}  // namespace thresher::net
