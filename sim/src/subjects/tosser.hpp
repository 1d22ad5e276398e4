// A beacon in the simulator that remembers what it tossed, for coins whose values may differ: how
// often they do is measured.
//
//   using Node = Tosser<coin::VrfCoin, coin_bit_of>;
//   return alike(nodes);                         // Subject::measures
//
// Guarantees: none; what is measured says how often all agreed.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "thresher/core/compose.hpp"
#include "thresher/protocols/coin/beacon.hpp"
#include "thresher/sim/outcome.hpp"

namespace thresher::sim {

/// `kRead`: what a value tosses, by which nodes are compared. Its last bit is counted.
template <class CoinType, std::uint64_t (*kRead)(const Digest&)>
class Tosser {
 public:
  using Coin = coin::BasicBeacon<CoinType>;
  using Message = typename Coin::Message;
  using Request = typename Coin::Request;
  using Output = typename Coin::Output;
  using Fx = typename Coin::Fx;

  explicit Tosser(coin::BasicBeaconConfig<CoinType> config) : beacon_(std::move(config)) {}

  template <class Input>
  requires requires(Coin c, const Input& input, Fx& fx) { c.on(input, fx); }
  void on(const Input& input, Fx& fx) {
    Fx child;
    beacon_.on(input, child);
    for (auto& effect : child.list()) {
      if (const auto* tossed = std::get_if<Deliver<Output>>(&effect))
        tossed_[tossed->output.instance] = kRead(tossed->output.value);
      fx.push(std::move(effect));
    }
  }
  const Coin& beacon() const { return beacon_; }
  const CoinType& coin() const { return beacon_.coin(); }
  const std::map<std::uint64_t, std::uint64_t>& tossed() const { return tossed_; }

 private:
  Coin beacon_;
  std::map<std::uint64_t, std::uint64_t> tossed_;
};

/// Tosses whose value all these nodes have, those in which it is the same, and the ones of it.
template <class Node>
std::vector<Measure> alike(const std::vector<const Node*>& nodes) {
  double tosses = 0;
  double same_ones = 0;
  double ones = 0;
  for (const auto& [instance, value] : nodes.front()->tossed()) {
    bool all = true;
    bool same = true;
    for (const Node* node : nodes) {
      const auto found = node->tossed().find(instance);
      all = all && found != node->tossed().end();
      same = same && all && found->second == value;
    }
    tosses += all ? 1 : 0;
    same_ones += same ? 1 : 0;
    ones += same && value % 2 == 1 ? 1 : 0;
  }
  return {{"tosses", tosses}, {"alike", same_ones}, {"ones", ones}};
}

}  // namespace thresher::sim
