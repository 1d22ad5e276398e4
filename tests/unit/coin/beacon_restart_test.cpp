// All nodes of a beacon went down and come back, each as far as it had come, one not at all.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <optional>

#include "coins.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/protocols/coin/beacon.hpp"

namespace thresher::coin {
namespace {

/// Messages of one link keep their order, links do not wait for each other, nothing is lost.
class Net {
 public:
  Net(const std::vector<BeaconConfig>& configs, std::uint64_t seed) : random_(seed) {
    for (const BeaconConfig& c : configs) nodes_.emplace_back(c);
    links_.resize(nodes_.size() * nodes_.size());
    highest.resize(nodes_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i) feed(i, Start{});
  }
  /// False when no message is on its way.
  bool deliver_one() {
    const std::size_t first = random_.below(links_.size());
    for (std::size_t k = 0; k < links_.size(); ++k) {
      const std::size_t link = (first + k) % links_.size();
      if (links_[link].empty()) continue;
      const Share share = links_[link].front();
      links_[link].pop_front();
      const auto from = static_cast<std::uint16_t>(link / nodes_.size());
      feed(link % nodes_.size(), Received<Share>{NodeId{from}, share});
      return true;
    }
    return false;
  }

  std::vector<std::optional<std::uint64_t>> highest;  // round with a value, by node
  std::uint64_t lowest_said = ~std::uint64_t{0};

 private:
  void feed(std::size_t i, const InputOf<Beacon>& input) {
    Beacon::Fx fx;
    step(nodes_[i], input, fx);
    for (const auto& effect : fx.list()) {
      if (const auto* d = std::get_if<Deliver<Tossed>>(&effect))
        highest[i] = std::max(highest[i].value_or(0), d->output.instance);
      if (const auto* s = std::get_if<Send<Share>>(&effect)) say(i, s->to.value, s->message);
      if (const auto* b = std::get_if<Broadcast<Share>>(&effect)) {
        for (std::size_t to = 0; to < nodes_.size(); ++to) {
          if (to != i) say(i, to, b->message);
        }
      }
    }
  }
  void say(std::size_t from, std::size_t to, const Share& share) {
    lowest_said = std::min(lowest_said, share.instance);
    links_[from * nodes_.size() + to].push_back(share);
  }

  std::vector<Beacon> nodes_;
  std::vector<std::deque<Share>> links_;
  Prng random_;
};

std::vector<BeaconConfig> three_of_four(const std::vector<std::uint64_t>& tossed) {
  const auto schemes = dealt(4, 3);
  std::vector<BeaconConfig> out;
  for (std::uint16_t i = 0; i < 3; ++i) {
    out.push_back(
        {.coin = {.committee = *Committee::of(4), .self = NodeId{i}, .scheme = schemes[i]},
         .tossed = tossed[i]});
  }
  return out;
}

// The one that was ahead has to say again what the others lack: without the fourth they need it.
// That two are more than kCatchUp behind does not come up: a value takes the shares of f+1 correct
// nodes, which recorded that they tossed.
TEST(BeaconRestart, GoesOnFromWhereTheNodesWere) {
  std::uint64_t seed = 0;
  for (const std::vector<std::uint64_t>& tossed :
       std::vector<std::vector<std::uint64_t>>{{5001, 5001, 5001},
                                               {5001, 5000, 5000},
                                               {5001, 4999, 4990},
                                               {5001, 4960, 4950},
                                               {5001, 5001, 0}}) {
    Net net(three_of_four(tossed), ++seed);
    const std::uint64_t goal = tossed[0] + 3;
    const auto there = [&] {
      return std::all_of(net.highest.begin(), net.highest.end(),
                         [&](const auto& round) { return round && *round >= goal; });
    };
    for (int k = 0; k < 5000 && !there(); ++k) ASSERT_TRUE(net.deliver_one()) << seed;
    EXPECT_TRUE(there()) << seed;
  }
}

TEST(BeaconRestart, SaysNothingThatIsLongOver) {
  Net net(three_of_four({5001, 5001, 4990}), 9);
  EXPECT_EQ(net.lowest_said, 4990 - kCatchUp);
}

}  // namespace
}  // namespace thresher::coin
