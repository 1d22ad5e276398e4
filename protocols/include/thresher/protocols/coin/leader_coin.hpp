// A coin that names leaders, as a child of the node that needs them: its shares travel among the
// node's messages, its timers come back through a hop.
//
//   for (const Tossed& t : feed(coin, Requested<Toss>{{slot}}, kCoinHop, fx))
//     leaders[t.instance] = leader_named(t.value, committee);
//
// Guarantees: those of ThresholdCoin. Keeps nothing.
#pragma once

#include <utility>
#include <vector>

#include "thresher/core/compose.hpp"
#include "thresher/protocols/coin/threshold_coin.hpp"

namespace thresher::coin {

/// Steps the coin with `input`; what it sends and arms goes to `fx` behind `hop`, what it tossed is
/// returned. Pre: a message of `Fx` can be made of a Share.
template <class Input, class M, class O>
std::vector<Tossed> feed(ThresholdCoin& coin, const Input& input, std::uint32_t hop,
                         Effects<M, O>& fx) {
  ThresholdCoin::Fx child;
  coin.on(input, child);
  std::vector<Tossed> out;
  lift(
      child, fx, hop, [](const Share& share) { return M(share); },
      [&](const Tossed& tossed) { out.push_back(tossed); });
  return out;
}

/// The node that a value names: each is equally likely.
inline NodeId leader_named(const Digest& value, const Committee& committee) {
  return NodeId{static_cast<std::uint16_t>(value.prefix() % committee.size())};
}

}  // namespace thresher::coin
