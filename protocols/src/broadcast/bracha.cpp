#include "thresher/protocols/broadcast/bracha.hpp"

#include <bit>
#include <utility>

#include "thresher/core/transcript.hpp"

namespace thresher {

using namespace bracha;  // NOLINT(google-build-using-namespace): the protocol's own vocabulary

namespace {

/// Tables of durable records: own statements, deliveries, own payloads.
enum Table : std::uint32_t { kStatements = 1, kDeliveries = 2, kOwn = 3 };
constexpr Delay kRepeat{4000};

Bytes key_of(const Instance& i, std::uint8_t counter = 0) {
  Writer w;
  w.u16(i.origin.value).u64(i.number).u8(counter);
  return Bytes::from(w.take());
}

}  // namespace

Bracha::Bracha(Config config) : config_(config), origins_(config_.committee.size()) {}

Bracha::State* Bracha::instance(const Instance& i) {
  if (!config_.committee.contains(i.origin)) return nullptr;
  Origin& origin = origins_[i.origin.value];
  if (i.number < origin.floor || i.number >= origin.floor + 2 * config_.window) return nullptr;
  const auto [it, fresh] = origin.open.try_emplace(i.number);
  if (fresh) {
    for (NodeSet& s : it->second.spoke) s = NodeSet(config_.committee.size());
  }
  return &it->second;
}

void Bracha::restore_statement(const Restored& record) {
  Reader key(record.key.view());
  const Instance i{NodeId{key.u16()}, key.u64()};
  const auto counter = static_cast<Counter>(key.u8());
  Reader value(record.value.view());
  const Digest digest = value.digest();
  State* s = instance(i);
  if (s == nullptr || counter > kReadied) return;
  s->said[counter] = digest;
  if (counter == kEcho) {
    s->has_input = true;
    s->input = digest;
    s->location = s->location == kIdle ? kEchoed : kReady;
  } else {
    s->value = digest;
    s->location = s->location == kIdle ? kReadyFirst : kReady;
  }
  s->spoke[counter].insert(config_.self);
  s->counts.try_emplace(digest, Count{{Tally(config_.committee), Tally(config_.committee)}})
      .first->second.by[counter]
      .add(config_.self);
}

void Bracha::on(const Restored& record, Fx&) {
  if (record.table == kStatements) return restore_statement(record);
  Reader key(record.key.view());
  const Instance i{NodeId{key.u16()}, key.u64()};
  State* s = instance(i);
  if (s == nullptr) return;
  s->payloads[hash(record.body.view())] = record.body;
  if (record.table == kDeliveries) {
    s->done = true;
    s->location = kDelivered;
    s->value = hash(record.body.view());
  } else if (record.table == kOwn) {
    next_ = std::max(next_, i.number + 1);
    s->has_input = true;
    s->input = hash(record.body.view());
  }
}

void Bracha::on(const Start&, Fx& fx) {
  for (std::uint32_t o = 0; o < origins_.size(); ++o) {
    for (auto& [number, state] : origins_[o].open) {
      if (config_.trace != nullptr) {
        config_.trace->add({.instance = o,
                            .round = number,
                            .node = config_.self,
                            .rule = RuleEvent::kRestart,
                            .location = state.location});
      }
      advance({NodeId{static_cast<std::uint16_t>(o)}, number}, state, fx);
    }
  }
  arm(fx);
}

void Bracha::on(const Requested<Request>& event, Fx& fx) {
  const Bytes& payload = event.request.payload;
  const Instance i{config_.self, next_};
  State* s = payload.size() <= config_.payload_bytes ? instance(i) : nullptr;
  if (s == nullptr) {
    ++refused_;
    return;
  }
  ++next_;
  fx.push(Persist{kOwn, key_of(i), Bytes::copy_of(as_view("own")), payload, false});
  fx.broadcast(Init{i, payload});
  input(i, *s, payload, fx);
  arm(fx);
}

void Bracha::on(const Received<Message>& event, Fx& fx) {
  if (event.from == config_.self || !config_.committee.contains(event.from)) return;
  std::visit([&](const auto& m) { receive(event.from, m, fx); }, event.message);
  arm(fx);
}

void Bracha::receive(NodeId from, const Init& m, Fx& fx) {
  State* s = from == m.instance.origin && m.payload.size() <= config_.payload_bytes
                 ? instance(m.instance)
                 : nullptr;
  if (s == nullptr || s->has_input) {
    refused_ += s == nullptr ? 1 : 0;
    return;
  }
  input(m.instance, *s, m.payload, fx);
}

void Bracha::input(const Instance& i, State& s, const Bytes& payload, Fx& fx) {
  s.has_input = true;
  s.input = hash(payload.view());
  s.payloads[s.input] = payload;
  advance(i, s, fx);
}

void Bracha::receive(NodeId from, const Statement& m, Fx& fx) {
  State* s = m.counter <= kReadied ? instance(m.instance) : nullptr;
  if (s == nullptr) {
    ++refused_;
    return;
  }
  if (m.repeated) repeat(from, m.instance, *s, fx);
  if (!s->spoke[m.counter].contains(from)) count(m.instance, *s, from, m.counter, m.digest, fx);
}

void Bracha::repeat(NodeId to, const Instance& i, const State& s, Fx& fx) const {
  for (const Counter c : {kEcho, kReadied}) {
    if (s.said[c]) fx.send(to, Statement{i, c, *s.said[c]});
  }
}

void Bracha::count(const Instance& i, State& s, NodeId from, Counter c, const Digest& digest,
                   Fx& fx) {
  s.spoke[c].insert(from);
  const auto [it, fresh] =
      s.counts.try_emplace(digest, Count{{Tally(config_.committee), Tally(config_.committee)}});
  it->second.by[c].add(from);
  advance(i, s, fx);
}

// Takes enabled rules until none is left.
void Bracha::advance(const Instance& i, State& s, Fx& fx) {
  bool moved = true;
  while (moved) {
    moved = false;
    const bool bound = config_.table->locations[s.location].holds_value;
    for (const auto& [digest, counts] : s.counts) {
      if (bound && digest != *s.value) continue;
      const auto counted = [&by = counts.by](std::uint8_t c) { return by[c].count(); };
      const Rule* rule =
          enabled(*config_.table, s.location, s.has_input, counted, config_.committee);
      if (rule != nullptr) {
        take(i, s, *rule, digest, fx);
        moved = true;
        break;
      }
    }
    if (moved || !s.counts.empty()) continue;
    const auto nothing = [](std::uint8_t) { return std::uint32_t{0}; };
    const Rule* rule = enabled(*config_.table, s.location, s.has_input, nothing, config_.committee);
    if (rule == nullptr) continue;
    take(i, s, *rule, s.input, fx);
    moved = true;
  }
  finish(i, s, fx);
}

void Bracha::take(const Instance& i, State& s, const Rule& rule, const Digest& counted, Fx& fx) {
  RuleEvent event{.instance = i.origin.value, .round = i.number, .node = config_.self};
  if (config_.trace != nullptr && rule.when) {
    event.tally = s.counts.at(counted).by[rule.when->counter].count();
    event.value = counted.prefix();
  }
  s.location = rule.to;
  if (config_.table->locations[rule.to].holds_value && rule.when) s.value = counted;
  if (rule.says) {
    const Digest& digest = rule.says->value == Value::kInput ? s.input : counted;
    if (say(i, s, *rule.says, digest, fx)) event.said = digest.prefix();
  }
  if (config_.trace == nullptr) return;
  event.rule = static_cast<std::uint8_t>(&rule - config_.table->rules.data());
  config_.trace->add(event);
}

bool Bracha::say(const Instance& i, State& s, const Say& what, const Digest& digest, Fx& fx) {
  const auto counter = static_cast<Counter>(what.counter);
  if (s.said[counter]) return false;
  s.said[counter] = digest;
  fx.push(Persist{kStatements, key_of(i, counter), Bytes::copy_of(digest.bytes), {}, false});
  fx.broadcast(Statement{i, counter, digest});
  s.spoke[counter].insert(config_.self);
  s.counts.try_emplace(digest, Count{{Tally(config_.committee), Tally(config_.committee)}})
      .first->second.by[counter]
      .add(config_.self);
  return true;
}

// Delivers once the payload is here, and forgets what is long done.
void Bracha::finish(const Instance& i, State& s, Fx& fx) {
  if (s.location != config_.table->locations.size() - 1 || s.done) return;
  const auto payload = s.payloads.find(*s.value);
  if (payload == s.payloads.end()) return;
  s.done = true;
  const Bytes bytes = payload->second;
  fx.push(Persist{kDeliveries, key_of(i), Bytes::copy_of(s.value->bytes), bytes, true});
  fx.deliver({i, bytes});
  Origin& origin = origins_[i.origin.value];
  while (!origin.open.empty() && origin.open.begin()->second.done &&
         origin.open.begin()->first == origin.floor &&
         origin.open.rbegin()->first >= origin.floor + config_.window) {
    const Instance old{i.origin, origin.floor++};
    for (const Counter c : {kEcho, kReadied}) {
      fx.push(Persist{kStatements, key_of(old, c), {}, {}, true});
    }
    origin.open.erase(origin.open.begin());
  }
}

void Bracha::receive(NodeId from, const Want& m, Fx& fx) {
  const State* s = instance(m.instance);
  if (s == nullptr || !s->value) return;
  const auto payload = s->payloads.find(*s->value);
  if (payload != s->payloads.end()) fx.send(from, Give{m.instance, payload->second});
}

void Bracha::receive(NodeId, const Give& m, Fx& fx) {
  State* s = m.payload.size() <= config_.payload_bytes ? instance(m.instance) : nullptr;
  // Only the payload this node is committed to: its digest was counted, so it cannot be forged.
  if (s == nullptr || !s->value || hash(m.payload.view()) != *s->value) {
    ++refused_;
    return;
  }
  s->payloads[*s->value] = m.payload;
  finish(m.instance, *s, fx);
}

// Delivered, and everybody is known to be as far.
bool Bracha::settled(const State& s) const {
  return s.done && s.spoke[kReadied].size() == config_.committee.size();
}

void Bracha::arm(Fx& fx) {
  if (armed_) return;
  bool all = true;
  for (const Origin& origin : origins_) {
    for (const auto& [number, s] : origin.open) all = all && settled(s);
  }
  if (all) return;
  armed_ = true;
  fx.push(ArmTimer{{1, {}}, kRepeat});
}

// An open instance is said again to all, and its payload asked for where it is missing.
void Bracha::ask_again(const Instance& i, const State& s, Fx& fx) const {
  if (i.origin == config_.self && s.has_input) fx.broadcast(Init{i, s.payloads.at(s.input)});
  for (const Counter c : {kEcho, kReadied}) {
    if (s.said[c]) fx.broadcast(Statement{i, c, *s.said[c], true});
  }
  if (!s.value || s.payloads.contains(*s.value)) return;
  const auto counts = s.counts.find(*s.value);
  if (counts == s.counts.end()) return;
  counts->second.by[kEcho].members().for_each([&](NodeId who) {
    if (who != config_.self) fx.send(who, Want{i});
  });
}

void Bracha::on(const Expired&, Fx& fx) {
  armed_ = false;
  for (std::uint32_t o = 0; o < origins_.size(); ++o) {
    for (auto& [number, s] : origins_[o].open) {
      const Instance i{NodeId{static_cast<std::uint16_t>(o)}, number};
      if (!s.done) {
        ask_again(i, s, fx);
        continue;
      }
      // A peer that lost everything does not know that it should ask.
      if (settled(s) || !std::has_single_bit(++s.age)) continue;
      for (std::uint32_t k = 0; k < config_.committee.size(); ++k) {
        const NodeId to{static_cast<std::uint16_t>(k)};
        if (!s.spoke[kReadied].contains(to)) repeat(to, i, s, fx);
      }
    }
  }
  arm(fx);
}

std::size_t Bracha::open() const {
  std::size_t count = 0;
  for (const Origin& origin : origins_) {
    for (const auto& [number, state] : origin.open) count += state.done ? 0 : 1;
  }
  return count;
}

}  // namespace thresher
