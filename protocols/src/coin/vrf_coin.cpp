#include "thresher/protocols/coin/vrf_coin.hpp"

#include <algorithm>
#include <utility>

#include "thresher/core/assert.hpp"
#include "thresher/core/node_ids.hpp"

namespace thresher::coin {
namespace {

constexpr TimerId kResend{1, {}};

Bytes key_of(std::uint64_t instance) {
  return Bytes::from(Writer().u64(instance).take());
}

crypto::VrfProof read_proof(Reader& in) {
  crypto::VrfProof out{};
  const ByteView raw = in.bytes(out.size());
  std::copy(raw.begin(), raw.end(), out.begin());
  return out;
}

}  // namespace

std::uint64_t instance_of(const VrfMessage& message) {
  return std::visit([](const auto& m) { return m.instance; }, message);
}

void encode_vrf(const VrfMessage& message, Writer& out) {
  if (const auto* ticket = std::get_if<Ticket>(&message)) {
    out.u8(0).u64(ticket->instance).bytes(ticket->proof).u8(ticket->asks ? 1 : 0);
  } else {
    const auto& lowest = std::get<Lowest>(message);
    out.u8(1).u64(lowest.instance).u16(lowest.origin.value).bytes(lowest.proof);
  }
}

std::optional<VrfMessage> decode_vrf(Reader& in) {
  const std::uint8_t kind = in.u8();
  const std::uint64_t instance = in.u64();
  if (kind == 0) {
    Ticket out{instance, read_proof(in), false};
    const std::uint8_t asks = in.u8();
    out.asks = asks == 1;
    return in.done() && asks <= 1 ? std::optional<VrfMessage>(out) : std::nullopt;
  }
  const NodeId origin{in.u16()};
  const Lowest out{instance, origin, read_proof(in)};
  return kind == 1 && in.done() ? std::optional<VrfMessage>(out) : std::nullopt;
}

// n-f correct nodes have n-f tickets each when they say Lowest. A ticket that f+1 of them have is
// common: a node that hears n-f Lowest hears one of these. Counting pairs, (n-f)^2 <= c (n-f) +
// (n-c) f for c common ones; f of them may be liars', who know their values before they show them.
std::uint64_t agreement_bound_ppm(const Committee& committee) {
  const std::uint64_t n = committee.size();
  const std::uint64_t f = committee.faults();
  const std::uint64_t pairs = (n - f) * (n - f) - n * f;
  const std::uint64_t common = (pairs + n - 2 * f - 1) / (n - 2 * f);
  return common > f ? 1'000'000 * (common - f) / n : 0;
}

VrfCoin::VrfCoin(Config config) : config_(std::move(config)), early_(config_.committee.size()) {
  THRESHER_ASSERT(config_.scheme != nullptr, "a coin has a scheme");
}

void VrfCoin::on(const Restored& e, Fx&) {
  Reader key(e.key.view());
  Reader value(e.value.view());
  const std::uint64_t instance = key.u64();
  Pending& toss = tosses_[instance];
  highest_ = std::max(highest_, instance);
  if (e.table == kValues) toss.value = value.digest();
  if (e.table != kSaid) return;
  const NodeId origin{value.u16()};
  toss.said = Lowest{instance, origin, read_proof(value)};
}

// V1
void VrfCoin::on(const Requested<Toss>& event, Fx& fx) {
  const std::uint64_t instance = event.request.instance;
  if (instance + config_.keep < highest_) return;
  const auto mine = config_.scheme->draw(instance);
  if (!mine) return;  // an observer: it has nothing to show
  Pending& toss = tosses_[instance];
  if (std::exchange(toss.tossed, true)) return;
  highest_ = std::max(highest_, instance);
  toss.mine = *mine;
  fx.broadcast(Ticket{instance, *mine, false});
  if (toss.said) {
    fx.broadcast(*toss.said);
    count(instance, toss, config_.self, *toss.said, fx);
  }
  if (toss.value) fx.deliver(Tossed{instance, *toss.value});
  count(instance, toss, config_.self, Ticket{instance, *mine, false}, fx);
  for (const NodeId i : node_ids(config_.committee.size())) {
    for (const std::size_t kind : {0u, 1u}) {
      if (const auto early = early_.take({instance, i, kind})) count(instance, toss, i, *early, fx);
    }
  }
  forget(fx);
  arm(fx);
}

void VrfCoin::on(const Received<Message>& event, Fx& fx) {
  const std::uint64_t instance = instance_of(event.message);
  if (!config_.committee.contains(event.from) || event.from == config_.self) {
    ++stats_.refused;
    return;
  }
  if (instance + config_.keep < highest_) {
    ++stats_.unused;
    return;
  }
  const auto at = tosses_.find(instance);
  if (at == tosses_.end() || !at->second.tossed) {
    // Not tossed here: the own ticket stays hidden, theirs waits within their quota.
    const Early key{instance, event.from, event.message.index()};
    const auto fresh = early_.insert(event.from, key, event.message);
    if (!fresh || !*fresh) ++stats_.unused;
    return;
  }
  const auto* ticket = std::get_if<Ticket>(&event.message);
  if (ticket != nullptr && ticket->asks) answer(event.from, instance, at->second, fx);
  count(instance, at->second, event.from, event.message, fx);
}

// A ticket is checked once: a proof costs two multiplications, and each Lowest carries one.
const VrfCoin::Drawn* VrfCoin::checked(std::uint64_t instance, Pending& toss, NodeId origin,
                                       const crypto::VrfProof& proof) {
  const auto known = toss.checked.find(origin);
  if (known != toss.checked.end() && known->second.proof == proof) return &known->second;
  const auto value = config_.scheme->check(instance, origin, proof);
  if (!value) return nullptr;
  return &toss.checked.try_emplace(origin, Drawn{origin, proof, *value}).first->second;
}

// V2, V4: each node counts once for each kind, when what it says is right. Nothing more is checked
// for a node that sent something false: to check costs far more than to send.
void VrfCoin::count(std::uint64_t instance, Pending& toss, NodeId from, const Message& message,
                    Fx& fx) {
  const auto* lowest = std::get_if<Lowest>(&message);
  NodeSet& heard = lowest != nullptr ? toss.second : toss.first;
  if (toss.value || heard.contains(from)) return;
  if (toss.liars.contains(from)) {
    ++stats_.refused;
    return;
  }
  const Drawn* drawn = lowest != nullptr
                           ? checked(instance, toss, lowest->origin, lowest->proof)
                           : checked(instance, toss, from, std::get<Ticket>(message).proof);
  if (drawn == nullptr) {
    toss.liars.insert(from);
    ++stats_.refused;
    return;
  }
  heard.insert(from);
  if (!toss.lowest || drawn->value < toss.lowest->value) toss.lowest = *drawn;
  settle(instance, toss, fx);
}

// V3, V4
void VrfCoin::settle(std::uint64_t instance, Pending& toss, Fx& fx) {
  const std::uint32_t enough = config_.committee.at_least(kAvailability);
  if (!toss.said && toss.first.size() >= enough) {
    toss.said = Lowest{instance, toss.lowest->origin, toss.lowest->proof};
    Writer w;
    w.u16(toss.said->origin.value).bytes(toss.said->proof);
    fx.push(Persist{kSaid, key_of(instance), Bytes::from(w.take())});
    fx.broadcast(*toss.said);
    toss.second.insert(config_.self);
  }
  // A node with its value counts no more tickets. Had it not said Lowest by then, it never would,
  // and the others might wait for it.
  if (toss.value || !toss.said || toss.second.size() < enough) return;
  toss.value = toss.lowest->value;
  fx.push(Persist{kValues, key_of(instance), Bytes::copy_of(toss.value->bytes)});
  fx.deliver(Tossed{instance, *toss.value});
}

// V5
void VrfCoin::answer(NodeId to, std::uint64_t instance, const Pending& toss, Fx& fx) const {
  fx.send(to, Ticket{instance, toss.mine, false});
  if (toss.said) fx.send(to, *toss.said);
}

void VrfCoin::on(const Expired& event, Fx& fx) {
  if (event.id != kResend) return;
  armed_ = false;
  for (const auto& [instance, toss] : tosses_) {
    if (!toss.tossed || toss.value) continue;
    fx.broadcast(Ticket{instance, toss.mine, true});
    if (toss.said) fx.broadcast(*toss.said);
  }
  arm(fx);
}

void VrfCoin::arm(Fx& fx) {
  const bool waits = std::any_of(tosses_.begin(), tosses_.end(), [](const auto& toss) {
    return toss.second.tossed && !toss.second.value;
  });
  if (waits && !std::exchange(armed_, true)) fx.push(ArmTimer{kResend, config_.resend});
}

// V6
void VrfCoin::forget(Fx& fx) {
  const std::uint64_t lowest = highest_ > config_.keep ? highest_ - config_.keep : 0;
  for (auto it = tosses_.begin(); it != tosses_.end() && it->first < lowest;
       it = tosses_.erase(it)) {
    for (const Table table : {kSaid, kValues})
      fx.push(Persist{table, key_of(it->first), {}, {}, true});
  }
  early_.erase_below({lowest, NodeId{0}, 0});
}

}  // namespace thresher::coin
