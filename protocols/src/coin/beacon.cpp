#include "thresher/protocols/coin/beacon.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace thresher::coin {
namespace {
constexpr std::uint32_t kCoinHop = 0;
constexpr TimerId kPause{1, {}};
}  // namespace

Beacon::Beacon(BeaconConfig config)
    : config_(std::move(config)),
      coin_(config_.coin),
      spoken_(config_.coin.committee.size()),
      next_(config_.first) {}

void Beacon::on(const Start&, Fx& fx) {
  started_ = true;
  toss_up_to(std::max(next_ + 1, vouched()), fx);
}

void Beacon::on(const Received<Share>& event, Fx& fx) {
  ThresholdCoin::Fx child;
  coin_.on(event, child);
  absorb(child, fx);
  if (!config_.coin.committee.contains(event.from) || event.from == config_.coin.self) return;
  std::uint64_t& spoken = spoken_[event.from.value];
  // The last number has no successor, and no round is so far.
  if (event.message.instance == ~std::uint64_t{0} || event.message.instance < spoken) return;
  spoken = event.message.instance + 1;
  if (started_) toss_up_to(vouched(), fx);
}

void Beacon::on(const Expired& event, Fx& fx) {
  if (event.id == kPause) return toss_up_to(due_, fx);
  TimerId id = event.id;
  if (id.route.depth == 0) return;
  (void)pop_hop(id.route);
  ThresholdCoin::Fx child;
  coin_.on(Expired{id}, child);
  absorb(child, fx);
}

// Below what f+1 peers spoke of, so a correct one: its rounds may be revealed.
std::uint64_t Beacon::vouched() const {
  auto spoken = spoken_;
  const std::size_t at = config_.coin.committee.at_least(kValidity) - 1;
  std::nth_element(spoken.begin(), spoken.begin() + static_cast<std::ptrdiff_t>(at), spoken.end(),
                   std::greater<>());
  return spoken[at];
}

// All rounds below `end`: peers that lack one of them need this share.
void Beacon::toss_up_to(std::uint64_t end, Fx& fx) {
  if (end <= next_) return;
  if (end - next_ > kCatchUp) next_ = end - kCatchUp;
  while (next_ < end) {
    ThresholdCoin::Fx child;
    coin_.on(Requested<Toss>{{next_++}}, child);
    absorb(child, fx);
  }
}

void Beacon::absorb(ThresholdCoin::Fx& child, Fx& fx) {
  std::vector<Tossed> tossed;
  lift(
      child, fx, kCoinHop, [](Share share) { return share; },
      [&](Tossed t) { tossed.push_back(std::move(t)); });
  for (Tossed& t : tossed) {
    const bool newest = t.instance + 1 == next_;
    const std::uint64_t end = t.instance + 2;
    fx.deliver(std::move(t));
    if (!newest) continue;
    // Who needs nobody else would never come back from here without a pause.
    if (config_.pause.value == 0 && config_.coin.scheme->threshold() > 1) {
      toss_up_to(end, fx);
    } else {
      due_ = end;
      fx.push(ArmTimer{kPause, std::max(config_.pause, Delay{1})});
    }
  }
}

}  // namespace thresher::coin
