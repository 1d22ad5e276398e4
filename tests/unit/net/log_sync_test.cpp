// Fetching the log from peers that lie, stop or flood.
#include "ledger/log_sync.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "thresher/crypto/sha256.hpp"
#include "thresher/net/payload_root.hpp"
#include "thresher/protocols/payload_limit.hpp"
#include "told_log.hpp"

namespace thresher::net {
namespace {

constexpr std::uint64_t kSecond = 1'000'000;

struct Bench : testing::Test {
  Bench()
      : sync(*Committee::of(4), NodeId{0}, {{}, 4, &plain_id_of},
             {[this](NodeId to, const Frame& f) { sent.emplace_back(to.value, f.kind); },
              [this](Commit c) {
                applied.push_back(c.slot.value);
                for (const auto& b : c.blocks) payloads.push_back(b->payload);
              },
              [] { return true; },
              [this](NodeId who, const std::string& how) {
                blamed.push_back(who.value);
                words = how;
              },
              [this](NodeId who, Round begins) { pruned[who.value] = begins.value; }}) {
    truth = {commit_at(1, "one"), commit_at(2, "two"), commit_at(4, "four")};
    Digest h{};
    for (const auto& c : truth) hashes.push_back(h = chained(h, c));
    sync.begin(Round{0}, {}, now);
  }
  // The peer that was asked for the log last.
  std::uint16_t giver() const {
    for (std::size_t i = sent.size(); i-- > 0;) {
      if (sent[i].second == kWantLog) return sent[i].first;
    }
    return 0;
  }
  void agree(std::uint16_t peer) { sync.hash(NodeId{peer}, hash_frame(4, hashes[2]), now); }

  std::uint64_t now = 10 * kSecond;
  std::map<std::uint16_t, std::uint64_t> pruned;  // who said so, and up to where
  std::vector<std::pair<std::uint16_t, std::uint8_t>> sent;
  std::vector<std::uint64_t> applied;
  std::vector<Bytes> payloads;  // of what was applied
  std::vector<std::uint16_t> blamed;
  std::string words;
  std::vector<Commit> truth;
  std::vector<Digest> hashes;
  LogSync sync;
};

using Slots = std::vector<std::uint64_t>;

TEST_F(Bench, AppliesWhatEnoughPeersConfirm) {
  sync.part(NodeId{giver()}, part_of(truth, 4), now);
  EXPECT_TRUE(applied.empty());
  agree(1);
  EXPECT_TRUE(applied.empty());  // one alone may lie
  agree(1);
  EXPECT_TRUE(applied.empty());  // and counts once
  agree(2);
  EXPECT_EQ(applied, (Slots{1, 2, 4}));
  EXPECT_FALSE(sync.active());
}

TEST_F(Bench, Row18AForgedLogIsNeverApplied) {
  std::vector<Commit> forged{commit_at(1, "forged"), truth[1], truth[2]};
  const std::uint16_t liar = giver();
  sync.part(NodeId{liar}, part_of(forged, 4), now);
  agree(1);  // they name the true hash
  agree(1);
  EXPECT_EQ(giver(), liar);  // one alone may be the liar, and counts once
  agree(3);
  EXPECT_TRUE(applied.empty());
  EXPECT_NE(giver(), liar);  // at once, and by name
  EXPECT_EQ(blamed, (std::vector<std::uint16_t>{liar}));
  EXPECT_NE(words.find("between slots 0 and 4"), std::string::npos) << words;
  sync.part(NodeId{giver()}, part_of(truth, 4), now);
  agree(1);
  agree(3);
  EXPECT_EQ(applied, (Slots{1, 2, 4}));
}

TEST_F(Bench, Row18ThePayloadMustFitItsBlock) {
  const std::uint16_t liar = giver();
  Frame bad = part_of(truth, 4);
  std::vector<std::byte> bytes(bad.payload.view().begin(), bad.payload.view().end());
  bytes[0] ^= std::byte{1};
  bad.payload = Bytes::from(std::move(bytes));
  sync.part(NodeId{liar}, bad, now);
  EXPECT_NE(giver(), liar);  // at once
  EXPECT_EQ(blamed, (std::vector<std::uint16_t>{liar}));
}

// Bytes that no block has were held with the blocks, and not counted.
TEST_F(Bench, Row18ThePayloadIsThatOfTheBlocksAndNoMore) {
  const std::uint16_t liar = giver();
  Frame longer = part_of(truth, 4);
  std::vector<std::byte> bytes(longer.payload.view().begin(), longer.payload.view().end());
  bytes.resize(bytes.size() + 1);
  longer.payload = Bytes::from(std::move(bytes));
  sync.part(NodeId{liar}, longer, now);
  EXPECT_NE(giver(), liar);
  EXPECT_EQ(blamed, (std::vector<std::uint16_t>{liar}));
  sync.part(NodeId{giver()}, part_of(truth, 4), now);
  agree(1);
  agree(3);
  EXPECT_EQ(applied, (Slots{1, 2, 4}));
}

// Each commit is far smaller than the frame that it came in, which is gone once the frame is.
TEST_F(Bench, SmallBlocksDoNotHoldTheirFrame) {
  const Frame frame = part_of(truth, 4);
  sync.part(NodeId{giver()}, frame, now);
  agree(1);
  agree(2);
  ASSERT_EQ(payloads.size(), 3u);
  const ByteView all = frame.payload.view();
  for (const Bytes& p : payloads) {
    const std::byte* at = p.view().data();
    EXPECT_FALSE(at >= all.data() && at < all.data() + all.size());
  }
}

// A peer that names a new hash each time is heard once, and takes no memory.
TEST_F(Bench, OnePeersManyHashesBlameNobody) {
  const std::uint16_t asked = giver();
  sync.part(NodeId{asked}, part_of(truth, 4), now);
  for (std::uint64_t k = 0; k < 1000; ++k) {
    sync.hash(NodeId{3}, hash_frame(4, hash(Writer().u64(k).view())), now);
  }
  sync.hash(NodeId{2}, hash_frame(4, hash(Writer().u64(999).view())), now);
  EXPECT_TRUE(blamed.empty());
  EXPECT_EQ(giver(), asked);
}

// A late answer from an earlier giver looks out of place, and is not a lie.
TEST_F(Bench, ALateAnswerIsNotBlamed) {
  const std::uint16_t slow = giver();
  for (int k = 0; k < 400 && (k == 0 || giver() != slow); ++k) {
    now += kSecond / 5;
    sync.tick(now);
  }
  ASSERT_EQ(giver(), slow);  // its turn again
  sync.part(NodeId{slow}, part_of({truth[0]}, 4), now);
  sync.part(NodeId{slow}, part_of({truth[0]}, 4), now);
  EXPECT_TRUE(blamed.empty());
}

// It may also be from further on: the giver was asked for several parts, and its turn ended between
// two of them. Taken for the answer to the new question, it would hide the commits in front of it.
TEST_F(Bench, ALateAnswerFromFurtherOnIsNotBlamed) {
  const std::uint16_t slow = giver();
  for (int k = 0; k < 400 && (k == 0 || giver() != slow); ++k) {
    now += kSecond / 5;
    sync.tick(now);
  }
  ASSERT_EQ(giver(), slow);  // its turn again
  sync.part(NodeId{slow}, part_of({truth[1], truth[2]}, 4, wire::LogPlace{Round{1}}), now);
  agree(1);
  agree(3);
  EXPECT_TRUE(blamed.empty()) << words;
  EXPECT_EQ(giver(), slow);
  sync.part(NodeId{slow}, part_of(truth, 4, wire::LogPlace{Round{0}}), now);
  agree(1);
  agree(3);
  EXPECT_EQ(applied, (Slots{1, 2, 4}));
}

TEST_F(Bench, Row19GarbageAndFallingHeadsOnlyChangeTheGiver) {
  for (const Frame& garbage :
       {Frame{kLogPart, {}, {}}, Frame{kLogPart, Bytes::copy_of(as_view("nonsense")), {}},
        part_of({truth[1], truth[0]}, 1'000'000'000)}) {
    const std::uint16_t liar = giver();
    sync.part(NodeId{liar}, garbage, now);
    EXPECT_NE(giver(), liar);
  }
  EXPECT_EQ(blamed.size(), 2u);  // the third is only out of place
  EXPECT_TRUE(sync.active());
  sync.part(NodeId{giver()}, part_of(truth, 4), now);
  agree(2);
  agree(3);
  EXPECT_EQ(applied, (Slots{1, 2, 4}));
}

TEST_F(Bench, OnlyTheGiverIsHeard) {
  const auto other = static_cast<std::uint16_t>(giver() % 3 + 1);
  sync.part(NodeId{other}, part_of({commit_at(1, "forged")}, 1), now);
  sync.part(NodeId{giver()}, part_of(truth, 4), now);
  sync.part(NodeId{giver()}, part_of({commit_at(9, "unasked")}, 9), now);
  agree(1);
  agree(2);
  EXPECT_EQ(applied, (Slots{1, 2, 4}));
}

// One question brings several parts; the next is asked when the last of them is here.
TEST_F(Bench, AQuestionIsForEightParts) {
  const auto questions = [&] {
    return std::count_if(sent.begin(), sent.end(),
                         [](const auto& s) { return s.second == kWantLog; });
  };
  const std::uint16_t asked = giver();
  Digest hash{};
  for (std::uint64_t slot = 1; slot <= 16; ++slot) {
    EXPECT_EQ(questions(), slot <= 8 ? 1 : 2) << slot;
    const Commit commit = commit_at(slot, "some");
    hash = chained(hash, commit);
    sync.part(NodeId{asked}, part_of({commit}, 1000), now);
  }
  sync.hash(NodeId{1}, hash_frame(16, hash), now);
  sync.hash(NodeId{2}, hash_frame(16, hash), now);
  EXPECT_EQ(applied.size(), 16u);
  EXPECT_EQ(questions(), 3);
  EXPECT_EQ(giver(), asked);
}

TEST_F(Bench, ASilentGiverIsReplaced) {
  const std::uint16_t silent = giver();
  for (int k = 0; k < 200 && giver() == silent; ++k) sync.tick(now += LogSync::kTick);
  EXPECT_NE(giver(), silent);
}

// A peer that has pruned what is asked for says so, and is not a liar; another one may have it.
TEST_F(Bench, AGiverThatPrunedIsReplacedAndNotBlamed) {
  const std::uint16_t first = giver();
  const wire::LogPart nothing{Round{100}, {}, Round{50}};
  sync.part(NodeId{first}, {kLogPart, wire::encode(nothing), {}}, now);
  EXPECT_EQ(pruned, (std::map<std::uint16_t, std::uint64_t>{{first, 50}}));
  EXPECT_TRUE(sync.active()) << "this log is not level because that one begins later";
  for (int k = 0; k < 200 && giver() == first; ++k) sync.tick(now += LogSync::kTick);
  EXPECT_NE(giver(), first);
  sync.part(NodeId{giver()}, part_of(truth, 4), now);
  agree(2);
  agree(3);
  EXPECT_EQ(applied, (std::vector<std::uint64_t>{1, 2, 4}));
  EXPECT_TRUE(blamed.empty());
}

// One liar, or one newcomer, that is asked first and has nothing ended it for a node that joined.
TEST_F(Bench, WhatIsWantedIsAskedForUntilSomebodyHasIt) {
  sync.begin(Round{0}, {}, now, Round{4});
  const std::uint16_t first = giver();
  sync.part(NodeId{first}, part_of({}, 0), now);
  EXPECT_TRUE(sync.active());
  for (int k = 0; k < 200 && giver() == first; ++k) sync.tick(now += LogSync::kTick);
  const std::uint16_t second = giver();
  ASSERT_NE(second, first);
  sync.part(NodeId{second}, part_of({truth[0], truth[1]}, 2), now);  // it has a beginning
  sync.hash(NodeId{1}, hash_frame(2, hashes[1]), now);
  sync.hash(NodeId{2}, hash_frame(2, hashes[1]), now);
  EXPECT_EQ(applied, (Slots{1, 2}));
  EXPECT_TRUE(sync.active());
  for (int k = 0; k < 200 && giver() == second; ++k) sync.tick(now += LogSync::kTick);
  ASSERT_NE(giver(), second);
  sync.part(NodeId{giver()}, part_of({truth[2]}, 4), now);
  agree(1);
  agree(2);
  EXPECT_EQ(applied, (Slots{1, 2, 4}));
  EXPECT_FALSE(sync.active());
  EXPECT_TRUE(blamed.empty()) << "a short log is no lie";
}

// The protocol had caught up by itself, all peers had pruned what was asked for, and the node was
// never ready again.
TEST_F(Bench, WhatTheProtocolReachedByItselfIsAskedForNoMore) {
  wire::LogPart gone{Round{4}, {}};
  gone.begins = Round{3};
  for (int turn = 0; turn < 4; ++turn) {
    sync.part(NodeId{giver()}, {kLogPart, wire::encode(gone), {}}, now);
    sync.tick(now += 2 * kSecond);
  }
  EXPECT_TRUE(sync.active());
  sync.reached(Round{4}, hashes[2]);
  EXPECT_TRUE(sync.active()) << "somebody may still be giving";
  sync.tick(now += 2 * kSecond);
  sync.part(NodeId{giver()}, part_of({}, 4), now);
  EXPECT_FALSE(sync.active());
}

// One who brings a commit now and then looks alive, and is not the only giver all the same.
TEST_F(Bench, ASlowGiverIsReplacedAtTheEndOfItsTurn) {
  const std::uint16_t slow = giver();
  std::set<std::uint16_t> givers;
  Digest hash{};
  std::uint64_t slot = 0;
  for (int k = 0; k < 20 && givers.size() < 3; ++k) {
    const Commit next = commit_at(++slot, "a little");
    hash = chained(hash, next);
    sync.part(NodeId{giver()}, part_of({next}, 1000), now);
    for (std::uint16_t peer = 1; peer <= 3; ++peer)
      sync.hash(NodeId{peer}, hash_frame(slot, hash), now);
    ASSERT_EQ(applied.size(), slot) << "what is confirmed is never lost";
    for (std::uint64_t step = 0; step < 900'000; step += LogSync::kTick) {
      sync.tick(now += LogSync::kTick);
    }
    givers.insert(giver());
  }
  EXPECT_EQ(givers.size(), 3u) << "from " << slow << " on";
}

// A commit that takes longer to come than the first turn comes all the same: turns get longer.
TEST_F(Bench, ALargeCommitComesOverASlowLink) {
  constexpr std::uint32_t kBlocks = 30;
  Commit big{Round{99}, {}, {}};
  for (std::uint64_t r = 1; r <= kBlocks; ++r) {
    big.blocks.push_back(commit_at(r, "block " + std::to_string(r)).blocks[0]);
  }
  const Digest all = chained({}, big);
  std::uint32_t index = 0;
  std::uint16_t from = giver();
  for (int k = 0; k < 2000 && applied.empty(); ++k) {
    if (giver() != from) index = 0;  // the next one begins anew
    from = giver();
    const auto& b = big.blocks[index];
    const auto size = static_cast<std::uint32_t>(b->payload.size());
    const wire::LogPart part{Round{99}, {{Round{99}, big.id, kBlocks, index, size, told(*b)}}};
    sync.part(NodeId{from}, {kLogPart, wire::encode(part), b->payload}, now);
    index = (index + 1) % kBlocks;
    for (std::uint16_t peer = 1; peer <= 2; ++peer)
      sync.hash(NodeId{peer}, hash_frame(99, all), now);
    for (std::uint64_t step = 0; step < kSecond / 2; step += LogSync::kTick) {
      sync.tick(now += LogSync::kTick);
    }
  }
  EXPECT_EQ(applied, (Slots{99}));
  EXPECT_TRUE(blamed.empty());
}

TEST_F(Bench, PartsMayEndWithinACommit) {
  Commit big{Round{5}, {}, {}};
  for (std::uint64_t r = 1; r <= 3; ++r) {
    big.blocks.push_back(commit_at(r, "block " + std::to_string(r)).blocks[0]);
  }
  const Digest all = chained({}, big);
  for (std::uint32_t i = 0; i < 3; ++i) {
    const auto& b = big.blocks[i];
    const auto size = static_cast<std::uint32_t>(b->payload.size());
    const wire::LogPart part{Round{5}, {{Round{5}, big.id, 3, i, size, told(*b)}}};
    sync.part(NodeId{giver()}, {kLogPart, wire::encode(part), b->payload}, now);
  }
  sync.hash(NodeId{1}, hash_frame(5, all), now);
  sync.hash(NodeId{2}, hash_frame(5, all, false), now);  // has not got there: no vote
  EXPECT_TRUE(applied.empty());
  sync.hash(NodeId{3}, hash_frame(5, all), now);
  EXPECT_EQ(applied, (Slots{5}));
}

/// A commit with so many blocks of the same payload.
Commit commit_of(std::uint64_t slot, std::uint32_t blocks, std::size_t bytes) {
  const Bytes payload = Bytes::from(std::vector<std::byte>(bytes));
  const Digest root = bytes > 0 ? payload_root(payload.view()) : Digest{};
  Commit out{Round{slot}, {}, {}};
  for (std::uint64_t r = 1; r <= blocks; ++r)
    out.blocks.push_back(unsigned_block(Round{r}, payload, root, {}, {}));
  out.id = out.blocks[0]->id;
  return out;
}
/// One of its blocks as a part of the log.
Frame part_with(const Commit& c, std::uint32_t index, std::uint32_t total, Round head) {
  const OrderedBlock& b = *c.blocks[index % c.blocks.size()];
  const wire::LogPart part{
      head, {{c.slot, c.id, total, index, static_cast<std::uint32_t>(b.payload.size()), told(b)}}};
  return {kLogPart, wire::encode(part), b.payload};
}

/// A LogSync whose questions can be looked at.
struct Asked : testing::Test {
  Asked()
      : sync(*Committee::of(4), NodeId{0}, {{}, 4, &plain_id_of},
             {[this](NodeId to, const Frame& f) {
                if (f.kind != kWantLog) return;
                giver = to;
                question = wire::decode<wire::WantLog>(f.control.view());
                ++questions;
              },
              [this](const Commit& c) { applied.push_back(c.slot.value); }, [] { return true; },
              [this](NodeId who, const std::string&) { blamed.push_back(who.value); }}) {
    sync.begin(Round{0}, {}, now);
  }
  void vouch(Round slot, const Digest& hash) {
    for (std::uint16_t peer = 1; peer <= 2; ++peer)
      sync.hash(NodeId{peer}, hash_frame(slot.value, hash), now);
  }
  std::uint64_t now = 10 * kSecond;
  NodeId giver{};
  std::optional<wire::WantLog> question;  // that is not answered
  int questions = 0;
  std::vector<std::uint64_t> applied;
  std::vector<std::uint16_t> blamed;
  LogSync sync;
};

// Above 64 MiB nothing more was asked for, and only the end of the commit made room.
TEST_F(Asked, ACommitLargerThanWhatMayWaitComesWhole) {
  constexpr std::uint32_t kBlocks = 80;
  const Commit big = commit_of(7, kBlocks, 1u << 20);
  std::set<std::uint16_t> givers;
  for (int k = 0; k < 100 && applied.empty(); ++k) {
    givers.insert(giver.value);
    if (const auto want = std::exchange(question, std::nullopt)) {
      for (std::uint32_t i = 0; i < want->parts && want->leave_out + i < kBlocks; ++i)
        sync.part(giver, part_with(big, want->leave_out + i, kBlocks, Round{7}), now);
    }
    vouch(Round{7}, chained({}, big));
    sync.tick(now += LogSync::kTick);
  }
  EXPECT_EQ(applied, (Slots{7}));
  EXPECT_EQ(givers.size(), 1u);
  EXPECT_FALSE(sync.active());
}

// A liar's commit without an end costs its room and is dropped with its giver.
TEST_F(Asked, ACommitWithoutAnEndIsHeldToItsRoomAlone) {
  const Commit endless = commit_of(7, 1, kMostPayloadBytes);
  const NodeId liar = giver;
  std::uint64_t bytes = 0;
  for (std::uint32_t k = 0; k < 1000 && giver == liar; ++k) {
    if (question && question->leave_out == k) question.reset();
    sync.part(liar, part_with(endless, k, 1'000'000, Round{7}), now);
    bytes += kMostPayloadBytes;
  }
  EXPECT_NE(giver, liar);
  EXPECT_GT(bytes, LogSync::kBufferBytes / 2);
  EXPECT_LE(bytes, LogSync::kBufferBytes + kMostPayloadBytes);
  EXPECT_TRUE(blamed.empty());
}

// A block with more than any node takes is not in a correct log.
TEST_F(Asked, ABlockWithTooLargeAPayloadIsALie) {
  const NodeId liar = giver;
  sync.part(liar, part_with(commit_of(7, 1, kMostPayloadBytes + 1), 0, 1, Round{7}), now);
  EXPECT_NE(giver, liar);
  EXPECT_EQ(blamed, (std::vector<std::uint16_t>{liar.value}));
}

// Each takes some 250 bytes of memory, and counted as the 50 that it has on the wire.
TEST_F(Asked, EmptyBlocksCountWithTheMemoryThatTheyTake) {
  constexpr std::uint32_t kBlocks = 2000;
  std::uint64_t slot = 0;
  std::uint64_t blocks = 0;
  const NodeId first = giver;
  while (slot < 400 && giver == first && question) {
    const std::uint32_t parts = std::exchange(question, std::nullopt)->parts;
    for (std::uint32_t k = 0; k < parts; ++k) {
      sync.part(first, part_of({commit_of(++slot, kBlocks, 0)}, 1'000'000), now);
      blocks += kBlocks;
    }
  }
  EXPECT_LE(blocks * 250, LogSync::kBufferBytes / 2);
  EXPECT_EQ(giver, first);
}

}  // namespace
}  // namespace thresher::net
