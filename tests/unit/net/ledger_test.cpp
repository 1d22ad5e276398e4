#include "ledger.hpp"

#include <gtest/gtest.h>

#include "thresher/core/prng.hpp"

namespace thresher::net {
namespace {

struct Tx {
  std::uint64_t client;
  std::uint64_t sequence;
};

dag::Committed commit_of(std::uint64_t slot, const std::vector<Tx>& transactions) {
  Writer w;
  for (const Tx& t : transactions) w.u64(t.client).u64(t.sequence).u32(1).u8(7);
  dag::Header header;
  header.round = Round{slot};
  dag::Payload payload{Bytes::from(w.take()), {}};
  return {Round{slot}, {}, {dag::make_block(header, payload, {}, {})}};
}

std::vector<std::uint64_t> order(Ledger& ledger, const dag::Committed& commit,
                                 LogEntry* entry = nullptr) {
  std::vector<std::uint64_t> sequences;
  LogEntry made = ledger.append(
      commit, [&](const Transaction& t, const dag::BlockPtr&) { sequences.push_back(t.sequence); });
  if (entry != nullptr) *entry = std::move(made);
  return sequences;
}

using Sequences = std::vector<std::uint64_t>;

TEST(Ledger, EveryIdentityCountsOnce) {
  Ledger ledger;
  EXPECT_EQ(order(ledger, commit_of(1, {{5, 0}, {5, 1}, {5, 0}})), (Sequences{0, 1}));
  EXPECT_EQ(order(ledger, commit_of(2, {{5, 3}, {5, 1}, {5, 2}, {5, 3}, {6, 0}})),
            (Sequences{3, 2, 0}));
  EXPECT_EQ(ledger.length(), 5u);
  EXPECT_TRUE(ledger.contains(5, 3));
  EXPECT_FALSE(ledger.contains(5, 4));
}

// A client, or a Byzantine node in its name, cannot make every node remember endless gaps.
TEST(Ledger, SequencesFarAheadAreNotOrdered) {
  Ledger ledger;
  EXPECT_EQ(order(ledger, commit_of(1, {{5, 0}, {5, kSequenceWindow + 1}})),
            (Sequences{0, kSequenceWindow + 1}));
  EXPECT_TRUE(order(ledger, commit_of(2, {{5, kSequenceWindow + 2}})).empty());
}

// What is logged names exactly what was ordered, so that a reader may start anywhere.
TEST(Ledger, EntriesNameWhatWasOrdered) {
  Ledger ledger;
  order(ledger, commit_of(1, {{5, 0}, {5, 1}}));
  const auto second = commit_of(2, {{5, 1}, {5, 2}, {5, 2}, {5, 3}});
  LogEntry entry;
  order(ledger, second, &entry);
  EXPECT_EQ(entry.first, 2u);
  EXPECT_EQ(entry.count, 2u);
  Sequences read;
  const auto end = each_ordered(entry.blocks[0], second.blocks[0]->payload.bytes.view(),
                                entry.first, [&](const Transaction& t) {
                                  EXPECT_EQ(t.position, 2 + read.size());
                                  read.push_back(t.sequence);
                                });
  EXPECT_EQ(read, (Sequences{2, 3}));
  EXPECT_EQ(end, 4u);
}

TEST(Ledger, EntriesSurviveEncoding) {
  Ledger ledger;
  LogEntry entry;
  order(ledger, commit_of(9, {{5, 0}, {5, 0}}), &entry);
  entry.blocks[0].place = {1234, 56};
  const auto read = decode_entry(slot_key(entry.slot).view(), encode_entry(entry).view(), {}, 4);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->slot, entry.slot);
  EXPECT_EQ(read->log_hash, entry.log_hash);
  EXPECT_EQ(read->blocks[0].place.offset, 1234u);
  EXPECT_EQ(read->blocks[0].skipped, (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(read->blocks[0].block->digest, entry.blocks[0].block->digest);
}

TEST(Ledger, SavedAndRestoredItGoesOnTheSame) {
  Prng random(11);
  Ledger ledger;
  for (std::uint64_t slot = 1; slot < 50; ++slot) {
    order(ledger, commit_of(slot, {{random.below(3), random.below(40)}, {9, random.below(40)}}));
  }
  Ledger copy;
  ASSERT_TRUE(copy.restore(ledger.save().view()));
  EXPECT_EQ(copy.length(), ledger.length());
  EXPECT_EQ(copy.log_hash(), ledger.log_hash());
  for (std::uint64_t slot = 50; slot < 100; ++slot) {
    const auto commit =
        commit_of(slot, {{random.below(3), random.below(80)}, {9, random.below(80)}});
    EXPECT_EQ(order(ledger, commit), order(copy, commit));
  }
  EXPECT_EQ(copy.log_hash(), ledger.log_hash());
  const Bytes saved = ledger.save();
  EXPECT_FALSE(copy.restore(saved.view().subspan(0, saved.size() - 1)));
}

// Clients come and go; what is remembered of them stays bounded, and the recent ones count once.
TEST(Ledger, AMillionShortLivedClientsAreNotRememberedForEver) {
  Ledger ledger;
  constexpr std::uint64_t kSlots = 1000;
  constexpr std::uint64_t kPerSlot = 1000;
  const auto of_slot = [](std::uint64_t slot) {
    std::vector<Tx> out;
    for (std::uint64_t k = 0; k < kPerSlot; ++k) out.push_back({slot * kPerSlot + k, 0});
    return out;
  };
  for (std::uint64_t slot = 1; slot <= kSlots; ++slot) {
    ASSERT_EQ(order(ledger, commit_of(slot, of_slot(slot))).size(), kPerSlot);
    ASSERT_LE(ledger.remembered(), kRemembered);
  }
  EXPECT_EQ(ledger.remembered(), kRemembered);
  EXPECT_LE(ledger.save().size(), kRemembered * 40);
  const std::uint64_t recent = kSlots - kRemembered / kPerSlot + 1;
  EXPECT_TRUE(order(ledger, commit_of(kSlots + 1, of_slot(recent))).empty());
  // The copy forgets what the original forgets.
  Ledger copy;
  ASSERT_TRUE(copy.restore(ledger.save().view()));
  const auto old = commit_of(kSlots + 2, of_slot(1));
  EXPECT_EQ(order(ledger, old).size(), kPerSlot);
  EXPECT_EQ(order(copy, old).size(), kPerSlot);
  EXPECT_EQ(copy.save().view().size(), ledger.save().view().size());
  EXPECT_EQ(hash(copy.save().view()), hash(ledger.save().view()));
}

// It comes back after it was forgotten, far above the window, and is neither stuck nor doubled.
TEST(Ledger, AClientThatWasForgottenGoesOn) {
  Ledger ledger;
  constexpr std::uint64_t kFirst = 5 * kSequenceWindow;
  std::uint64_t slot = 0;
  for (std::uint64_t s = kFirst; s < kFirst + 2 * kSequenceWindow; s += 4096) {
    std::vector<Tx> batch;
    for (std::uint64_t k = 0; k < 4096; ++k) batch.push_back({5, s + k});
    ASSERT_EQ(order(ledger, commit_of(++slot, batch)).size(), batch.size());
    ASSERT_TRUE(order(ledger, commit_of(++slot, batch)).empty());
    ASSERT_LE(ledger.remembered(), 1 + kGapWindow);
  }
}

// One that keeps leaving a gap cannot make every node remember all the rest.
TEST(Ledger, AGapThatStaysIsGivenUp) {
  Ledger ledger;
  std::uint64_t slot = 0;
  for (std::uint64_t s = 1; s < 4 * kGapWindow; s += 2) {
    ASSERT_EQ(order(ledger, commit_of(++slot, {{5, s}})).size(), 1u);
    ASSERT_LE(ledger.remembered(), 1 + kGapWindow);
  }
  EXPECT_TRUE(order(ledger, commit_of(++slot, {{5, 0}})).empty());
  EXPECT_EQ(order(ledger, commit_of(++slot, {{5, 4 * kGapWindow - 2}})).size(), 1u);
}

}  // namespace
}  // namespace thresher::net
