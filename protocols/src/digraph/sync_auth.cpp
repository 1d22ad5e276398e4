#include "thresher/protocols/digraph/sync_auth.hpp"

#include <algorithm>
#include <utility>

namespace thresher::digraph {
namespace {

constexpr std::uint32_t kBegan = 1;  // table: this node has taken part
constexpr TimerId kRound{};

}  // namespace

Digest relay_digest(const ChainContext& chain, Phase phase, NodeId origin, const Bytes& content) {
  Transcript t("thresher/sync-auth/1", chain);
  t.u8(static_cast<std::uint8_t>(phase)).u16(origin.value).bytes(content.view());
  return t.digest();
}

Bytes content_of(Value input) {
  Writer w;
  w.u64(input);
  return Bytes::from(w.take());
}

Bytes content_of(const Inputs& heard) {
  Writer w;
  for (const Heard& h : heard) w.u8(static_cast<std::uint8_t>(h.count)).u64(h.value);
  return Bytes::from(w.take());
}

std::optional<Value> read_input(const Bytes& content) {
  Reader in(content.view());
  const Value value = in.u64();
  return in.done() ? std::optional(value) : std::nullopt;
}

std::optional<Inputs> read_statement(const Bytes& content, std::uint32_t nodes) {
  Reader in(content.view());
  Inputs out(nodes);
  for (Heard& h : out) {
    const std::uint8_t count = in.u8();
    h.value = in.u64();
    if (count > static_cast<std::uint8_t>(Heard::Count::kSeveral)) return std::nullopt;
    h.count = static_cast<Heard::Count>(count);
    if (h.count != Heard::Count::kOne && h.value != 0) return std::nullopt;
  }
  return in.done() ? std::optional(out) : std::nullopt;
}

SyncAuth::SyncAuth(Config config) : config_(std::move(config)) {
  for (Flood& f : floods_) f.accepted.resize(config_.graph.size());
}

void SyncAuth::on(const Start&, Fx& fx) {
  if (restarted_) return;
  fx.push(Persist{kBegan, content_of(Value{0}), content_of(Value{1}), {}, false});
  round_ = 1;
  fx.push(ArmTimer{kRound, config_.round});
  say(Phase::kInputs, content_of(config_.input), fx);
}

// R1, R2: the phases have n - 1 rounds each. R3 and R4 follow.
void SyncAuth::on(const Expired&, Fx& fx) {
  if (restarted_ || decided_) return;
  ++round_;
  if (round_ == rounds() + 1) say(Phase::kStatements, content_of(heard()), fx);
  if (round_ <= 2 * rounds()) {
    fx.push(ArmTimer{kRound, config_.round});
    return;
  }
  const auto decision =
      plausible_decision(config_.graph, config_.faults, config_.self, statements());
  decided_ = decision.value_or(kDefaultValue);
  fx.deliver({*decided_, decision.has_value()});
}

// R1: two inputs of an origin are kept, and no more.
bool SyncAuth::wanted(Phase phase, NodeId origin, const Bytes& content) const {
  const auto& kept = flood(phase).accepted[origin.value];
  return kept.size() < most_kept(phase) &&
         std::find(kept.begin(), kept.end(), content) == kept.end();
}

bool SyncAuth::well_formed(NodeId from, const Relay& m) const {
  const std::uint32_t n = config_.graph.size();
  if (from.value >= n || m.origin.value >= n || !config_.graph.has(from, config_.self))
    return false;
  if (!m.list || !m.list->complete() || !m.list->signers.below(n)) return false;
  if (!m.list->signers.contains(m.origin)) return false;
  if (m.phase == Phase::kInputs) {
    return m.list->signers.contains(from) && read_input(m.content).has_value();
  }
  return m.phase == Phase::kStatements && m.list->signers.size() == 1 &&
         read_statement(m.content, n).has_value();
}

// R1. An input with fewer signers than rounds was kept back, and might not reach all any more.
bool SyncAuth::is_late(const Relay& m) const {
  return m.phase == Phase::kInputs && m.list->signers.size() < round_;
}

void SyncAuth::on(const Received<Message>& received, Fx& fx) {
  const Relay& m = received.message;
  if (restarted_ || decided_) return;
  if (!well_formed(received.from, m)) {
    ++refused_;
    return;
  }
  // Inputs that it signed itself come back to it from everywhere.
  if (m.list->signers.contains(config_.self) || !wanted(m.phase, m.origin, m.content)) return;
  std::uint32_t& offers = flood(m.phase).offers[{received.from, m.origin}];
  if (is_late(m) || offers == most_offers(m.phase)) {
    late_ += is_late(m) ? 1 : 0;
    ++refused_;
    return;
  }
  ++offers;
  const Ticket ticket{next_ticket_++};
  asked_[ticket] = m;
  fx.push(VerifyAll{ticket, relay_digest(config_.chain, m.phase, m.origin, m.content), m.list});
}

void SyncAuth::on(const Verified& v, Fx& fx) {
  const auto it = asked_.find(v.ticket);
  if (it == asked_.end()) return;
  Relay relay = std::move(it->second);
  asked_.erase(it);
  if (!v.ok) {
    ++refused_;
  } else if (!decided_ && wanted(relay.phase, relay.origin, relay.content)) {
    accept(std::move(relay), fx);
  }
}

void SyncAuth::say(Phase phase, Bytes content, Fx& fx) {
  accept({phase, config_.self, std::move(content), std::make_shared<const SignatureList>()}, fx);
}

// R1: an accepted input is signed and passed on. R2: a statement is passed on as it is.
void SyncAuth::accept(Relay relay, Fx& fx) {
  flood(relay.phase).accepted[relay.origin.value].push_back(relay.content);
  if (relay.phase == Phase::kStatements && relay.origin != config_.self) return pass_on(relay, fx);
  const Ticket ticket{next_ticket_++};
  fx.push(Endorse{ticket, relay_digest(config_.chain, relay.phase, relay.origin, relay.content)});
  signing_[ticket] = std::move(relay);
}

void SyncAuth::on(const Endorsed& e, Fx& fx) {
  const auto it = signing_.find(e.ticket);
  if (it == signing_.end()) return;
  Relay relay = std::move(it->second);
  signing_.erase(it);
  auto list = std::make_shared<SignatureList>();
  list->signers = relay.list->signers;
  list->signers.insert(config_.self);
  std::map<NodeId, Signature> signatures{{config_.self, e.signature}};
  if (relay.list->complete()) {
    relay.list->for_each([&](NodeId signer, const Signature& s) { signatures[signer] = s; });
  }
  for (const auto& [signer, signature] : signatures) list->signatures.push_back(signature);
  relay.list = std::move(list);
  pass_on(relay, fx);
}

void SyncAuth::pass_on(const Relay& relay, Fx& fx) {
  for_each(config_.graph.out(config_.self),
           [&](std::uint32_t to) { fx.send(NodeId{static_cast<std::uint16_t>(to)}, relay); });
}

// R2
Inputs SyncAuth::heard() const {
  Inputs out(config_.graph.size());
  for (std::uint32_t origin = 0; origin < config_.graph.size(); ++origin) {
    const auto& kept = flood(Phase::kInputs).accepted[origin];
    if (kept.size() > 1) out[origin].count = Heard::Count::kSeveral;
    if (kept.size() == 1) out[origin] = {Heard::Count::kOne, *read_input(kept.front())};
  }
  return out;
}

Statements SyncAuth::statements() const {
  Statements out(config_.graph.size());
  for (std::uint32_t origin = 0; origin < config_.graph.size(); ++origin) {
    const auto& kept = flood(Phase::kStatements).accepted[origin];
    if (!kept.empty()) out[origin] = read_statement(kept.front(), config_.graph.size());
  }
  return out;
}

Mask SyncAuth::two_faced() const {
  Mask out = 0;
  for (std::uint32_t origin = 0; origin < config_.graph.size(); ++origin) {
    if (flood(Phase::kInputs).accepted[origin].size() > 1) out |= bit(origin);
  }
  return out;
}

std::uint64_t SyncAuth::held() const {
  std::uint64_t held = asked_.size() + signing_.size();
  for (const Flood& f : floods_) {
    for (const auto& kept : f.accepted) held += kept.size();
  }
  return held;
}

std::uint64_t SyncAuth::most_held(const Config& config) {
  const std::uint64_t n = config.graph.size();
  std::uint64_t most = 0;
  for (const Phase phase : {Phase::kInputs, Phase::kStatements}) {
    most += n * (2 * most_kept(phase) + (n - 1) * most_offers(phase));
  }
  return most;
}

}  // namespace thresher::digraph
