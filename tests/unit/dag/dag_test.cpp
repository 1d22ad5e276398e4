// The DAG in a small lock-step world: every message takes one step, signatures are mocked by a
// hash.
#include "thresher/protocols/dag/dag.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <memory>

#include "thresher/core/executor.hpp"
#include "thresher/core/storage.hpp"
#include "thresher/protocols/dag/turns.hpp"

namespace thresher::dag {
namespace {

Signature mock_sign(NodeId node, const Digest& digest) {
  Writer w;
  w.u16(node.value).bytes(digest.bytes);
  const Digest d = hash(w.view());
  Signature s{};
  std::copy(d.bytes.begin(), d.bytes.end(), s.begin());
  return s;
}

Payload payload_of(const std::string& text) {
  const Bytes bytes = Bytes::copy_of(as_view(text));
  return {bytes, hash(bytes.view())};
}

class World;

struct NodeWorld {
  World* world = nullptr;
  NodeId id;
  std::deque<InputOf<Dag>> inputs;
  std::map<TimerId, std::uint64_t> timers;
  MemoryStorage storage;
  std::vector<Committed> log;
  std::vector<std::uint64_t> barriers;

  void send(NodeId to, Message m);
  void broadcast(Message m);
  void deliver(Committed c) {
    if (log.empty() || c.slot > log.back().slot) log.push_back(std::move(c));
  }
  void arm(TimerId timer, Delay d);
  void cancel(TimerId timer) { timers.erase(timer); }
  void persist(std::vector<Persist> w, std::uint64_t barrier) {
    ASSERT_TRUE(storage.write(w, Sync::kYes));
    barriers.push_back(barrier);
  }
  void verify(const Verify& v) {
    inputs.push_back(Verified{v.ticket, mock_sign(v.signer, v.digest) == v.signature});
  }
  void verify(const VerifyAll&) { FAIL() << "blocks have one signature each"; }
  void endorse(const Endorse& e) { inputs.push_back(Endorsed{e.ticket, mock_sign(id, e.digest)}); }
  void accuse(const Accuse&) { FAIL() << "an honest run accused somebody"; }
};

class World {
 public:
  World(std::uint32_t n, const Rules& rules, Delay pace = {})
      : committee_(*Committee::of(n)), rules_(rules), pace_(pace) {
    for (std::uint32_t i = 0; i < n; ++i) {
      nodes_.push_back(std::make_unique<NodeWorld>());
      nodes_[i]->world = this;
      nodes_[i]->id = NodeId{static_cast<std::uint16_t>(i)};
      boot(i);
    }
  }

  void boot(std::uint32_t i) {
    Config config;
    config.committee = committee_;
    config.self = NodeId{static_cast<std::uint16_t>(i)};
    config.rules = rules_;
    config.pace = pace_;
    NodeWorld& node = *nodes_[i];
    node.inputs.clear();
    node.timers.clear();
    std::erase_if(wires_, [&](const Wire& w) { return w.to == config.self; });
    executors_.resize(nodes_.size());
    executors_[i] = std::make_unique<Executor<Dag, NodeWorld>>(Dag(config), node);
    ASSERT_TRUE(node.storage.replay([&](const Restored& r) { node.inputs.push_back(r); }));
    node.inputs.push_back(Start{i});
    up_.resize(nodes_.size());
    up_[i] = true;
  }
  void crash(std::uint32_t i) { up_[i] = false; }

  void submit(std::uint32_t i, const std::string& text) {
    nodes_[i]->inputs.push_back(Requested<Submit>{{payload_of(text)}});
  }
  void replace(std::uint32_t i, const std::string& old, const std::string& text) {
    nodes_[i]->inputs.push_back(Requested<Submit>{{payload_of(text), payload_of(old).root}});
  }

  void feed(std::uint32_t i, InputOf<Dag> input) { nodes_[i]->inputs.push_back(std::move(input)); }

  void post(NodeId from, NodeId to, Message m) {
    ++messages;
    wires_.push_back({now_ + kHop, from, to, std::move(m)});
  }

  void step_all() {
    ++now_;
    while (!wires_.empty() && wires_.front().at <= now_) {
      Wire w = std::move(wires_.front());
      wires_.pop_front();
      if (up_[w.to.value]) {
        nodes_[w.to.value]->inputs.push_back(Received<Message>{w.from, std::move(w.message)});
      }
    }
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      if (up_[i]) turn(i);
    }
  }

  void run(int steps) {
    for (int s = 0; s < steps; ++s) step_all();
  }

  std::vector<std::string> texts(std::uint32_t i) const {
    std::vector<std::string> out;
    for (const Committed& c : nodes_[i]->log) {
      for (const BlockPtr& b : c.blocks) {
        if (!b->payload.empty()) out.emplace_back(as_text(b->payload.bytes.view()));
      }
    }
    return out;
  }
  const Dag& dag(std::uint32_t i) const { return executors_[i]->protocol(); }
  std::uint64_t now() const { return now_; }
  std::uint32_t size() const { return committee_.size(); }

  static constexpr std::uint64_t kHop = 10;    // steps a message takes
  static constexpr std::uint64_t kDelta = 20;  // steps a Delta lasts
  std::uint64_t messages = 0;

 private:
  struct Wire {
    std::uint64_t at;
    NodeId from;
    NodeId to;
    Message message;
  };

  void turn(std::uint32_t i) {
    NodeWorld& node = *nodes_[i];
    for (auto it = node.timers.begin(); it != node.timers.end();) {
      if (it->second > now_) {
        ++it;
        continue;
      }
      node.inputs.push_back(Expired{it->first});
      it = node.timers.erase(it);
    }
    while (!node.inputs.empty() || !node.barriers.empty()) {
      if (!node.inputs.empty()) {
        const InputOf<Dag> input = std::move(node.inputs.front());
        node.inputs.pop_front();
        executors_[i]->run(input);
      }
      for (const std::uint64_t barrier : std::exchange(node.barriers, {})) {
        executors_[i]->persisted(barrier);
      }
    }
  }

  Committee committee_;
  Rules rules_;
  Delay pace_;
  std::vector<std::unique_ptr<NodeWorld>> nodes_;
  std::vector<std::unique_ptr<Executor<Dag, NodeWorld>>> executors_;
  std::vector<bool> up_;
  std::deque<Wire> wires_;
  std::uint64_t now_ = 0;

  friend struct NodeWorld;
};

void NodeWorld::send(NodeId to, Message m) {
  world->post(id, to, std::move(m));
}
void NodeWorld::broadcast(Message m) {
  for (std::uint32_t i = 0; i < world->size(); ++i) {
    if (i != id.value) world->post(id, NodeId{static_cast<std::uint16_t>(i)}, m);
  }
}
void NodeWorld::arm(TimerId timer, Delay d) {
  timers[timer] = world->now() + 1 + d.value * World::kDelta / 1000;
}

class DagRules : public testing::TestWithParam<Rules> {};
INSTANTIATE_TEST_SUITE_P(Family, DagRules, testing::Values(Rules::thresher(), Rules::mysticeti()),
                         [](const auto& suite) { return std::string(suite.param.name); });

TEST_P(DagRules, ALonelyTransactionCommitsAtOnce) {
  for (const Delay pace : {Delay{0}, Delay{1000}}) {
    World world(4, GetParam(), pace);
    world.run(100);
    // One delay wakes the idle nodes into the leader's round; then three for its block.
    world.submit(turn_of(Round{1}, *Committee::of(4), GetParam().leaders).value, "one");
    world.run(static_cast<int>(4 * World::kHop) + 4);
    for (std::uint32_t i = 0; i < 4; ++i) {
      EXPECT_EQ(world.texts(i), std::vector<std::string>{"one"});
    }
  }
}

TEST_P(DagRules, AtLightLoadRoundsArePaced) {
  std::uint64_t rounds[2];
  for (const bool paced : {false, true}) {
    World world(4, GetParam(), Delay{paced ? 1000u : 0u});
    for (std::uint32_t k = 0; k < 200; ++k) {
      world.submit(k % 4, std::string(40, 'x') + std::to_string(k));
      world.run(10);
    }
    rounds[paced] = world.dag(0).round().value;
    world.run(1000);
    EXPECT_EQ(world.texts(0).size(), 200u);
    for (std::uint32_t i = 1; i < 4; ++i) EXPECT_EQ(world.texts(i), world.texts(0));
    EXPECT_EQ(world.dag(0).stats().timeouts, 0u);
    EXPECT_EQ(world.dag(0).stats().skips, 0u);
  }
  EXPECT_LT(rounds[1] * 3, rounds[0] * 2);
}

// Where members agree on a time, those without transactions write their clocks beside those of
// others. Four payloads then wait, of which one is a load.
TEST_P(DagRules, ALonelyTransactionBesideClocksIsNotPaced) {
  std::uint64_t rounds[2];
  for (const bool paced : {false, true}) {
    World world(4, GetParam(), Delay{paced ? 1000u : 0u});
    for (std::uint32_t k = 0; k < 30; ++k) {
      world.submit(0, std::string(400, 'x') + std::to_string(k));
      for (std::uint32_t other = 1; other < 4; ++other) {
        world.submit(other, std::string(26, 'c') + std::to_string(100 * k + other));
      }
      world.run(static_cast<int>(8 * World::kHop));
    }
    rounds[paced] = world.dag(0).round().value;
  }
  EXPECT_EQ(rounds[1], rounds[0]);
}

// A lot of payload does not wait, whichever node has it.
TEST_P(DagRules, UnderLoadRoundsAreNotPaced) {
  std::uint64_t rounds[2];
  const std::string big(300'000, 'x');
  for (const bool paced : {false, true}) {
    World world(4, GetParam(), Delay{paced ? 1000u : 0u});
    for (std::uint32_t k = 0; k < 100; ++k) {
      world.submit(1, big + std::to_string(k));
      world.run(10);
    }
    rounds[paced] = world.dag(0).round().value;
  }
  EXPECT_GT(rounds[1] * 10, rounds[0] * 9);
}

TEST_P(DagRules, APayloadThatWaitsGivesWayToALongerOne) {
  World world(4, GetParam());
  world.submit(1, "first");       // goes at once
  world.submit(1, "a");           // waits for the next round
  world.replace(1, "a", "ab");    // in its place
  world.replace(1, "gone", "c");  // nothing of that name waits
  world.run(1000);
  EXPECT_EQ(world.texts(0), (std::vector<std::string>{"first", "ab", "c"}));
}

TEST_P(DagRules, AnIdleCommitteeStaysInItsRound) {
  World world(4, GetParam());
  world.submit(2, "one");
  world.run(2000);
  const Round before = world.dag(0).round();
  const std::uint64_t messages = world.messages;
  world.run(5000);  // 250 Delta: five idle re-pushes of each node
  EXPECT_EQ(world.dag(0).round(), before);
  EXPECT_LE(world.messages - messages, 100u);
}

TEST_P(DagRules, EveryNodeDeliversTheSameSequence) {
  for (const std::uint32_t n : {4u, 5u, 6u, 7u, 10u}) {
    World world(n, GetParam());
    for (std::uint32_t k = 0; k < 60; ++k) {
      world.submit(k % n, "tx" + std::to_string(k));
      world.run(7);
    }
    world.run(3000);
    EXPECT_EQ(world.texts(0).size(), 60u) << n;
    for (std::uint32_t i = 1; i < n; ++i) EXPECT_EQ(world.texts(i), world.texts(0)) << n;
    EXPECT_EQ(world.dag(0).stats().timeouts, 0u) << n;
    EXPECT_EQ(world.dag(0).stats().skips, 0u) << n;
  }
}

TEST_P(DagRules, GoesOnWithOneNodeDownAndLetsItCatchUp) {
  World world(4, GetParam());
  world.submit(3, "before");
  world.run(300);
  world.crash(3);
  for (int k = 0; k < 40; ++k) {
    world.submit(static_cast<std::uint32_t>(k % 3), "during" + std::to_string(k));
    world.run(50);
  }
  world.run(3000);
  EXPECT_EQ(world.texts(0).size(), 41u);
  EXPECT_GT(world.dag(0).round().value, 64u);
  world.boot(3);
  world.submit(3, "after");
  world.run(6000);
  EXPECT_EQ(world.texts(0).size(), 42u);
  for (std::uint32_t i = 1; i < 4; ++i) EXPECT_EQ(world.texts(i), world.texts(0));
}

// Tickets that no block has, not now and not any more: none of them names a place that is free.
TEST(Dag, VerdictsThatNobodyWaitsForChangeNothing) {
  World world(4, Rules::thresher());
  world.submit(0, "first");
  world.run(300);
  const std::uint64_t accepted = world.dag(1).stats().blocks_accepted;
  ASSERT_GT(accepted, 0u);
  for (const std::uint64_t ticket : {0ull, 1ull, 1ull << 24, 2ull << 24, ~0ull}) {
    world.feed(1, Verified{{ticket, {}}, true});
    world.feed(1, Verified{{ticket, {}}, false});
  }
  world.run(1);
  EXPECT_EQ(world.dag(1).stats().blocks_accepted, accepted);
  EXPECT_EQ(world.dag(1).stats().refused, 0u);
  EXPECT_EQ(world.dag(1).footprint().pending, 0u);
}

}  // namespace
}  // namespace thresher::dag
