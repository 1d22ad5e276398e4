// The simulated world alone, under a protocol small enough to know every delivery by heart.
#include "thresher/sim/world.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace thresher::sim {
namespace {

/// Sends one number to the node a request names, and delivers nothing.
struct Courier {
  struct Message {
    std::uint32_t number = 0;
  };
  struct Output {};
  struct Request {
    std::optional<NodeId> to;
  };
  std::uint32_t received = 0;

  void on(const Received<Message>& m, EffectsOf<Courier>&) { received += m.message.number; }
  void on(const Requested<Request>& r, EffectsOf<Courier>& fx) {
    if (r.request.to) fx.send(*r.request.to, Message{1});
  }
};

/// Nodes 0 and 1 are both asked; only `sender` has something to send, to node 2.
Digest letter_from(NodeId sender, std::uint64_t ticks) {
  World<Courier> world(Plan{}, [](NodeId) { return Courier{}; });
  for (const NodeId id : {NodeId{0}, NodeId{1}}) {
    Courier::Request request;
    if (id == sender) request.to = NodeId{2};
    world.request(id, request);
  }
  world.run_until([&] { return world.now() >= ticks; });
  EXPECT_EQ(world.messages(), ticks > 1 ? 1U : 0U);
  EXPECT_EQ(world.node(NodeId{2}).received, ticks > 1 ? 1U : 0U);
  return world.trace_hash();
}

TEST(World, EqualRunsHaveEqualTraceHashes) {
  EXPECT_EQ(letter_from(NodeId{0}, 4), letter_from(NodeId{0}, 4));
}

TEST(World, TheTraceHashTellsSendersApart) {
  EXPECT_NE(letter_from(NodeId{0}, 4), letter_from(NodeId{1}, 4));
}

TEST(World, ADeliveryMovesTheTraceHash) {
  EXPECT_NE(letter_from(NodeId{0}, 1), letter_from(NodeId{0}, 4));
}

}  // namespace
}  // namespace thresher::sim
