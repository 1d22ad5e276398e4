// What Bracha keeps and for how long: bounds, restarts, repetitions. The rules are in bracha.cpp.
#include <algorithm>
#include <utility>

#include "floors.hpp"
#include "keys.hpp"
#include "thresher/core/node_ids.hpp"
#include "turns.hpp"

namespace thresher {

using namespace bracha;  // NOLINT(google-build-using-namespace): the protocol's own vocabulary
using broadcast::due;
using broadcast::kKeepTicks;
using broadcast::kRepeat;

namespace {

// Where a node stands that has said these and no more; silent steps are taken again.
std::uint8_t location_after(const RuleTable& table, bool first, bool second) {
  std::uint8_t at = 0;
  for (bool moved = true; std::exchange(moved, false);) {
    for (const Rule& rule : table.rules) {
      if (moved || rule.from != at || !rule.says) continue;
      bool& said = rule.says->counter == kEcho ? first : second;
      moved = std::exchange(said, false);
      if (moved) at = rule.to;
    }
  }
  return at;
}

}  // namespace

void Bracha::restore_statement(const Restored& record, const Instance& i) {
  Reader key(record.key.view());
  (void)key.bytes(sizeof(std::uint16_t) + sizeof(std::uint64_t));
  const auto counter = static_cast<Counter>(key.u8());
  Reader value(record.value.view());
  const Digest digest = value.digest();
  if (counter > kReadied) return;
  State& s = shelf_.restore(i);
  s.said[counter] = digest;
  if (counter == kEcho) {
    s.has_input = true;
    s.input = digest;
    // An empty payload has an empty body, and one that was too old to have it has none either.
    if (hash(record.body.view()) == digest) shelf_.keep(i, s, digest, record.body);
  } else if (!s.value) {
    s.value = digest;
  }
  if (s.location != last_location())
    s.location =
        location_after(*config_.table, s.said[kEcho].has_value(), s.said[kReadied].has_value());
  s.spoke[counter].insert(config_.self);
  s.counts.try_emplace(digest, Count{{Tally(config_.committee), Tally(config_.committee)}})
      .first->second.by[counter]
      .add(config_.self);
}

void Bracha::on(const Restored& record, Fx&) {
  Reader key(record.key.view());
  Reader value(record.value.view());
  if (record.table == kFloors) {
    const NodeId origin{key.u16()};
    return shelf_.restore_floor(origin, value.u64());
  }
  const Instance i{NodeId{key.u16()}, key.u64()};
  if (!config_.committee.contains(i.origin)) return;
  State& s = shelf_.restore(i);
  if (record.table == kStatements) return restore_statement(record, i);
  const Digest digest = record.table == kDeliveries ? value.digest() : hash(record.body.view());
  if (hash(record.body.view()) == digest) shelf_.keep(i, s, digest, record.body);
  if (record.table == kDeliveries) {
    s.done = true;
    s.location = last_location();
    s.value = digest;
  } else if (record.table == kOwn) {
    next_ = std::max(next_, i.number + 1);
    s.has_input = true;
    s.input = digest;
  }
}

void Bracha::on(const Start&, Fx& fx) {
  for (const NodeId id : node_ids(shelf_.origins())) {
    raise_floor(id, shelf_.take_restored_floor(id), Past::kSpokenOf, fx);
    trim(id, fx);
    shelf_.for_each_of(id, [&](const Instance& i, State& state) {
      if (config_.trace != nullptr) {
        config_.trace->add({.instance = id.value,
                            .round = i.number,
                            .node = config_.self,
                            .rule = RuleEvent::kRestart,
                            .location = state.location});
      }
      advance(i, state, fx);
    });
  }
  arm(fx);
}

// R8: delivered, and nobody needs it here: everybody echoed it, or had the time to ask.
bool Bracha::may_forget(const State& s) const {
  if (!s.done) return false;
  if (s.age >= kKeepTicks) return true;
  const auto counts = s.counts.find(*s.value);
  return counts != s.counts.end() && counts->second.by[kEcho].count() == config_.committee.size();
}

// R8. Newer ones go only if there is room for what remains of them.
void Bracha::trim(NodeId id, Fx& fx) {
  std::size_t room = remains_.room(id);
  const auto may = [&](const Instance&, const State& s) {
    return may_forget(s) && (s.age >= kKeepTicks || (room > 0 && room-- > 0));
  };
  raise_floor(id, shelf_.crowded_floor(id, may), Past::kSpokenOf, fx);
}

void Bracha::raise_floor(NodeId id, std::uint64_t number, Past past, Fx& fx) {
  const bool own = id == config_.self;
  const auto forget = [&](const Instance& old, const State& s) {
    const bool spoke = s.said[kEcho] || s.said[kReadied];
    const bool young = s.age < kKeepTicks;
    if (past == Past::kSpokenOf && spoke && young && remains_.room(id) > 0) {
      leave(old, s, fx);
    } else {
      forget_records(old, own, fx);
    }
  };
  const bool rose = broadcast::raise_floor(shelf_, {kFloors, id, number}, fx, forget);
  if (rose && own) next_ = std::max(next_, number);
}

// R8: everybody has the payload, but maybe not what this node said. A ready was said of what is
// delivered, if of anything; an echo of another payload helps nobody to deliver that.
void Bracha::leave(const Instance& i, const State& s, Fx& fx) {
  broadcast::Said said{.value = s.said[kReadied] ? *s.said[kReadied] : *s.said[kEcho]};
  for (const Counter c : {kEcho, kReadied}) said.counter[c] = s.said[c] == said.value;
  leave_records(i, said, i.origin == config_.self, fx);
  remains_.leave(i, said);
}

// Instances below it are neither kept nor spoken of.
std::uint64_t Bracha::over_below(NodeId origin) const {
  return remains_.first(origin).value_or(shelf_.floor(origin));
}

void Bracha::forget_below(std::uint64_t number, Fx& fx) {
  for (const NodeId o : node_ids(shelf_.origins())) raise_floor(o, number, Past::kForgotten, fx);
}

void Bracha::expect(const Instance& i, Fx& fx) {
  State* s = shelf_.open(i);
  if (s == nullptr || s->done) return;
  ask_expected(i, *s, fx);
  arm(fx);
}

void Bracha::ask_expected(const Instance& i, State& s, Fx& fx) const {
  if (!std::exchange(s.expected, true)) fx.broadcast(Want{i, false});
}

// R9
void Bracha::catch_up(NodeId id, Fx& fx) {
  shelf_.open_missed(id, [&](const Instance& i, State& s) {
    if (!s.said[kEcho] && !s.said[kReadied]) ask_expected(i, s, fx);
  });
}

const Bytes* Bracha::delivered(const Instance& i) const {
  const State* s = shelf_.find(i);
  if (s == nullptr || !s->done) return nullptr;
  const auto payload = s->payloads.find(*s->value);
  return payload == s->payloads.end() ? nullptr : &payload->second;
}

// The instance that a peer speaks of. If that is too far ahead, or is forgotten and the peer `asks`
// about it, the peer hears where this node stands, or what it said there.
Bracha::State* Bracha::instance_for(NodeId from, const Instance& i, bool asks, Fx& fx) {
  State* s = shelf_.open(i);
  if (s != nullptr) return s;
  if (!shelf_.late(i)) ++refused_;
  if (!config_.committee.contains(i.origin)) return nullptr;
  if (const broadcast::Said* said = remains_.find(i)) {
    for (const Counter c : {kEcho, kReadied}) {
      if (asks && said->counter[c]) fx.send(from, Statement{i, c, said->value});
    }
    return nullptr;
  }
  const bool ahead = i.number >= shelf_.end(i.origin);
  if (ahead) shelf_.told_ahead(i, from);
  if (asks || ahead) fx.send(from, Floor{i.origin, over_below(i.origin), ahead});
  return nullptr;
}

// R9: f+1 peers keep nothing below, so one of them is correct and what is missing there is over.
void Bracha::receive(NodeId from, const Floor& m, Fx& fx) {
  if (!config_.committee.contains(m.origin)) return;
  const std::uint64_t floor = shelf_.floor(m.origin);
  if (m.number < floor) {
    if (m.asks) fx.send(from, Floor{m.origin, over_below(m.origin), false});
    return;
  }
  if (m.number == floor) return;
  if (const auto over = shelf_.told_floor(m.origin, from, m.number))
    raise_floor(m.origin, *over, Past::kForgotten, fx);
}

// Whether the peer said what makes others deliver: then it asks itself for what it lacks.
bool Bracha::speaks_for_itself(const State& s, NodeId peer) const {
  return s.spoke[delivering_.counter].contains(peer) ||
         (delivering_.or_counter && s.spoke[*delivering_.or_counter].contains(peer));
}

// Delivered, and everybody is known to be as far.
bool Bracha::settled(const State& s) const {
  if (!s.done || s.unrecorded > 0 || !may_forget(s)) return false;
  const std::uint32_t n = config_.committee.size();
  if (!delivering_.or_counter) return s.spoke[delivering_.counter].size() == n;
  NodeSet heard = s.spoke[delivering_.counter];
  heard.merge(s.spoke[*delivering_.or_counter]);
  return heard.size() == n;
}

void Bracha::arm(Fx& fx) {
  if (armed_) return;
  const auto rests = [&](const Instance& i, const State& s) {
    return s.answered.empty() && (settled(s) || (shelf_.in_history(i) && s.age >= kKeepTicks));
  };
  if (remains_.empty() && shelf_.at_rest(rests, [](NodeId) { return true; })) return;
  armed_ = true;
  fx.push(ArmTimer{{1, {}}, kRepeat});
}

// Whether the payload alone is missing for a delivery.
bool Bracha::lacks_payload(const State& s) const {
  return s.location == last_location() && !s.payloads.contains(*s.value);
}

// R6: an open instance is said again to all, and its payload asked for where it is missing.
void Bracha::ask_again(const Instance& i, State& s, Fx& fx) const {
  if (i.origin == config_.self && s.has_input) {
    const auto own = s.payloads.find(s.input);
    // A node that echoed has it: under load payloads are not sent for nothing. One that only said
    // ready may lack it, and where the others need its echo they wait for it.
    for (std::uint16_t k = 0; own != s.payloads.end() && k < config_.committee.size(); ++k) {
      const NodeId to{k};
      if (to != config_.self && !s.spoke[kEcho].contains(to)) fx.send(to, Init{i, own->second});
    }
  }
  for (const Counter c : {kEcho, kReadied}) {
    if (s.said[c]) fx.broadcast(Statement{i, c, *s.said[c], true});
  }
  if (s.expected && !s.said[kReadied] && due(s.age)) fx.broadcast(Want{i, false});
  if (lacks_payload(s)) ask_payload(i, s, config_.committee.size(), fx);
}

// One of f+1 that echoed it is correct, and has it on disk.
void Bracha::ask_payload(const Instance& i, const State& s, std::uint32_t most, Fx& fx) const {
  const auto counts = s.counts.find(*s.value);
  if (counts == s.counts.end()) return;
  counts->second.by[kEcho].members().for_each([&](NodeId who) {
    if (who == config_.self || most == 0) return;
    --most;
    fx.send(who, Want{i});
  });
}

void Bracha::on(const Expired&, Fx& fx) {
  armed_ = false;
  for (const NodeId o : node_ids(shelf_.origins())) {
    broadcast::Turns turns(shelf_.at_tick(o));
    shelf_.for_each_of(o, [&](const Instance& i, State& s) {
      s.answered = NodeSet{};
      // R6: what nobody waits for is said again ever more seldom.
      if (!s.done)
        return turns.has(s) && (owner_waits_ || due(s.age)) ? ask_again(i, s, fx) : void();
      if (broadcast::record_due(s)) record_delivery(i, s, fx);
      if (shelf_.in_history(i) && s.age >= kKeepTicks) return;
      // A peer that lost everything does not know that it should ask.
      if (settled(s) || !due(++s.age)) return;
      for (const NodeId k : node_ids(config_.committee.size())) {
        if (!speaks_for_itself(s, k)) repeat(k, i, s, fx);
      }
    });
    remains_.tick(o, [&](const Instance& old) { forget_records(old, false, fx); });
    trim(o, fx);
    // Those not heard of yet, or not from enough, are asked for at the next tick.
    shelf_.open_missed(o, [](const Instance&, State& s) {
      s.expected = s.expected || (!s.said[kEcho] && !s.said[kReadied]);
    });
  }
  arm(fx);
}

void Bracha::record_delivery(const Instance& i, const State& s, Fx& fx) const {
  const auto payload = s.payloads.find(*s.value);
  const bool on_disk = s.said[kEcho] == s.value || payload == s.payloads.end();
  fx.push(Persist{kDeliveries, key_of(i), Bytes::copy_of(s.value->bytes),
                  on_disk ? Bytes{} : payload->second, true});
}

Footprint Bracha::footprint() const {
  Footprint out = shelf_.footprint([](const State& s) { return s.counts.size(); });
  out.remains = remains_.size();
  return out;
}

Footprint Bracha::most_held(const Config& config) {
  const std::size_t n = config.committee.size();
  Footprint out = broadcast::Shelf<State>::most_held(config, config.origin_bytes, 2 * n);
  out.remains = n * broadcast::Remains::most_of_one(config);
  return out;
}

}  // namespace thresher
