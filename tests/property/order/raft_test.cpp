// Raft in the simulated world: crashes, restarts, loss and reordering; one log at every delivery,
// everything that live nodes submitted at the end.
#include "thresher/protocols/order/raft.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>
#include <string>

#include "thresher/core/prng.hpp"
#include "thresher/sim/world.hpp"

namespace thresher {
namespace {

struct Outcome {
  std::string problem;
  bool repeated = false;  ///< a value was ordered twice
  bool all_delivered = false;
  std::uint64_t ticks = 0;
};

Bytes text(std::uint16_t origin, int number) {
  return Bytes::copy_of(as_view(std::to_string(origin) + "/" + std::to_string(number)));
}

class Game {
 public:
  Game(const sim::Plan& plan, std::uint64_t history)
      : plan_(plan), world_(plan, [this, history](NodeId id) {
          return Raft({.committee = plan_.committee, .self = id, .window = 8, .history = history});
        }) {
    delivered_.resize(plan.committee.size());
    world_.on_deliver = [this](NodeId id, const raft::Delivery& d) { check(id, d); };
  }

  Outcome play(int payloads, std::uint64_t ticks) {
    const std::uint32_t n = plan_.committee.size();
    out_.ticks = world_.run_until([&] {
      // A new payload at every node now and then, so that leaders change while there is work.
      if (world_.now() % 5 == 0 && sent_ < payloads) {
        for (std::uint16_t i = 0; i < n; ++i) {
          if (world_.up(NodeId{i})) world_.request(NodeId{i}, {text(i, sent_)});
        }
        ++sent_;
      }
      return !out_.problem.empty() || world_.now() >= ticks || settled(payloads);
    });
    out_.all_delivered = settled(payloads);
    return out_;
  }

 private:
  void check(NodeId id, const raft::Delivery& d) {
    const auto [it, fresh] = order_.try_emplace(d.index, d.value);
    if (!(it->second == d.value)) {
      out_.problem = "node " + std::to_string(id.value) + " forks at " + std::to_string(d.index);
    }
    out_.repeated |= fresh && !values_.insert(std::string(as_text(d.value.view()))).second;
    delivered_[id.value].insert(d.index);
  }
  // Every live node has all that never-crashing nodes submitted.
  bool settled(int payloads) const {
    if (sent_ < payloads || world_.now() < 400) return false;
    for (std::uint16_t i = 0; i < plan_.committee.size(); ++i) {
      if (!world_.up(NodeId{i})) continue;
      if (delivered_[i].size() != order_.size()) return false;
      if (plan_.faults.contains(NodeId{i})) continue;
      for (int k = 0; k < payloads; ++k) {
        if (!values_.contains(std::string(as_text(text(i, k).view())))) return false;
      }
    }
    return true;
  }

  sim::Plan plan_;
  sim::World<Raft> world_;
  Outcome out_;
  int sent_ = 0;
  std::map<std::uint64_t, Bytes> order_;
  std::set<std::string> values_;
  std::vector<std::set<std::uint64_t>> delivered_;
};

sim::Plan plan_of(std::uint32_t n, std::uint64_t seed) {
  sim::Plan plan;
  plan.committee = *Committee::make(n, 0);
  plan.seed = seed;
  plan.delta = 4;
  return plan;
}

TEST(Raft, OrdersInTwoDelaysOnceThereIsALeader) {
  for (const std::uint32_t n : {1u, 2u, 3u, 5u, 8u}) {
    const Outcome out = Game(plan_of(n, n), 1024).play(20, 3000);
    EXPECT_EQ(out.problem, "");
    EXPECT_TRUE(out.all_delivered) << n;
  }
}

RC_GTEST_PROP(Raft, CrashesOfAMinorityHarmNothing, (std::uint64_t seed)) {
  Prng rng(seed);
  const auto n = static_cast<std::uint32_t>(3 + rng.below(5));
  sim::Plan plan = plan_of(n, seed);
  plan.delay_max = 1 + rng.below(6);
  plan.gst = 300;
  plan.loss_ppm = rng.below(300'000);
  plan.cut_ppm = rng.below(200'000);
  for (std::uint32_t k = 0; k < (n - 1) / 2; ++k) {
    const std::uint64_t at = 1 + rng.below(350);
    const std::uint64_t back = rng.below(3) == 0 ? 0 : at + 1 + rng.below(200);
    plan.faults[NodeId{static_cast<std::uint16_t>(rng.below(n))}] = {sim::FaultKind::kCrash, at,
                                                                     back};
  }
  const Outcome out = Game(plan, 1024).play(30, 6000);
  RC_ASSERT(out.problem == "");
  RC_ASSERT(!out.repeated);
  RC_ASSERT(out.all_delivered);
}

// All stop and come back, one after the other or at once: only what is durable counts.
RC_GTEST_PROP(Raft, EveryNodeMayRestart, (std::uint64_t seed)) {
  Prng rng(seed);
  const auto n = static_cast<std::uint32_t>(1 + rng.below(5));
  sim::Plan plan = plan_of(n, seed);
  plan.delay_max = 1 + rng.below(4);
  for (std::uint16_t i = 0; i < n; ++i) {
    const std::uint64_t at = 20 + rng.below(200);
    plan.faults[NodeId{i}] = {sim::FaultKind::kCrash, at, at + 1 + rng.below(150)};
  }
  const Outcome out = Game(plan, 1024).play(30, 6000);
  RC_ASSERT(out.problem == "");
  RC_ASSERT(!out.repeated);
  RC_ASSERT(out.all_delivered);
}

// Elections all the time: delays far over the patience, loss for ever, every node crashing.
TEST(Raft, NoScheduleForks) {
  for (std::uint64_t seed = 1; seed <= 250; ++seed) {
    Prng rng(seed);
    const auto n = static_cast<std::uint32_t>(3 + rng.below(3));
    sim::Plan plan = plan_of(n, seed);
    plan.delta = 1 + rng.below(2);
    plan.delay_max = 1 + rng.below(8);
    plan.gst = 1'000'000;
    plan.loss_ppm = rng.below(700'000);
    plan.cut_ppm = rng.below(300'000);
    for (std::uint16_t i = 0; i < n; ++i) {
      const std::uint64_t at = 20 + rng.below(400);
      plan.faults[NodeId{i}] = {sim::FaultKind::kCrash, at,
                                at + 1 + rng.below(rng.below(2) == 0 ? 4 : 60)};
    }
    ASSERT_EQ(Game(plan, 1024).play(80, 900).problem, "") << "seed " << seed;
  }
}

// A short history forgets while it goes on, and forks nothing.
RC_GTEST_PROP(Raft, ForgettingForksNothing, (std::uint64_t seed)) {
  Prng rng(seed);
  sim::Plan plan = plan_of(5, seed);
  plan.delay_max = 1 + rng.below(4);
  const std::uint64_t at = 50 + rng.below(100);
  plan.faults[NodeId{static_cast<std::uint16_t>(rng.below(5))}] = {sim::FaultKind::kCrash, at,
                                                                   at + 20};
  RC_ASSERT(Game(plan, 16).play(60, 1500).problem == "");
}

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
      if (const auto* v = std::get_if<raft::Vote>(&s->message)) return v->granted;
    }
  }
  return false;
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
  hear(raft::Vote{4, true, true});
  hear(raft::Vote{4, true, false});
  ASSERT_EQ(node.role(), Raft::Role::kLeader);
  hear(raft::Appended{4, 1, true});
  EXPECT_EQ(node.delivered(), 0u);
  hear(raft::Appended{4, 2, true});
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
           NodeId{0}, raft::Append{8, 500, 7, 501, {{8, Bytes::copy_of(as_view("next"))}}}}},
       fx);
  EXPECT_EQ(node.delivered(), 501u);
}

}  // namespace
}  // namespace thresher
