// The engine with nodes that no template made. Each says something ten times; whatever the network
// and liars make of it, a message is dropped once, and nobody hears it after that.
#include "thresher/sim/world.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <vector>

namespace thresher::sim {
namespace {

class Parrots final : public Nodes {
 public:
  Skills skills() const override { return {}; }
  void live_in(World& world) override { world_ = &world; }
  void make(std::uint32_t face, NodeId) override { said_.resize(face + 1); }
  void hear(std::uint32_t, const Payload& message) override {
    ++heard;
    EXPECT_FALSE(dropped_[message.facts.round]) << "heard after its end";
  }
  void notice(std::uint32_t face, const Notice& notice) override {
    const bool speaks =
        std::holds_alternative<Start>(notice) || std::holds_alternative<Expired>(notice);
    if (!speaks || ++said_[face] > kTimes) return;
    last_said = world_->now();
    world_->send(face, std::nullopt, place());
    world_->arm(face, {}, pause);
  }
  void persisted(std::uint32_t, std::uint64_t) override {}
  std::uint64_t round(std::uint32_t) const override { return 0; }
  void drop(std::uint32_t ref) override {
    EXPECT_FALSE(dropped_[ref]) << "dropped twice";
    dropped_[ref] = true;
    ++drops;
  }
  std::optional<Placed> mutated(NodeId, const Payload&, std::string_view, std::uint64_t) override {
    return place();
  }
  Placed adopted(NodeId, const Payload&) override { return place(); }
  std::size_t made() const { return payloads_.size(); }

  Delay pause{1000};  // between two words of a parrot
  Ticks last_said = 0;
  std::uint64_t heard = 0;
  std::size_t drops = 0;

 private:
  static constexpr int kTimes = 10;

  // The round of a message is its ref here.
  Placed place() {
    const auto ref = static_cast<std::uint32_t>(payloads_.size());
    payloads_.emplace_back().facts = {.label = "word", .round = ref, .bytes = 10};
    dropped_.push_back(false);
    return {ref, &payloads_.back()};
  }

  World* world_ = nullptr;
  std::deque<Payload> payloads_;  // by ref; none moves
  std::vector<bool> dropped_;
  std::vector<int> said_;  // by face
};

Experiment seven(std::vector<FaultAction> faults = {}) {
  Experiment e;
  e.n = 7;
  e.f = 2;
  e.network.delta = kUnit;
  e.faults = std::move(faults);
  return e;
}

void run_out(World& world) {
  world.start();
  while (world.next_time() != Calendar::kNever) world.run(world.next_time(), ~Ticks{0});
}

TEST(World, ABroadcastIsHeardByAllOthersAndDroppedOnce) {
  Parrots parrots;
  World world(parrots, seven(), nullptr);
  run_out(world);
  EXPECT_EQ(parrots.made(), 70U);
  EXPECT_EQ(parrots.heard, 70U * 6);
  EXPECT_EQ(world.messages(), parrots.heard);
  EXPECT_EQ(parrots.drops, parrots.made());
}

TEST(World, WhatTheNetworkAndLiarsMakeOfAMessageIsDroppedToo) {
  Experiment e = seven({{.who = {NodeId{1}}, .what = FaultKind::kEquivocate},
                        {.who = {NodeId{2}}, .what = FaultKind::kMutate},
                        {.who = {NodeId{2}}, .what = FaultKind::kFlood, .amount = 3},
                        {.who = {NodeId{3}}, .what = FaultKind::kTwins},
                        {.who = {NodeId{4}}, .what = FaultKind::kSilent}});
  e.beyond_f = true;
  e.network.loss_ppm = 100'000;
  e.network.duplicate_ppm = 100'000;
  Parrots parrots;
  World world(parrots, e, nullptr);
  run_out(world);
  EXPECT_GT(parrots.made(), 80U);
  EXPECT_EQ(parrots.drops, parrots.made());
}

// In rounds too: what a node does next in the same instant is not a round later.
TEST(World, ATimerOfNoLengthRunsOutInItsInstant) {
  for (const Engine engine : {Engine::kRounds, Engine::kEvents}) {
    for (const std::uint64_t pause : {0, 1}) {
      Experiment e = seven();
      e.engine = engine;
      Parrots parrots;
      parrots.pause = Delay{pause};
      World world(parrots, e, nullptr);
      run_out(world);
      EXPECT_EQ(parrots.heard, 70U * 6);
      EXPECT_EQ(parrots.last_said == 0, pause == 0);
    }
  }
}

TEST(World, NodesThatRunApartDropTheSame) {
  Experiment e = seven();
  e.engine = Engine::kEvents;
  e.network.delay = {DelayLaw::Kind::kUniform, 75 * kUnit, 0, 50 * kUnit, 100 * kUnit};
  e.network.delta = 150 * kUnit;
  Parrots parrots;
  World world(parrots, e, nullptr);
  run_out(world);
  EXPECT_EQ(parrots.heard, 70U * 6);
  EXPECT_EQ(parrots.drops, parrots.made());
}

}  // namespace
}  // namespace thresher::sim
