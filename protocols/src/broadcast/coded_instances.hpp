// The course of an instance of the erasure-coded broadcasts: what it keeps, says again and forgets.
// Definitions of coded.hpp, for the sources of those protocols.
#pragma once

#include <algorithm>
#include <utility>

#include "floors.hpp"
#include "keys.hpp"
#include "thresher/core/assert.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/protocols/broadcast/coded.hpp"
#include "turns.hpp"

namespace thresher::coded {

using bracha::kDeliveries;
using bracha::key_of;
using bracha::kFloors;
using bracha::kOwn;
using bracha::kStatements;

template <class Self, class S, class M>
std::size_t Instances<Self, S, M>::origin_bytes(const Config& config) {
  constexpr std::size_t kProof = 8 * sizeof(Digest);  // of 255 leaves
  const std::size_t n = config.committee.size();
  const std::size_t fragment = Fragments(config.committee).size(config.payload_bytes);
  const std::size_t instance = config.payload_bytes + (2 * n + 1) * fragment + kProof;
  return std::max(config.origin_bytes, 2 * instance);
}

template <class Self, class S, class M>
Instances<Self, S, M>::Instances(const Config& config, const Thresholds& standard)
    : config_(config),
      thresholds_(config.thresholds.value_or(standard)),
      fragments_(config.committee, thresholds_.join),
      shelf_([&] {
        Config real = config;
        real.origin_bytes = origin_bytes(config);
        return real;
      }()),
      remains_(config) {}

template <class Self, class S, class M>
void Instances<Self, S, M>::on(const Requested<Request>& event, Fx& fx) {
  const Bytes& payload = event.request.payload;
  const Instance i{config_.self, std::max(next_, event.request.at_least)};
  const bool fits = payload.size() <= config_.payload_bytes && shelf_.has_room(i, payload.size());
  S* s = fits ? shelf_.open(i) : nullptr;
  if (s == nullptr) return refuse();
  next_ = i.number + 1;
  self().start(i, *s, payload, fx);
  arm(fx);
}

template <class Self, class S, class M>
void Instances<Self, S, M>::on(const Received<Message>& event, Fx& fx) {
  if (event.from == config_.self || !config_.committee.contains(event.from)) return;
  std::visit([&](const auto& m) { self().receive(event.from, m, fx); }, event.message);
  arm(fx);
}

template <class Self, class S, class M>
void Instances<Self, S, M>::on(const Restored& record, Fx&) {
  Reader key(record.key.view());
  Reader value(record.value.view());
  const NodeId origin{key.u16()};
  if (!config_.committee.contains(origin)) return;
  if (record.table == kFloors) return shelf_.restore_floor(origin, value.u64());
  const Instance i{origin, key.u64()};
  S& s = shelf_.restore(i);
  const Digest digest = value.digest();
  if (record.table == kStatements) {
    const std::uint8_t counter = key.u8();
    if (counter > kReadied) return;
    s.said[counter] = digest;
    s.spoke[counter].insert(config_.self);
    return self().restore(i, s, static_cast<Counter>(counter), record);
  }
  // A payload may be on disk once for two records.
  if (record.table == kOwn || value.u8() == 0) shelf_.keep(i, s, digest, record.body);
  if (record.table == kDeliveries) s.done = true;
  if (record.table == kOwn) next_ = std::max(next_, i.number + 1);
  s.input = s.input.value_or(digest);
}

template <class Self, class S, class M>
void Instances<Self, S, M>::on(const Start&, Fx& fx) {
  for (const NodeId o : node_ids(shelf_.origins())) {
    raise_floor(o, shelf_.take_restored_floor(o), Past::kSpokenOf, fx);
    trim(o, fx);
    shelf_.for_each_of(o, [&](const Instance& i, S& s) { self().resume(i, s, fx); });
  }
  arm(fx);
}

// R5: every tick, open instances ask; those that are done tell, ever more seldom.
template <class Self, class S, class M>
void Instances<Self, S, M>::on(const Expired&, Fx& fx) {
  armed_ = false;
  for (const NodeId o : node_ids(shelf_.origins())) {
    broadcast::Turns turns(shelf_.at_tick(o));
    shelf_.for_each_of(o, [&](const Instance& i, S& s) {
      s.answered = NodeSet{};
      if (!s.done) return turns.has(s) ? ask_again(i, s, fx) : void();
      if (broadcast::record_due(s)) record_delivery(i, s, fx);
      if (old(i, s)) return;
      if (!settled(s) && broadcast::due(++s.age)) tell_again(i, s, fx);
    });
    remains_.tick(o, [&](const Instance& old) { bracha::forget_records(old, false, fx); });
    trim(o, fx);
    // Those not heard of yet, or from a liar alone, are asked for at the next tick.
    shelf_.open_missed(o, [this](const Instance&, S& s) {
      s.expected = s.expected || !s.vouched(config_.committee);
    });
  }
  arm(fx);
}

template <class Self, class S, class M>
void Instances<Self, S, M>::ask_again(const Instance& i, S& s, Fx& fx) {
  if (!s.vouched(config_.committee)) return;
  const bool only_expected = s.expected && !s.input && !s.said[kReadied];
  if (only_expected && !broadcast::due(s.age)) return;
  for (const NodeId to : node_ids(config_.committee.size())) {
    if (to == config_.self) continue;
    const bool echoed = s.spoke[kEcho].contains(to);
    const bool readied = s.spoke[kReadied].contains(to);
    if (i.origin == config_.self && s.input && !echoed) self().say_input(to, i, s, fx);
    if (s.said[kReadied] && !readied) self().say(to, i, s, kReadied, fx);
    const Ask ask{i, !s.input && to == i.origin, !echoed, !readied};
    if (ask.input || ask.echo || ask.ready) fx.send(to, ask);
  }
}

template <class Self, class S, class M>
void Instances<Self, S, M>::tell_again(const Instance& i, S& s, Fx& fx) {
  if (!s.said[kReadied]) return;
  for (const NodeId k : node_ids(config_.committee.size())) {
    if (k != config_.self && !s.spoke[kReadied].contains(k)) self().say(k, i, s, kReadied, fx);
  }
}

// R5: answered once a tick, because an answer is much longer than the question.
template <class Self, class S, class M>
void Instances<Self, S, M>::receive(NodeId from, const Ask& m, Fx& fx) {
  S* s = shelf_.find(m.instance);
  if (s == nullptr) {
    if (!in_window(m.instance)) tell_past(from, m, fx);
    return;
  }
  if (!s->answered.insert(from)) return refuse();
  if (m.input && m.instance.origin == config_.self && s->input)
    self().say_input(from, m.instance, *s, fx);
  if (m.echo && s->said[kEcho]) self().say(from, m.instance, *s, kEcho, fx);
  if (m.ready && s->said[kReadied]) self().say(from, m.instance, *s, kReadied, fx);
}

// R7: a peer that asks here has the payload, and lacks what was said.
template <class Self, class S, class M>
void Instances<Self, S, M>::tell_past(NodeId to, const Ask& m, Fx& fx) {
  if (!config_.committee.contains(m.instance.origin)) return;
  const broadcast::Said* said = remains_.find(m.instance);
  if (said == nullptr) return tell_floor(to, m.instance, true, fx);
  if (m.echo && said->counter[kEcho]) self().say_bare(to, m.instance, said->value, kEcho, fx);
  if (m.ready && said->counter[kReadied])
    self().say_bare(to, m.instance, said->value, kReadied, fx);
}

template <class Self, class S, class M>
bool Instances<Self, S, M>::in_window(const Instance& i) const {
  return config_.committee.contains(i.origin) && i.number >= shelf_.floor(i.origin) &&
         i.number < shelf_.end(i.origin);
}

template <class Self, class S, class M>
void Instances<Self, S, M>::tell_floor(NodeId to, const Instance& i, bool asks, Fx& fx) {
  if (!config_.committee.contains(i.origin)) return;
  const bool ahead = i.number >= shelf_.end(i.origin);
  if (ahead) shelf_.told_ahead(i, to);
  if (asks || ahead) fx.send(to, Floor{i.origin, over_below(i.origin), ahead});
}

template <class Self, class S, class M>
S* Instances<Self, S, M>::instance_for(NodeId from, const Instance& i, Fx& fx) {
  S* s = shelf_.open(i);
  if (s != nullptr) return s;
  if (!shelf_.late(i)) refuse();
  // An origin that is behind repeats what is over, and needs to hear it.
  tell_floor(from, i, from == i.origin, fx);
  return nullptr;
}

// R8: f+1 peers keep nothing below, so one of them is correct and what is missing there is over.
template <class Self, class S, class M>
void Instances<Self, S, M>::receive(NodeId from, const Floor& m, Fx& fx) {
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

template <class Self, class S, class M>
void Instances<Self, S, M>::raise_floor(NodeId id, std::uint64_t number, Past past, Fx& fx) {
  const bool own = id == config_.self;
  const auto forget = [&](const Instance& old, const S& s) {
    const bool young = s.age < broadcast::kKeepTicks;
    if (past == Past::kSpokenOf && s.said[kReadied] && young && remains_.room(id) > 0) {
      leave(old, s, fx);
    } else {
      bracha::forget_records(old, own, fx);
    }
  };
  const bool rose = broadcast::raise_floor(shelf_, {kFloors, id, number}, fx, forget);
  if (rose && own) next_ = std::max(next_, number);
}

// R7: everybody has the payload, but maybe not what this node said.
template <class Self, class S, class M>
void Instances<Self, S, M>::leave(const Instance& i, const S& s, Fx& fx) {
  broadcast::Said said{.value = *s.said[kReadied]};
  for (const Counter c : {kEcho, kReadied}) said.counter[c] = s.said[c] == said.value;
  bracha::leave_records(i, said, i.origin == config_.self, fx);
  remains_.leave(i, said);
}

// Those below are neither kept nor spoken of.
template <class Self, class S, class M>
std::uint64_t Instances<Self, S, M>::over_below(NodeId origin) const {
  return remains_.first(origin).value_or(shelf_.floor(origin));
}

// R7: delivered, and nobody needs it here: all have the payload, or had the time to ask.
template <class Self, class S, class M>
bool Instances<Self, S, M>::may_forget(const S& s) const {
  return s.done && (s.age >= broadcast::kKeepTicks || self().all_hold(s));
}

template <class Self, class S, class M>
bool Instances<Self, S, M>::settled(const S& s) const {
  return s.spoke[kReadied].size() == config_.committee.size() && may_forget(s) &&
         s.answered.empty() && s.unrecorded == 0;
}

// A peer that lags asks for what is in the history; it heard of it for as long as others may need.
template <class Self, class S, class M>
bool Instances<Self, S, M>::old(const Instance& i, const S& s) const {
  return shelf_.in_history(i) && s.age >= broadcast::kKeepTicks;
}

template <class Self, class S, class M>
void Instances<Self, S, M>::trim(NodeId id, Fx& fx) {
  std::size_t room = remains_.room(id);
  const auto may = [&](const Instance&, const S& s) {
    return may_forget(s) && (s.age >= broadcast::kKeepTicks || (room > 0 && room-- > 0));
  };
  raise_floor(id, shelf_.crowded_floor(id, may), Past::kSpokenOf, fx);
}

template <class Self, class S, class M>
void Instances<Self, S, M>::arm(Fx& fx) {
  if (armed_) return;
  const auto rests = [&](const Instance& i, const S& s) {
    return settled(s) || (old(i, s) && s.answered.empty());
  };
  if (remains_.empty() && shelf_.at_rest(rests, [](NodeId) { return true; })) return;
  armed_ = true;
  fx.push(ArmTimer{{1, {}}, broadcast::kRepeat});
}

template <class Self, class S, class M>
void Instances<Self, S, M>::forget_below(std::uint64_t number, Fx& fx) {
  for (const NodeId o : node_ids(shelf_.origins())) raise_floor(o, number, Past::kForgotten, fx);
}

template <class Self, class S, class M>
void Instances<Self, S, M>::expect(const Instance& i, Fx& fx) {
  S* s = shelf_.open(i);
  if (s == nullptr || s->done) return;
  ask_expected(i, *s, fx);
  arm(fx);
}

template <class Self, class S, class M>
void Instances<Self, S, M>::ask_expected(const Instance& i, S& s, Fx& fx) const {
  if (std::exchange(s.expected, true)) return;
  for (const NodeId to : node_ids(config_.committee.size())) {
    if (to != config_.self) fx.send(to, Ask{i, !s.input && to == i.origin, true, true});
  }
}

// R8
template <class Self, class S, class M>
void Instances<Self, S, M>::catch_up(NodeId id, Fx& fx) {
  shelf_.open_missed(id, [&](const Instance& i, S& s) {
    if (!s.vouched(config_.committee)) ask_expected(i, s, fx);
  });
}

template <class Self, class S, class M>
const Bytes* Instances<Self, S, M>::delivered(const Instance& i) const {
  const S* s = shelf_.find(i);
  if (s == nullptr || !s->done) return nullptr;
  // deliver() keeps this one alone.
  return s->payloads.empty() ? nullptr : &s->payloads.begin()->second;
}

template <class Self, class S, class M>
Footprint Instances<Self, S, M>::footprint() const {
  Footprint out = shelf_.footprint([&](const S& s) { return self().values(s); });
  out.remains = remains_.size();
  return out;
}

template <class Self, class S, class M>
Footprint Instances<Self, S, M>::most_held(const Config& config) {
  const std::size_t n = config.committee.size();
  Footprint out = broadcast::Shelf<S>::most_held(config, origin_bytes(config), 2 * n);
  out.remains = n * broadcast::Remains::most_of_one(config);
  return out;
}

template <class Self, class S, class M>
bool Instances<Self, S, M>::reached(const Tally& tally, Threshold threshold) const {
  return tally.reached(threshold, config_.committee);
}

template <class Self, class S, class M>
bool Instances<Self, S, M>::take_room(const Instance& i, S& s, std::size_t bytes) {
  if (!shelf_.has_room(i, bytes)) {
    refuse();
    return false;
  }
  s.bytes += bytes;
  shelf_.charge(i, bytes);
  return true;
}

// So that all of them together hold a quarter of the origin's room, and each one fragment at least.
template <class Self, class S, class M>
std::size_t Instances<Self, S, M>::room_of_one_sender() const {
  return std::max(fragments_.size(config_.payload_bytes),
                  origin_bytes(config_) / 4 / config_.committee.size());
}

template <class Self, class S, class M>
bool Instances<Self, S, M>::take_room_on_word(NodeId from, const Instance& i, S& s,
                                              std::size_t bytes) {
  const auto held = [&] {
    return shelf_.sum_of_open(i.origin, [&](const S& o) { return self().held_on_word(o, from); });
  };
  if (i.number != shelf_.oldest_open(i.origin) && held() + bytes > room_of_one_sender()) {
    refuse();
    return false;
  }
  return take_room(i, s, bytes);
}

template <class Self, class S, class M>
void Instances<Self, S, M>::free_room(const Instance& i, S& s, std::size_t bytes) {
  s.bytes -= bytes;
  shelf_.refund(i, bytes);
}

template <class Self, class S, class M>
void Instances<Self, S, M>::own(const Instance& i, S& s, const Digest& digest, const Bytes& payload,
                                Fx& fx) {
  fx.push(Persist{kOwn, key_of(i), Bytes::copy_of(digest.bytes), payload, false});
  shelf_.keep(i, s, digest, payload);
  s.input = digest;
}

template <class Self, class S, class M>
void Instances<Self, S, M>::record(const Instance& i, S& s, Counter c, const Digest& digest,
                                   ByteView more, const Bytes& body, Fx& fx) {
  THRESHER_ASSERT(!s.said[c], "a statement is said once");
  Writer value;
  value.bytes(digest.bytes).bytes(more);
  fx.push(Persist{kStatements, key_of(i, c), Bytes::from(value.take()), body, false});
  s.said[c] = digest;
  s.spoke[c].insert(config_.self);
}

template <class Self, class S, class M>
void Instances<Self, S, M>::deliver(const Instance& i, S& s, const Digest& digest, bool on_disk,
                                    Fx& fx) {
  shelf_.mark_delivered(i, s);
  s.on_disk = on_disk;
  shelf_.keep_only(i, s, digest);
  fx.deliver({i, s.payloads.at(digest)});
  const NodeId origin = i.origin;
  trim(origin, fx);
  if (shelf_.far_behind(origin)) catch_up(origin, fx);
}

template <class Self, class S, class M>
void Instances<Self, S, M>::record_delivery(const Instance& i, const S& s, Fx& fx) const {
  const auto& [digest, payload] = *s.payloads.begin();  // the one that was delivered
  Writer value;
  value.bytes(digest.bytes).u8(s.on_disk ? 1 : 0);
  fx.push(Persist{kDeliveries, key_of(i), Bytes::from(value.take()), s.on_disk ? Bytes{} : payload,
                  true});
}

}  // namespace thresher::coded
