// One PBFT node alone: when it leaves a view, what it takes over, and what it starts with.
#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include "thresher/core/transcript.hpp"
#include "thresher/protocols/order/pbft.hpp"

namespace thresher {
namespace {

constexpr TimerId kProgress{2, {}};
constexpr std::uint16_t kSelf = 0;
constexpr std::uint16_t kLiar = 3;

class Alone {
 public:
  explicit Alone(const Pbft::Config& config) : node_(config) {}

  void feed(const InputOf<Pbft>& input) {
    Pbft::Fx fx;
    step(node_, input, fx);
    for (const auto& effect : fx.list()) {
      const auto* b = std::get_if<Broadcast<Pbft::Message>>(&effect);
      const auto* inner = b == nullptr ? nullptr : std::get_if<Bracha::Message>(&b->message);
      const auto* init = inner == nullptr ? nullptr : std::get_if<bracha::Init>(inner);
      if (init != nullptr) change = *init;
    }
  }
  void say(std::uint16_t from, Pbft::Message m) {
    feed(Received<Pbft::Message>{NodeId{from}, std::move(m)});
  }
  /// Two of the others, and this node, broadcast its own view change.
  void deliver_own_change() {
    const bracha::Init own = *change;
    for (const auto c : {bracha::kEcho, bracha::kReadied}) {
      for (const std::uint16_t from : {std::uint16_t{1}, std::uint16_t{2}})
        say(from, bracha::Statement{own.instance, c, hash(own.payload.view())});
    }
  }
  void decide(std::uint64_t slot) {
    for (const std::uint16_t from : {std::uint16_t{1}, std::uint16_t{2}})
      say(from, pbft::Ordered{slot, hash(value(slot).view())});
    say(2, pbft::Fetched{slot, value(slot)});
  }
  static Bytes value(std::uint64_t slot) { return Bytes::from(Writer().u64(slot).take()); }

  const Pbft& node() const { return node_; }
  std::optional<bracha::Init> change;  ///< the last view change of its own

 private:
  Pbft node_;
};

// R7: a node that is alone in its view waits there. It counted itself twice once its own view
// change was delivered, and with one liar's word for a third it ran through the views by itself.
TEST(PbftViews, ANodeCountsItselfOnceAmongThoseInItsView) {
  Alone t({.committee = *Committee::of(4), .self = NodeId{kSelf}});
  t.feed(Start{1});
  t.feed(Requested<Pbft::Request>{{Alone::value(7)}});
  for (int tick = 0; tick < 20; ++tick) t.feed(Expired{kProgress});
  ASSERT_EQ(t.node().view(), 2u);
  ASSERT_TRUE(t.change);
  t.deliver_own_change();
  t.say(kLiar, pbft::Want{2, 0});
  for (int tick = 0; tick < 40; ++tick) t.feed(Expired{kProgress});
  EXPECT_EQ(t.node().view(), 2u);
  t.say(1, pbft::Want{2, 0});
  for (int tick = 0; tick < 40; ++tick) t.feed(Expired{kProgress});
  EXPECT_EQ(t.node().view(), 3u) << "with a quorum there its clock runs";
}

// A node that was killed between its record of a view and that of what it forgets of broadcasts:
// the number of its view change was too far away for it to broadcast one.
TEST(PbftViews, ARestartedNodeForgetsTheBroadcastsOfViewsThatAreOver) {
  constexpr std::uint64_t kFar = 50;
  constexpr std::uint32_t kViewTable = 11;
  Alone t({.committee = *Committee::of(4), .self = NodeId{kSelf}});
  t.feed(Restored{kViewTable,
                  Bytes::from(Writer().u8(0).take()),
                  Bytes::from(Writer().u64(kFar + 1).u64(0).take()),
                  {}});
  t.feed(Start{1});
  EXPECT_EQ(t.node().view(), kFar + 1);
  ASSERT_TRUE(t.change);
  EXPECT_EQ(t.change->instance.number, kFar - 1);
}

// Slots that are decided ahead of others have no place in a log that its host moved past them.
TEST(PbftCopies, WhatWasDecidedBeforeTheLogWasTakenOverIsForgotten) {
  constexpr std::uint64_t kTaken = 10, kEnd = 80;
  Alone t({.committee = *Committee::of(4), .self = NodeId{kSelf}, .window = 8, .history = 32});
  t.feed(Start{1});
  t.decide(5);
  EXPECT_EQ(t.node().delivered(), 0u);
  t.feed(Restored{pbft::kDecisions, pbft::decision_key(kTaken),
                  Bytes::copy_of(as_view(pbft::kDelivered)), Alone::value(kTaken)});
  for (std::uint64_t slot = kTaken + 1; slot < kEnd; ++slot) t.decide(slot);
  EXPECT_EQ(t.node().delivered(), kEnd);
}

}  // namespace
}  // namespace thresher
