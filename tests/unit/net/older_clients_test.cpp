// Clients of wire version 2: what is kept of them, and for how long.
#include "service/older_clients.hpp"

#include <gtest/gtest.h>

#include <string>

#include "thresher/core/transcript.hpp"

namespace thresher::net {
namespace {

constexpr ConnectionId kLink = 7;
constexpr ConnectionId kOther = 8;

// As version 2 has it, with empty data.
Bytes submit_of(std::uint64_t first, std::uint64_t count, std::string_view behind = {}) {
  Writer w;
  for (std::uint64_t k = 0; k < count; ++k) w.u64(7).u64(first + k).u32(0);
  w.bytes(as_view(behind));
  return Bytes::from(w.take());
}

std::vector<std::uint64_t> sequences_of(ByteView payload) {
  std::vector<std::uint64_t> out;
  const auto entries = OlderClients::entries_of(payload);
  EXPECT_TRUE(entries);
  if (!entries) return out;
  each_entry(entries->view(), [&](std::uint64_t sequence, ByteView) { out.push_back(sequence); });
  return out;
}

// Before: names were kept while the frame was read, and stayed when its last byte made it
// malformed.
TEST(OlderClients, WhatIsMalformedIsReadWithoutKeepingAnything) {
  for (const std::string_view behind : {std::string_view("\0", 1), std::string_view("short")}) {
    EXPECT_FALSE(OlderClients::entries_of(submit_of(0, 1000, behind).view()));
  }
  OlderClients older;
  older.arrive(kLink);
  EXPECT_EQ(older.kept(), 0u);
}

TEST(OlderClients, ANameIsKeptUntilItsAnswer) {
  OlderClients older;
  older.arrive(kLink);
  const Bytes submit = submit_of(0, 6);
  const auto sequences = sequences_of(submit.view());
  ASSERT_EQ(sequences.size(), 6u);
  ASSERT_TRUE(older.expect(kLink, submit.view()));
  ASSERT_TRUE(older.expect(kLink, submit.view()));  // the same again
  EXPECT_EQ(older.kept(), 6u);
  Writer acks;
  acks.u64(sequences[1]).u64(40).u64(sequences[1] + 1).u64(41);  // the second is nobody's
  Writer expected;
  expected.u64(7).u64(1).u64(40);
  const Bytes ack = Bytes::from(acks.take());
  EXPECT_EQ(older.acks_of(kLink, ack.view()), Bytes::from(expected.take()));
  EXPECT_TRUE(older.acks_of(kLink, ack.view()).empty());
  EXPECT_EQ(older.kept(), 5u);
  (void)older.refusal_of(kLink, Refusal::kOverloaded, {sequences[0], sequences[2], sequences[1]},
                         9);
  EXPECT_EQ(older.kept(), 3u);
  older.leave(kLink);
  EXPECT_EQ(older.kept(), 0u);
  EXPECT_FALSE(older.speaks(kLink));
}

TEST(OlderClients, WhatIsKeptOfAllIsBoundedAndASmallClientAlwaysHasAPlace) {
  OlderClients older;
  constexpr std::uint64_t kFrame = 400'000;  // as many as a frame of 8 MiB has
  for (ConnectionId link = 100; link < 130; ++link) {
    older.arrive(link);
    for (std::uint64_t first = 0; first < kFrame; first += kFrame / 8) {
      (void)older.expect(link, submit_of(first, kFrame / 8).view());
    }
    EXPECT_LE(older.kept(), kMostAwaited);
  }
  EXPECT_GT(older.kept(), kMostAwaited / 2);
  for (ConnectionId link = 200; link < 456; ++link) {
    older.arrive(link);
    EXPECT_TRUE(older.expect(link, submit_of(0, OlderClients::kAlwaysKept).view()));
  }
  EXPECT_LE(older.kept(), kMostAwaited + 256 * OlderClients::kAlwaysKept);
  older.arrive(kOther);
  EXPECT_FALSE(older.expect(kOther, submit_of(0, OlderClients::kAlwaysKept + 1).view()));
}

}  // namespace
}  // namespace thresher::net
