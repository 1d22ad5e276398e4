// Payloads that the disk changed come back from peers, of whom one at least is correct.
#include "ledger/rot_mender.hpp"

#include <gtest/gtest.h>

#include "told_log.hpp"

namespace thresher::net {
namespace {

constexpr std::uint64_t kSecond = 1'000'000;
using Slots = std::vector<std::uint64_t>;

/// Node 0 of four, whose log has five commits.
struct Rot : testing::Test {
  Rot() {
    Round before{0};
    for (std::uint64_t slot = 1; slot <= 5; ++slot) {
      log.push_back(commit_at(slot, "commit " + std::to_string(slot)));
      hashes.push_back(chained(hashes.empty() ? Digest{} : hashes.back(), log.back()));
      LogEntry entry;
      entry.slot = Round{slot};
      entry.before = std::exchange(before, Round{slot});
      entry.log_hash = hashes.back();
      entries.push_back(entry);
    }
  }
  /// The peer that was asked for the log last.
  std::uint16_t giver() const {
    for (std::size_t i = sent.size(); i-- > 0;) {
      if (sent[i].second == kWantLog) return sent[i].first;
    }
    return 0;
  }
  /// Peers give the commit of a slot, and two of them vouch for it.
  void give(std::uint64_t slot, const Commit& commit) {
    rot.part(NodeId{giver()}, part_of({commit}, 5), now);
    const Digest before = slot > 1 ? hashes[slot - 2] : Digest{};
    for (std::uint16_t peer = 1; peer < 3; ++peer)
      rot.hash(NodeId{peer}, hash_frame(slot, chained(before, commit)), now);
  }
  void give(std::uint64_t slot) { give(slot, log[slot - 1]); }

  std::uint64_t now = 10 * kSecond;
  std::vector<Commit> log;
  std::vector<Digest> hashes;  // after each
  std::vector<LogEntry> entries;
  bool readable = true;
  std::vector<std::pair<std::uint16_t, std::uint8_t>> sent;
  std::vector<std::pair<std::uint64_t, std::size_t>> said;  // slot, entries
  Slots mended, awaited, differing;
  int rests = 0, unreadable = 0;
  RotMender rot{
      *Committee::of(4),
      NodeId{0},
      {{}, 4, &plain_id_of},
      {{[this](NodeId to, const Frame& f) { sent.emplace_back(to.value, f.kind); },
        [] { return true; }, [](NodeId, const std::string&) {}},
       [this](Round slot) -> std::optional<Digest> {
         if (!readable) return std::nullopt;
         return slot.value > 0 ? hashes[slot.value - 1] : Digest{};
       },
       [this](const LogEntry& first, std::size_t n) { said.emplace_back(first.slot.value, n); },
       [this](const LogEntry& entry, const Commit& commit, bool waits) {
         EXPECT_EQ(commit.slot, entry.slot);
         mended.push_back(entry.slot.value);
         if (waits) awaited.push_back(entry.slot.value);
       },
       [this] { ++rests; },
       [this](RotMender::Fault fault, Round slot) {
         if (fault == RotMender::Fault::kDiffers) return differing.push_back(slot.value);
         ++unreadable;
       }}};
};

TEST_F(Rot, WhatWasFoundIsFetchedAndHandedOutOnce) {
  rot.tick(now, true);
  EXPECT_FALSE(rot.fetches());
  rot.found(entries[2]);
  EXPECT_EQ(said.size(), 1u);
  rot.tick(now, true);
  ASSERT_TRUE(rot.fetches());
  give(3);
  EXPECT_EQ(mended, Slots{3});
  EXPECT_EQ(awaited, Slots{3});
  EXPECT_TRUE(rot.empty());
  EXPECT_FALSE(rot.fetches());
}

TEST_F(Rot, OneAfterTheOtherAndTheSameOneOnce) {
  rot.add({entries[1], entries[4]});
  rot.found(entries[4]);  // the scrubber comes to it too, and waits
  EXPECT_EQ(said, (std::vector<std::pair<std::uint64_t, std::size_t>>{{2, 2}}));
  for (const std::uint64_t slot : {2, 5}) {
    rot.tick(now, true);
    give(slot);
  }
  EXPECT_EQ(mended, (Slots{2, 5}));
  EXPECT_EQ(awaited, Slots{5});
}

TEST_F(Rot, WaitsWhilePeersAreAskedForSomethingElse) {
  rot.found(entries[2]);
  rot.tick(now, false);
  EXPECT_FALSE(rot.fetches());
  rot.tick(now, true);
  EXPECT_TRUE(rot.fetches());
  rot.tick(now, false);
  EXPECT_FALSE(rot.fetches());
  EXPECT_FALSE(rot.empty());
}

// Peers vouch for it, and the entry here is another: the logs differ, and nothing is written.
TEST_F(Rot, WhatIsNotOfTheEntryIsNeverWritten) {
  rot.found(entries[2]);
  rot.tick(now, true);
  give(3, commit_at(3, "something else"));
  EXPECT_TRUE(mended.empty());
  EXPECT_EQ(differing, Slots{3});
}

TEST_F(Rot, AnUnreadableLogIsSaid) {
  rot.found(entries[2]);
  readable = false;
  rot.tick(now, true);
  EXPECT_EQ(unreadable, 1);
  EXPECT_FALSE(rot.fetches());
}

TEST_F(Rot, NobodyWaitsForWhatWasPruned) {
  rot.found(entries[1]);
  rot.tick(now, true);
  rot.begins(Round{1});
  EXPECT_TRUE(rot.fetches());
  rot.begins(Round{2});
  EXPECT_FALSE(rot.fetches());
  EXPECT_TRUE(rot.empty());
  EXPECT_EQ(rests, 1);
  rot.begins(Round{3});
  EXPECT_EQ(rests, 1);
  // What nobody waits for goes without a word.
  rot.add({entries[3], entries[4]});
  rot.begins(Round{4});
  EXPECT_EQ(rests, 1);
  EXPECT_FALSE(rot.empty());
}

}  // namespace
}  // namespace thresher::net
