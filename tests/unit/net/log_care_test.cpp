// What a node lacks of its log comes from peers, of whom one at least is correct, and nothing else
// goes into it.
#include "node/log_care.hpp"

#include <gtest/gtest.h>

#include "lone_node.hpp"
#include "told_log.hpp"

namespace thresher::net {
namespace {

using Slots = std::vector<std::uint64_t>;

/// Node 0 of some, whose stored log has the commits of four slots, and its care for it.
struct Care {
  explicit Care(std::uint16_t members = 4) : node(members) {
    for (std::uint64_t slot = 1; slot <= 4; ++slot) commits.push_back(node.commit(slot));
    for (const Commit& commit : commits) node.log(commit);
  }
  /// All of it is in the ledger, up to a slot.
  void has(std::uint64_t slot) {
    for (std::uint64_t s = 1; s <= slot; ++s) put(commits[s - 1]);
  }
  void put(const Commit& commit) {
    (void)node.ledger.append(commit, [](const Transaction&, const NewTransaction&) {});
  }
  void tick() {
    now += LogSync::kTick;
    care.watch(now);
  }
  /// A peer gives the commit of a slot, whoever is asked, and two vouch for it.
  void give(std::uint64_t slot) {
    for (std::uint16_t peer = 1; peer < 4; ++peer)
      care.hear(NodeId{peer}, part_of({commits[slot - 1]}, 4), now);
    vouch(slot, node.hashes[slot - 1]);
  }
  void vouch(std::uint64_t slot, const Digest& hash) {
    for (std::uint16_t peer = 1; peer < 3; ++peer)
      care.hear(NodeId{peer}, hash_frame(slot, hash), now);
  }
  /// What the disk has of a slot after all that was written.
  bool is_right_on_disk(std::uint64_t slot) {
    EXPECT_FALSE(node.writer->close());
    const auto body = node.store->read_body(node.place_of(slot));
    return body && *body == commits[slot - 1].blocks[0]->payload;
  }
  bool deliver(std::uint64_t slot) {
    Commit commit = commits[slot - 1];
    return care.goes_on(commit);
  }

  LoneNode node;
  std::vector<Commit> commits;
  std::uint64_t now = Loop::now_us();
  bool starts = false, in_doubt = false, joins = false;
  Slots applied, committed, delivered;  // positions; slots
  int told = 0, grew = 0;
  Checkpointing checkpointing{node, {}};
  LogCare care{
      node,
      checkpointing,
      {[this] { return starts; }, [this] { return in_doubt; }, [this] { return joins; },
       [this](const Transaction& t, NodeId, const Digest*) { applied.push_back(t.position); },
       [this](const Commit& c) {
         committed.push_back(c.slot.value);
         put(c);
       },
       [this](const Commit& c) { delivered.push_back(c.slot.value); }, [this] { ++told; },
       [this] { ++grew; }, [](NodeId, Round) {}}};
};

TEST(LogCare, ReadsAWholeLogAndAsksNobody) {
  Care at;
  ASSERT_TRUE(at.care.read_log());
  EXPECT_EQ(at.applied, Slots({0, 1, 2, 3}));
  EXPECT_EQ(at.node.ledger.log_hash(), at.node.hashes.back());
  EXPECT_TRUE(at.care.has_all());
  at.node.begin_writer();
  at.starts = true;
  at.tick();
  EXPECT_FALSE(at.care.fetches());
}

TEST(LogCare, FetchesADamagedPayloadWritesItBackAndReadsOn) {
  Care at;
  at.node.damage(2);
  ASSERT_TRUE(at.care.read_log());
  EXPECT_EQ(at.node.ledger.slot(), Round{1});
  EXPECT_EQ(at.care.until(), Round{2});
  EXPECT_FALSE(at.care.whole());
  at.node.begin_writer();
  at.starts = true;
  at.tick();
  EXPECT_TRUE(at.care.fetches());
  at.give(2);
  EXPECT_FALSE(at.care.lacks());
  EXPECT_FALSE(at.care.whole()) << "the rest is not read yet";
  at.tick();
  EXPECT_TRUE(at.care.has_all());
  EXPECT_EQ(at.applied, Slots({0, 1, 2, 3}));
  EXPECT_EQ(at.committed, Slots()) << "the log has it already";
  EXPECT_TRUE(at.is_right_on_disk(2));
  EXPECT_FALSE(at.node.stopped_because);
}

TEST(LogCare, TakesNothingThatOnlyOnePeerVouchesFor) {
  Care at;
  at.node.damage(2);
  ASSERT_TRUE(at.care.read_log());
  at.node.begin_writer();
  at.starts = true;
  at.tick();
  for (std::uint16_t peer = 1; peer < 4; ++peer)
    at.care.hear(NodeId{peer}, part_of({at.commits[1]}, 4), at.now);
  at.care.hear(NodeId{1}, hash_frame(2, at.node.hashes[1]), at.now);
  EXPECT_TRUE(at.care.lacks());
  at.care.hear(NodeId{2}, hash_frame(2, at.node.hashes[1]), at.now);
  EXPECT_FALSE(at.care.lacks());
}

TEST(LogCare, DamageThatNobodyCanMendEndsTheStart) {
  Care alone(1);
  alone.node.damage(2);
  EXPECT_FALSE(alone.care.read_log());
  Care in_memory;
  in_memory.node.options.store = StoreKind::kMemory;
  in_memory.node.damage(2);
  EXPECT_FALSE(in_memory.care.read_log());
}

TEST(LogCare, WhatIsDeliveredBehindAGapWaitsInOrder) {
  Care at;
  at.has(1);
  at.node.begin_writer();
  EXPECT_TRUE(at.deliver(2));
  EXPECT_FALSE(at.deliver(3));
  EXPECT_TRUE(at.care.has_gap());
  EXPECT_EQ(at.care.until(), Round{2});
  EXPECT_FALSE(at.deliver(4));
  at.tick();
  EXPECT_TRUE(at.care.fetches());
  at.give(2);
  EXPECT_EQ(at.node.protocol->adopted, std::vector<Round>({Round{2}}));
  EXPECT_EQ(at.committed, Slots({2}));
  EXPECT_EQ(at.delivered, Slots({3, 4}));
  EXPECT_FALSE(at.care.has_gap());
  EXPECT_EQ(at.told, 1);
}

TEST(LogCare, AGapThatNobodyCanFillEndsTheNode) {
  Care at(1);
  at.has(1);
  EXPECT_FALSE(at.deliver(3));
  ASSERT_TRUE(at.node.stopped_because);
  EXPECT_EQ(at.node.stopped_because->code, ErrorCode::kCorrupt);
}

TEST(LogCare, NothingIsTakenWhileLogsSeemToDiffer) {
  Care at;
  at.has(1);
  at.node.begin_writer();
  EXPECT_FALSE(at.deliver(3));
  at.in_doubt = true;
  at.tick();
  EXPECT_FALSE(at.care.fetches());
  at.in_doubt = false;
  at.tick();
  at.in_doubt = true;
  at.give(2);
  EXPECT_EQ(at.committed, Slots());
  at.in_doubt = false;
  at.give(2);
  EXPECT_EQ(at.committed, Slots({2}));
}

TEST(LogCare, FetchesTheEndOfTheLogWhenTheOthersAreFarAhead) {
  Care at;
  at.has(1);
  at.node.begin_writer();
  at.tick();
  EXPECT_FALSE(at.care.catches_up());
  at.node.protocol->at.frontier = Round{at.node.options.sync_rounds + 1};
  at.joins = true;
  at.tick();
  EXPECT_TRUE(at.care.lags());
  EXPECT_FALSE(at.care.fetches()) << "it takes its state from peers";
  at.joins = false;
  at.tick();
  EXPECT_TRUE(at.care.fetches());
  at.give(2);
  EXPECT_EQ(at.committed, Slots({2}));
  EXPECT_EQ(at.care.fetched(), 1u);
  at.care.stop_fetching();
  EXPECT_FALSE(at.care.fetches());
}

TEST(LogCare, RecordsThatKnowOfMoreThanTheLogHasMakeAHole) {
  Care at;
  ASSERT_TRUE(at.care.read_log());
  at.node.protocol->noted_slot = Round{4};
  at.care.note_lost_end();
  EXPECT_TRUE(at.care.whole());
  at.node.protocol->noted_slot = Round{6};
  at.care.note_lost_end();
  EXPECT_TRUE(at.care.lacks());
  EXPECT_EQ(at.care.until(), Round{6});
}

TEST(LogCare, ARecordGetsTheBodyBackThatTheDiskChanged) {
  Care at;
  ASSERT_TRUE(at.care.read_log());
  at.node.damage(3);
  at.node.protocol->damaged = true;
  ASSERT_TRUE(at.care.restore({TestEngine::kBodies, slot_key(Round{3}), {}, {}}));
  EXPECT_TRUE(at.care.whole());
  EXPECT_FALSE(at.care.has_all());
  at.node.protocol->damaged = false;
  at.node.begin_writer();
  at.starts = true;
  at.tick();
  at.give(3);
  EXPECT_TRUE(at.care.has_all());
  EXPECT_EQ(at.node.protocol->bodies, std::vector<Bytes>({at.commits[2].blocks[0]->payload}));
  EXPECT_TRUE(at.is_right_on_disk(3));
}

TEST(LogCare, ABodyThatIsNotInTheLogEndsTheNode) {
  Care at;
  ASSERT_TRUE(at.care.read_log());
  at.node.keep(at.node.commit(5));
  at.node.protocol->damaged = true;
  ASSERT_TRUE(at.care.restore({TestEngine::kBodies, slot_key(Round{5}), {}, {}}));
  at.starts = true;
  at.node.begin_writer();
  at.tick();
  EXPECT_TRUE(at.node.stopped_because);
}

}  // namespace
}  // namespace thresher::net
