#include "thresher/protocols/coin/threshold_coin.hpp"

#include <algorithm>
#include <utility>

#include "thresher/core/assert.hpp"

namespace thresher::coin {
namespace {
constexpr TimerId kResend{1, {}};
}  // namespace

void encode_share(const Share& share, Writer& out) {
  out.u64(share.instance).bytes(share.share.bytes).u8(share.ask ? 1 : 0);
}

std::optional<Share> decode_share(Reader& in) {
  Share share{in.u64(), {}, false};
  const ByteView raw = in.bytes(share.share.bytes.size());
  const std::uint8_t ask = in.u8();
  if (!in.ok() || ask > 1) return std::nullopt;
  std::copy(raw.begin(), raw.end(), share.share.bytes.begin());
  share.ask = ask == 1;
  return share;
}

ThresholdCoin::ThresholdCoin(Config config)
    : config_(std::move(config)),
      early_(config_.committee.size()),
      served_(config_.committee.size()) {
  THRESHER_ASSERT(config_.scheme != nullptr, "a coin has a scheme");
  stats_.false_shares.resize(config_.committee.size());
}

// R1
void ThresholdCoin::on(const Requested<Toss>& event, Fx& fx) {
  const std::uint64_t instance = event.request.instance;
  if (instance + config_.keep < highest_ || tosses_.contains(instance)) return;
  const auto mine = config_.scheme->share(instance);
  if (!mine) return;  // an observer: it has nothing to reveal
  highest_ = std::max(highest_, instance);
  Pending& toss = tosses_[instance];
  count(toss, config_.self, *mine);
  for (std::uint32_t i = 0; i < config_.committee.size(); ++i) {
    const NodeId from{static_cast<std::uint16_t>(i)};
    if (const auto share = early_.take({instance, from})) count(toss, from, *share);
  }
  fx.broadcast(Share{instance, *mine, false});
  settle(instance, toss, fx);
  forget();
  if (!std::exchange(timer_armed_, true)) fx.push(ArmTimer{kResend, config_.resend});
}

bool ThresholdCoin::is_peer(NodeId from) {
  const bool good = config_.committee.contains(from) && from != config_.self;
  if (!good) ++stats_.refused;
  return good;
}

void ThresholdCoin::on(const Received<Share>& event, Fx& fx) {
  const auto& [instance, share, ask] = event.message;
  if (!is_peer(event.from)) return;
  if (instance + config_.keep < highest_) {
    ++stats_.unused;
    return;
  }
  const auto it = tosses_.find(instance);
  if (it == tosses_.end()) {
    if (instance < settled_) return on(Late{event.from, event.message}, fx);
    return wait(event.from, instance, share);
  }
  if (ask) answer(event.from, instance, it->second.good.front().share, fx);
  if (it->second.done) return;
  if (it->second.heard.contains(event.from)) return repeated(it->second, event.from, share);
  count(it->second, event.from, share);
  settle(instance, it->second, fx);
}

// R6. Nothing of it is kept here, so what a peer makes this node compute is bounded by its answers.
void ThresholdCoin::on(const Late& event, Fx& fx) {
  const auto& [instance, share, ask] = event.share;
  if (tosses_.contains(instance)) return on(Received<Share>{event.from, event.share}, fx);
  if (!is_peer(event.from)) return;
  ++stats_.unused;
  if (!ask || instance + config_.keep < highest_ || served_.used(event.from) >= config_.early)
    return;
  if (const auto mine = config_.scheme->share(instance)) answer(event.from, instance, *mine, fx);
}

// R6. A peer that lacks more gets it in the next period: it asks for the lowest instances first.
void ThresholdCoin::answer(NodeId to, std::uint64_t instance, const crypto::CoinShare& share,
                           Fx& fx) {
  if (served_.used(to) >= config_.early || !served_.take(to)) return;
  serves_ = true;
  fx.send(to, Share{instance, share, false});
  if (!std::exchange(timer_armed_, true)) fx.push(ArmTimer{kResend, config_.resend});
}

// R2. Not tossed here: the own share stays hidden, theirs waits within their quota. A node that
// lags hears of more instances than that from correct nodes.
void ThresholdCoin::wait(NodeId from, std::uint64_t instance, const crypto::CoinShare& share) {
  const auto* first = early_.find({instance, from});
  if (first != nullptr && first->bytes != share.bytes) {
    ++stats_.refused;
    return;
  }
  const bool room = first == nullptr && early_.held_by(from) < config_.early;
  if (!room || !early_.insert(from, {instance, from}, share)) ++stats_.unused;
}

// A node has one share of an instance, and sends it again while it lacks those of others.
void ThresholdCoin::repeated(const Pending& toss, NodeId from, const crypto::CoinShare& share) {
  const auto differs = [&](const std::vector<crypto::CoinClaim>& claims) {
    return std::any_of(claims.begin(), claims.end(), [&](const crypto::CoinClaim& c) {
      return c.from == from && c.share.bytes != share.bytes;
    });
  };
  ++(differs(toss.good) || differs(toss.unverified) ? stats_.refused : stats_.unused);
}

void ThresholdCoin::count(Pending& toss, NodeId from, const crypto::CoinShare& share) {
  toss.heard.insert(from);
  // The own share comes first and needs no proof.
  (from == config_.self ? toss.good : toss.unverified).push_back({from, share});
}

// R3. Shares are verified when they could be enough, all at once.
void ThresholdCoin::settle(std::uint64_t instance, Pending& toss, Fx& fx) {
  const std::size_t needed = config_.scheme->threshold();
  if (toss.done || toss.good.size() + toss.unverified.size() < needed) return;
  if (!toss.unverified.empty()) {
    const auto claims = std::exchange(toss.unverified, {});
    std::vector<std::uint8_t> verdicts(claims.size());
    config_.scheme->verify(instance, claims, verdicts);
    ++stats_.batches;
    for (std::size_t i = 0; i < claims.size(); ++i) {
      if (verdicts[i] != 0) {
        toss.good.push_back(claims[i]);
      } else {
        ++stats_.refused;
        ++stats_.false_shares[claims[i].from.value];
      }
    }
  }
  if (toss.good.size() < needed) return;
  toss.good.resize(needed);
  const auto value = config_.scheme->combine(instance, toss.good);
  if (!value) return;
  toss.done = true;
  auto shares = std::exchange(toss.good, {toss.good.front()});  // the own one, for those that ask
  fx.deliver(Tossed{instance, *value, std::move(shares)});
}

// R2: shares of what is never tossed would keep the places of those that come.
void ThresholdCoin::settle_below(std::uint64_t first) {
  settled_ = std::max(settled_, first);
  early_.erase_below({settled_, NodeId{0}});
}

// R5
void ThresholdCoin::forget() {
  const std::uint64_t lowest = highest_ > config_.keep ? highest_ - config_.keep : 0;
  tosses_.erase(tosses_.begin(), tosses_.lower_bound(lowest));
  early_.erase_below({lowest, NodeId{0}});
}

void ThresholdCoin::forget(std::uint64_t first, std::uint64_t last) {
  tosses_.erase(tosses_.lower_bound(first), tosses_.lower_bound(last));
  std::vector<std::pair<std::uint64_t, NodeId>> dead;
  early_.for_each([&](const auto& key, const crypto::CoinShare&) {
    if (key.first >= first && key.first < last) dead.push_back(key);
  });
  for (const auto& key : dead) (void)early_.take(key);
}

// R4
void ThresholdCoin::on(const Expired& event, Fx& fx) {
  if (event.id != kResend) return;
  timer_armed_ = false;
  if (std::exchange(serves_, false))
    served_ = PeerQuota<kMostEarlyShares>(config_.committee.size());
  for (const auto& [instance, toss] : tosses_) {
    if (toss.done) continue;
    fx.broadcast(Share{instance, toss.good.front().share, true});
    timer_armed_ = true;
  }
  if (timer_armed_) fx.push(ArmTimer{kResend, config_.resend});
}

}  // namespace thresher::coin
