// One Raft node alone: votes, terms, what it takes from its host.
#include "thresher/protocols/order/raft.hpp"

#include <gtest/gtest.h>

#include <span>
#include <utility>
#include <vector>

#include "thresher/core/prng.hpp"
#include "thresher/core/storage.hpp"
#include "thresher/core/transcript.hpp"

namespace thresher {
namespace {

Raft started(std::uint16_t self, const std::vector<Persist>& disk) {
  Raft node({.committee = *Committee::make(3, 0), .self = NodeId{self}});
  Raft::Fx fx;
  for (const Persist& p : disk) {
    step(node, InputOf<Raft>{Restored{p.table, p.key, p.value, p.body}}, fx);
  }
  step(node, InputOf<Raft>{Start{1}}, fx);
  return node;
}

std::vector<Persist> records_before_send(Raft::Fx& fx) {
  std::vector<Persist> out;
  for (auto& effect : fx.list()) {
    if (std::holds_alternative<Send<Raft::Message>>(effect)) return out;
    if (auto* p = std::get_if<Persist>(&effect)) out.push_back(*p);
  }
  return {};
}

bool granted(Raft::Fx& fx) {
  for (auto& effect : fx.list()) {
    if (const auto* s = std::get_if<Send<Raft::Message>>(&effect)) {
      if (const auto* v = std::get_if<raft::RequestVoteReply>(&s->message)) return v->granted;
    }
  }
  return false;
}

// Found by the harness: the simulator derives the seed of node i from seed ^ i as Raft does with
// its own id, and the two cancelled out; nodes 0 and 1 of seed 1 then waited alike and split every
// vote.
TEST(Raft, NodesThatAreSeededByTheirIdsWaitForDifferentTimes) {
  std::vector<std::uint64_t> waits;
  for (std::uint16_t id = 0; id < 2; ++id) {
    Raft node({.committee = *Committee::make(2, 0), .self = NodeId{id}});
    Raft::Fx fx;
    step(node, InputOf<Raft>{Start{mix64(1U ^ id)}}, fx);
    for (const auto& effect : fx.list()) {
      if (const auto* t = std::get_if<ArmTimer>(&effect)) waits.push_back(t->after.value);
    }
  }
  ASSERT_EQ(waits.size(), 2U);
  EXPECT_NE(waits[0], waits[1]);
}

// A vote is durable before it is given: after a restart nobody else gets it in that term.
TEST(Raft, VotesOnceInATerm) {
  Raft node = started(0, {});
  Raft::Fx fx;
  const auto ask = [&](Raft& who, std::uint16_t from) {
    fx.clear();
    step(who, InputOf<Raft>{Received<Raft::Message>{NodeId{from}, raft::RequestVote{5, 0, 0}}}, fx);
  };
  ask(node, 1);
  ASSERT_TRUE(granted(fx));
  const auto disk = records_before_send(fx);
  Raft again = started(0, disk);
  ask(again, 2);
  EXPECT_FALSE(granted(fx));
  ask(again, 1);
  EXPECT_TRUE(granted(fx));
}

// Figure 8 of the paper: an entry of an earlier term that a majority has may still be replaced, so
// it commits only with one of the leader's own term.
TEST(Raft, CommitsNothingOfEarlierTermsAlone) {
  const Bytes value = Bytes::copy_of(as_view("of term 2"));
  Raft node = started(
      0, {{raft::kBallot, Bytes::from(Writer().u64(0).take()),
           Bytes::from(Writer().u64(3).u16(0xffff).take())},
          {raft::kEntries, raft::entry_key(1), Bytes::from(Writer().u64(2).take()), value}});
  Raft::Fx fx;
  const auto hear = [&](const Raft::Message& m) {
    step(node, InputOf<Raft>{Received<Raft::Message>{NodeId{1}, m}}, fx);
  };
  step(node, InputOf<Raft>{Expired{{1, {}}}}, fx);
  hear(raft::RequestVoteReply{4, true, true});
  hear(raft::RequestVoteReply{4, true, false});
  ASSERT_EQ(node.role(), Raft::Role::kLeader);
  hear(raft::AppendEntriesReply{4, 1, true});
  EXPECT_EQ(node.delivered(), 0u);
  hear(raft::AppendEntriesReply{4, 2, true});
  EXPECT_EQ(node.delivered(), 2u);
}

// A node that is given an entry by its host goes on from there.
TEST(Raft, AdoptsWhatItsHostVouchesFor) {
  Raft node({.committee = *Committee::make(3, 0), .self = NodeId{1}});
  Raft::Fx fx;
  step(node, InputOf<Raft>{Start{1}}, fx);
  fx.clear();
  const Bytes value = Bytes::copy_of(as_view("from peers"));
  step(node,
       InputOf<Raft>{Restored{raft::kEntries, raft::entry_key(500),
                              Bytes::from(Writer().u64(7).take()), value}},
       fx);
  EXPECT_EQ(node.delivered(), 500u);
  fx.clear();
  step(node,
       InputOf<Raft>{Received<Raft::Message>{
           NodeId{0}, raft::AppendEntries{8, 500, 7, 501, {{8, Bytes::copy_of(as_view("next"))}}}}},
       fx);
  EXPECT_EQ(node.delivered(), 501u);
}

// Entries on the disk behind an adopted one used to come back with a restart: the node then
// voted by the last term of a leader that lost, for a candidate without entries that it had
// acknowledged.
TEST(Raft, WhatItAdoptsReplacesItsLogOnTheDiskToo) {
  const auto number = [](std::uint64_t v) { return Bytes::from(Writer().u64(v).take()); };
  const Bytes value = Bytes::copy_of(as_view("value"));
  MemoryStorage disk;
  std::vector<Persist> old;
  for (std::uint64_t k = 1; k <= 10; ++k)
    old.push_back({raft::kEntries, raft::entry_key(k), number(2), value});
  (void)disk.write(old, Sync::kYes);
  Raft::Fx fx;
  const auto feed = [&](Raft& node, const InputOf<Raft>& input) {
    fx.clear();
    step(node, input, fx);
    for (const auto& effect : fx.list()) {
      if (const auto* p = std::get_if<Persist>(&effect))
        (void)disk.write(std::span(p, 1), Sync::kYes);
    }
  };
  Raft node = started(0, old);
  feed(node, Restored{raft::kEntries, raft::entry_key(5), number(7), value});
  feed(node, Received<Raft::Message>{NodeId{1}, raft::AppendEntries{8, 5, 7, 5, {{8, value}}}});
  Raft again({.committee = *Committee::make(3, 0), .self = NodeId{0}});
  (void)disk.replay([&](const Restored& r) { feed(again, r); });
  feed(again, Start{1});
  feed(again, Received<Raft::Message>{NodeId{2}, raft::RequestVote{9, 20, 3}});
  EXPECT_FALSE(granted(fx));  // it has an entry of term 8
}

// R5: a value that a node took over with its log was ordered again when it led.
TEST(Raft, WhatItAdoptsIsNotOrderedAgain) {
  const auto number = [](std::uint64_t v) { return Bytes::from(Writer().u64(v).take()); };
  const auto value = [&](std::uint64_t k) { return number(1000 + k); };
  constexpr std::uint64_t kFirst = 5, kTerm = 1;
  Raft node = started(0, {});
  std::uint64_t stored = 0;
  const auto feed = [&](const InputOf<Raft>& input) {
    Raft::Fx fx;
    step(node, input, fx);
    stored = 0;
    for (const auto& effect : fx.list()) {
      const auto* p = std::get_if<Persist>(&effect);
      stored += p != nullptr && p->table == raft::kEntries ? 1 : 0;
    }
  };
  // The host gives one entry after the other.
  for (std::uint64_t k = kFirst; k < kFirst + 3; ++k)
    feed(Restored{raft::kEntries, raft::entry_key(k), number(kTerm), value(k)});
  EXPECT_EQ(node.delivered(), kFirst + 2);
  feed(Expired{{1, {}}});
  feed(Received<Raft::Message>{NodeId{1}, raft::RequestVoteReply{1, true, true}});
  feed(Received<Raft::Message>{NodeId{1}, raft::RequestVoteReply{1, true, false}});
  ASSERT_EQ(node.role(), Raft::Role::kLeader);
  for (std::uint64_t k = kFirst; k < kFirst + 3; ++k) {
    feed(Received<Raft::Message>{NodeId{2}, raft::Forward{value(k)}});
    EXPECT_EQ(stored, 0u) << k;
  }
  feed(Received<Raft::Message>{NodeId{2}, raft::Forward{value(0)}});
  EXPECT_EQ(stored, 1u);
}

// One node has the better log, the other the higher term, the third is down: each refused the
// other's pre-vote for ever.
TEST(Raft, TwoThatRefuseEachOthersTrialsAgreeOnATerm) {
  const auto number = [](std::uint64_t v) { return Bytes::from(Writer().u64(v).take()); };
  const Bytes value = Bytes::copy_of(as_view("value"));
  const auto ballot = [&](std::uint64_t term) {
    return Persist{raft::kBallot, number(0), Bytes::from(Writer().u64(term).u16(0xffff).take())};
  };
  std::vector<Raft> nodes;
  nodes.push_back(started(0, {ballot(5), {raft::kEntries, raft::entry_key(1), number(5), value}}));
  nodes.push_back(started(1, {ballot(9)}));
  const auto leads = [&](std::size_t i) { return nodes[i].role() == Raft::Role::kLeader; };
  for (int timeouts = 0; timeouts < 20 && !leads(0) && !leads(1); ++timeouts) {
    std::vector<std::pair<std::size_t, InputOf<Raft>>> todo;
    todo.emplace_back(timeouts % 2, Expired{{1, {}}});
    while (!todo.empty()) {
      const auto [who, input] = todo.back();
      todo.pop_back();
      Raft::Fx fx;
      step(nodes[who], input, fx);
      for (const auto& effect : fx.list()) {
        const NodeId from{static_cast<std::uint16_t>(who)};
        if (const auto* s = std::get_if<Send<Raft::Message>>(&effect)) {
          if (s->to.value == 1 - who)
            todo.emplace_back(1 - who, Received<Raft::Message>{from, s->message});
        } else if (const auto* b = std::get_if<Broadcast<Raft::Message>>(&effect)) {
          todo.emplace_back(1 - who, Received<Raft::Message>{from, b->message});
        }
      }
    }
  }
  EXPECT_TRUE(leads(0));
}

}  // namespace
}  // namespace thresher
