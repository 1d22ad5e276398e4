// A node of a key generation stops right after each of its records in turn: the record is on disk,
// what it was written for was not sent. It comes back with its disk, and all have one key.
#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "../../timed.hpp"
#include "generation.hpp"

namespace thresher {
namespace {

using generation::kNodes;
using generation::Node;

constexpr std::uint16_t kVictim = 2;

Node fresh(NodeId id) {
  return generation::node_with(id, generation::scheme_of(id));
}

struct Generated {
  std::map<std::uint16_t, crypto::GeneratedKey> keys;
  std::uint64_t records = 0;  // that the victim wrote before it stopped
};

/// The victim stops after its `last`-th record; empty: never.
Generated run_with(std::optional<std::uint64_t> last, std::uint64_t away) {
  Generated out;
  bool stopped = false;
  Timed<Node> net(kNodes, fresh);
  const auto stop = [&] {
    stopped = true;
    net.at(net.now(), [&] { net.kill(kVictim); });
    net.at(net.now() + away, [&] {
      stopped = false;
      last.reset();
      net.restart(kVictim);
    });
  };
  net.link = [&](auto from, auto, const auto&) { return stopped && from == kVictim ? kLost : 300; };
  net.delivered = [&](std::uint16_t i, const crypto::GeneratedKey& key) {
    if (i == kVictim && stopped) return;
    const auto [old, first] = out.keys.emplace(i, key);
    EXPECT_EQ(old->second.keys.nodes, key.keys.nodes);
  };
  net.written = [&](std::uint16_t i, const Persist&) {
    if (i == kVictim && ++out.records == last) stop();
  };
  net.run_until(300 * kDelta);
  return out;
}

TEST(KeyGenerationRecords, AStopAfterAnyOfThemIsHarmless) {
  const std::uint64_t records = run_with({}, 0).records;
  ASSERT_GT(records, 10u);
  // The first ones are written while the network is made, before the test can stop anybody.
  for (std::uint64_t last = 1; last <= records; ++last) {
    const Generated run = run_with(last, (last % 3) * 5 * kDelta + 1);
    ASSERT_EQ(run.keys.size(), kNodes) << "stopped after record " << last << " of " << records;
    for (const auto& [node, key] : run.keys) {
      EXPECT_EQ(key.group, run.keys.at(0).group);
      EXPECT_EQ(key.keys.nodes, run.keys.at(0).keys.nodes);
      EXPECT_EQ(crypto::ristretto_base(*key.share), key.keys.nodes[node]);
    }
  }
}

}  // namespace
}  // namespace thresher
