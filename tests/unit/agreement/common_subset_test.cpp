// The common subset: whose payloads are in it, what external validity keeps out, restarts, bounds.
#include "thresher/protocols/agreement/common_subset.hpp"

#include <gtest/gtest.h>

#include <map>

#include "../../timed.hpp"
#include "thresher/protocols/agreement/bca_agreement.hpp"
#include "thresher/protocols/broadcast/bracha.hpp"
#include "thresher/protocols/coin/ideal_coin.hpp"

namespace thresher {
namespace {

using Node = CommonSubset<Bracha, BcaAgreement>;
using Entries = std::map<std::uint16_t, std::string>;

class Nodes {
 public:
  explicit Nodes(std::uint32_t n, std::uint64_t seed = 1, subset::Valid valid = {})
      : net(n,
            [=](NodeId id) {
              const Committee c = *Committee::of(n);
              return Node(
                  {.committee = c,
                   .self = id,
                   .coin = std::make_shared<coin::IdealCoin>(c.at_least(kValidity), id, seed),
                   .window = 4,
                   .payload_bytes = 64,
                   .valid = valid});
            }),
        output(n) {
    net.delivered = [this](std::uint16_t i, const subset::Output& out) {
      Entries entries;
      for (const subset::Entry& e : out.entries) {
        const ByteView bytes = e.payload.view();
        entries[e.origin.value] = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
      }
      const auto [it, fresh] = output[i].emplace(out.epoch, entries);
      EXPECT_TRUE(fresh || it->second == entries) << "a restarted node said something else";
    };
  }
  void enter(std::uint16_t i, std::uint64_t epoch, const std::string& text) {
    net.feed(i, Requested<subset::Submit>{{epoch, Bytes::copy_of(as_view(text))}});
  }
  void expect_alike(std::uint64_t epoch, const std::vector<std::uint16_t>& among) {
    for (const std::uint16_t i : among) {
      ASSERT_TRUE(output[i].contains(epoch)) << "node " << i << ", epoch " << epoch;
      EXPECT_EQ(output[i].at(epoch), output[among[0]].at(epoch));
    }
  }

  Timed<Node> net;
  std::vector<std::map<std::uint64_t, Entries>> output;
};

TEST(CommonSubset, HasEverybodysPayloadWhenAllGoesWell) {
  Nodes run(4);
  for (std::uint16_t i = 0; i < 4; ++i) run.enter(i, 0, "of " + std::to_string(i));
  run.net.run_until(100 * kDelta);
  run.expect_alike(0, {0, 1, 2, 3});
  EXPECT_EQ(run.output[0].at(0), (Entries{{0, "of 0"}, {1, "of 1"}, {2, "of 2"}, {3, "of 3"}}));
}

TEST(CommonSubset, WaitsForNobodyAndGivesToWhoEntersNothing) {
  Nodes run(7);
  run.net.kill(6);
  for (std::uint16_t i = 0; i < 5; ++i) run.enter(i, 0, "x");
  run.net.run_until(200 * kDelta);
  run.expect_alike(0, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(run.output[5].at(0).size(), 5u);
}

TEST(CommonSubset, WhatIsNotValidStaysOut) {
  Nodes run(4, 2, [](std::uint64_t, NodeId, ByteView payload) {
    return payload.size() > 0 && payload[0] == std::byte{'g'};
  });
  run.enter(0, 0, "bad");
  for (std::uint16_t i = 1; i < 4; ++i) run.enter(i, 0, "good");
  run.net.run_until(200 * kDelta);
  run.expect_alike(0, {0, 1, 2, 3});
  EXPECT_FALSE(run.output[1].at(0).contains(0));
}

// A node that comes back at any time outputs what the others do.
TEST(CommonSubset, ARestartAtAnyTimeChangesNothing) {
  for (std::uint64_t at = 100; at < 6000; at += 350) {
    Nodes run(4, at);
    for (std::uint16_t i = 0; i < 4; ++i) run.enter(i, 0, "a");
    for (std::uint16_t i = 0; i < 4; ++i) run.enter(i, 1, "b");
    run.net.run_until(at);
    run.net.restart(2);
    run.net.run_until(at + 300 * kDelta);
    run.expect_alike(0, {0, 1, 2, 3});
    run.expect_alike(1, {0, 1, 2, 3});
    EXPECT_TRUE(run.net.node(2).submitted(1));
  }
}

TEST(CommonSubset, RefusesWhatIsOutOfReachOrTooLate) {
  Nodes run(4);
  const auto refused = [&] { return run.net.node(0).refused(); };
  run.enter(0, 4, "beyond the window");
  EXPECT_EQ(refused(), 1u);
  run.enter(0, 1, "an epoch");
  run.enter(0, 1, "again");
  run.enter(0, 0, "an earlier one");
  EXPECT_EQ(refused(), 3u);
  run.enter(0, 2, std::string(65, 'x'));
  EXPECT_EQ(refused(), 4u);
}

// Epochs go on for ever, with a window of four, when the owner forgets.
TEST(CommonSubset, GoesOnWhenItsOwnerForgets) {
  Nodes run(4);
  for (std::uint64_t epoch = 0; epoch < 20; ++epoch) {
    for (std::uint16_t i = 0; i < 4; ++i) {
      if (epoch > 2)
        run.net.ask(i, [&](Node& n, Node::Fx& out) { n.forget_below(epoch - 2, out); });
      run.enter(i, epoch, "e" + std::to_string(epoch));
    }
    run.net.run_until(run.net.now() + 100 * kDelta);
    run.expect_alike(epoch, {0, 1, 2, 3});
  }
  const auto held = run.net.node(0).footprint();
  const auto most = run.net.node(0).most_held();
  EXPECT_LE(held.broadcast.instances, most.broadcast.instances);
  EXPECT_LE(held.agreement.instances, most.agreement.instances);
  EXPECT_EQ(run.net.node(0).floor(), 17u);
}

}  // namespace
}  // namespace thresher
