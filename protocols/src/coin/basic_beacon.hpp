// What a beacon does, for the files that make one of a coin. Private to protocols/.
//
//   template class BasicBeacon<VrfCoin>;
//
// Guarantees: those of beacon.hpp.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>

#include "thresher/core/transcript.hpp"
#include "thresher/protocols/coin/beacon.hpp"

namespace thresher::coin {

inline constexpr std::uint32_t kCoinHop = 0;
inline constexpr TimerId kPauseTimer{1, {}};
template <class Coin>
BasicBeacon<Coin>::BasicBeacon(BasicBeaconConfig<Coin> config)
    : config_(std::move(config)),
      coin_(config_.coin),
      spoken_(config_.coin.committee.size()),
      next_(config_.first) {}

template <class Coin>
void BasicBeacon<Coin>::on(const Restored& record, Fx& fx) {
  if (record.table == kTossedTable) {
    Reader in(record.value.view());
    config_.tossed = std::max(config_.tossed, in.u64());
    return;
  }
  if constexpr (requires(Coin c, typename Coin::Fx none) { c.on(record, none); }) feed(record, fx);
}

template <class Coin>
void BasicBeacon<Coin>::on(const Start& start, Fx& fx) {
  if constexpr (requires(Coin c, typename Coin::Fx none) { c.on(start, none); }) feed(start, fx);
  started_ = true;
  // All nodes may have been down, and then nobody speaks of the rounds that come now.
  if constexpr (requires { coin_.due(); }) config_.tossed = std::max(config_.tossed, coin_.due());
  toss_up_to(std::max({next_ + 1, config_.tossed, vouched()}), fx);
}

template <class Coin>
void BasicBeacon<Coin>::on(const Received<Message>& event, Fx& fx) {
  feed(event, fx);
  if (!config_.coin.committee.contains(event.from) || event.from == config_.coin.self) return;
  std::uint64_t& spoken = spoken_[event.from.value];
  // The last number has no successor, and no round is so far.
  const std::uint64_t instance = instance_of(event.message);
  if (instance == ~std::uint64_t{0} || instance < spoken) return;
  spoken = instance + 1;
  if (started_) toss_up_to(vouched(), fx);
}

template <class Coin>
void BasicBeacon<Coin>::on(const Expired& event, Fx& fx) {
  if (event.id == kPauseTimer) return toss_up_to(due_, fx);
  TimerId id = event.id;
  if (id.route.depth == 0) return;
  (void)pop_hop(id.route);
  feed(Expired{id}, fx);
}

// Below what f+1 peers spoke of, so a correct one: its rounds may be revealed.
template <class Coin>
std::uint64_t BasicBeacon<Coin>::vouched() const {
  auto spoken = spoken_;
  const std::size_t at = config_.coin.committee.at_least(kValidity) - 1;
  std::nth_element(spoken.begin(), spoken.begin() + static_cast<std::ptrdiff_t>(at), spoken.end(),
                   std::greater<>());
  return spoken[at];
}

// All rounds below `end`: peers that lack one of them need what this node says there.
template <class Coin>
void BasicBeacon<Coin>::toss_up_to(std::uint64_t end, Fx& fx) {
  if (end <= next_) return;
  const std::uint64_t kept = caught_up(config_.coin);
  if (end - next_ > kept) {
    next_ = end - kept;
    // Shares of what is passed over would keep the places of those that come.
    if constexpr (requires { coin_.settle_below(next_); }) coin_.settle_below(next_);
  }
  Writer w;
  w.u64(end);
  fx.push(Persist{kTossedTable, {}, Bytes::from(w.take())});
  while (next_ < end) feed(Requested<Toss>{{next_++}}, fx);
}

template <class Coin>
template <class Input>
void BasicBeacon<Coin>::feed(const Input& input, Fx& fx) {
  typename Coin::Fx child;
  coin_.on(input, child);
  std::vector<Tossed> tossed;
  lift(
      child, fx, kCoinHop, [](Message message) { return message; },
      [&](Tossed t) { tossed.push_back(std::move(t)); });
  for (Tossed& t : tossed) {
    const bool newest = t.instance + 1 == next_;
    const std::uint64_t end = t.instance + 2;
    fx.deliver(std::move(t));
    if (!newest) continue;
    // A node that makes values alone would loop here for ever without a pause.
    if (config_.pause.value == 0 && !makes_values_alone(config_.coin)) {
      toss_up_to(end, fx);
    } else {
      due_ = end;
      fx.push(ArmTimer{kPauseTimer, std::max(config_.pause, Delay{1})});
    }
  }
}

}  // namespace thresher::coin
