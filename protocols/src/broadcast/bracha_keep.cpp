// What Bracha keeps and for how long: bounds, restarts, repetitions. The rules are in bracha.cpp.
#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "keys.hpp"

namespace thresher {

using namespace bracha;  // NOLINT(google-build-using-namespace): the protocol's own vocabulary

namespace {

constexpr Delay kRepeat{4000};
/// Ticks that a delivered instance is kept at least: who is committed to it takes two for the
/// question and the answer.
constexpr std::uint32_t kKeepTicks = 4;
/// Peers that are not known to be as far hear of an instance again after 1, 2, 4, ... ticks, and at
/// least this often.
constexpr std::uint32_t kSeldomTicks = 16;

bool due(std::uint32_t age) {
  return std::has_single_bit(age) || age % kSeldomTicks == 0;
}

}  // namespace

void Bracha::open_restored(const Instance& i) {
  if (!config_.committee.contains(i.origin)) return;
  // How far the windows had moved is known when all records are here.
  const auto [it, fresh] = origins_[i.origin.value].open.try_emplace(i.number);
  if (!fresh) return;
  for (NodeSet& s : it->second.spoke) s = NodeSet(config_.committee.size());
}

void Bracha::restore_statement(const Restored& record, const Instance& i) {
  Reader key(record.key.view());
  (void)key.bytes(sizeof(std::uint16_t) + sizeof(std::uint64_t));
  const auto counter = static_cast<Counter>(key.u8());
  Reader value(record.value.view());
  const Digest digest = value.digest();
  if (counter > kReadied) return;
  State& s = origins_[i.origin.value].open.at(i.number);
  s.said[counter] = digest;
  if (counter == kEcho) {
    s.has_input = true;
    s.input = digest;
    if (s.location != kDelivered) s.location = s.location == kIdle ? kEchoed : kReady;
    // An empty payload has an empty body, and one that was too old to have it has none either.
    if (hash(record.body.view()) == digest) keep(i, s, digest, record.body);
  } else {
    if (!s.value) s.value = digest;
    if (s.location != kDelivered) s.location = s.location == kIdle ? kReadyFirst : kReady;
  }
  s.spoke[counter].insert(config_.self);
  s.counts.try_emplace(digest, Count{{Tally(config_.committee), Tally(config_.committee)}})
      .first->second.by[counter]
      .add(config_.self);
}

void Bracha::restore_floor(Reader& key, Reader& value) {
  const NodeId origin{key.u16()};
  if (config_.committee.contains(origin)) origins_[origin.value].floor = value.u64();
}

void Bracha::on(const Restored& record, Fx&) {
  Reader key(record.key.view());
  Reader value(record.value.view());
  if (record.table == kFloors) return restore_floor(key, value);
  const Instance i{NodeId{key.u16()}, key.u64()};
  if (!config_.committee.contains(i.origin)) return;
  open_restored(i);
  State& s = origins_[i.origin.value].open.at(i.number);
  if (record.table == kStatements) return restore_statement(record, i);
  const Digest digest = record.table == kDeliveries ? value.digest() : hash(record.body.view());
  if (hash(record.body.view()) == digest) keep(i, s, digest, record.body);
  if (record.table == kDeliveries) {
    s.done = true;
    s.location = kDelivered;
    s.value = digest;
  } else if (record.table == kOwn) {
    next_ = std::max(next_, i.number + 1);
    s.has_input = true;
    s.input = digest;
  }
}

void Bracha::on(const Start&, Fx& fx) {
  for (std::uint32_t o = 0; o < origins_.size(); ++o) {
    const NodeId id{static_cast<std::uint16_t>(o)};
    Origin& origin = origins_[o];
    // Records that were erased lazily may be back.
    const std::uint64_t floor = std::exchange(origin.floor, 0);
    raise_floor(id, floor, fx);
    for (auto& [number, state] : origin.open) {
      if (config_.trace != nullptr) {
        config_.trace->add({.instance = o,
                            .round = number,
                            .node = config_.self,
                            .rule = RuleEvent::kRestart,
                            .location = state.location});
      }
      advance({id, number}, state, fx);
    }
  }
  arm(fx);
}

// R7: what an origin may fill. Half is for its oldest instance that is not delivered, so that those
// after it never keep it out; what is delivered makes room in time.
bool Bracha::has_room(const Instance& i, std::size_t bytes) const {
  const Origin& origin = origins_[i.origin.value];
  if (origin.bytes + bytes <= config_.origin_bytes / 2) return true;
  std::uint64_t oldest = origin.floor;
  for (auto at = origin.open.begin();
       at != origin.open.end() && at->first == oldest && at->second.done; ++at)
    ++oldest;
  return i.number == oldest && origin.bytes + bytes <= config_.origin_bytes;
}

void Bracha::keep(const Instance& i, State& s, const Digest& digest, const Bytes& payload) {
  if (s.payloads.emplace(digest, payload).second) origins_[i.origin.value].bytes += payload.size();
}

// Nobody can be committed to another value any more, so nobody will ask for another payload.
void Bracha::drop_others(const Instance& i, State& s) {
  std::erase_if(s.payloads, [&](const auto& entry) {
    if (entry.first == *s.value) return false;
    origins_[i.origin.value].bytes -= entry.second.size();
    return true;
  });
}

// R8: delivered, and nobody needs it here: everybody echoed it, or had the time to ask.
bool Bracha::may_forget(const State& s) const {
  if (!s.done) return false;
  if (s.age >= kKeepTicks) return true;
  const auto counts = s.counts.find(*s.value);
  return counts != s.counts.end() && counts->second.by[kEcho].count() == config_.committee.size();
}

void Bracha::trim(NodeId id, Fx& fx) {
  const Origin& origin = origins_[id.value];
  std::uint64_t floor = origin.floor;
  std::size_t bytes = origin.bytes;
  for (const auto& [number, s] : origin.open) {
    const bool crowded =
        origin.open.rbegin()->first >= floor + config_.window || bytes > config_.origin_bytes / 2;
    if (number != floor || !may_forget(s) || !crowded) break;
    for (const auto& [digest, payload] : s.payloads) bytes -= payload.size();
    ++floor;
  }
  if (floor > origin.floor) raise_floor(id, floor, fx);
}

void Bracha::raise_floor(NodeId id, std::uint64_t number, Fx& fx) {
  Origin& origin = origins_[id.value];
  if (number <= origin.floor) return;
  Writer key;
  Writer value;
  key.u16(id.value);
  value.u64(number);
  fx.push(Persist{kFloors, Bytes::from(key.take()), Bytes::from(value.take()), {}, true});
  while (!origin.open.empty() && origin.open.begin()->first < number) {
    const Instance old{id, origin.open.begin()->first};
    for (const Counter c : {kEcho, kReadied})
      fx.push(Persist{kStatements, key_of(old, c), {}, {}, true});
    fx.push(Persist{kDeliveries, key_of(old), {}, {}, true});
    if (id == config_.self) fx.push(Persist{kOwn, key_of(old), {}, {}, true});
    for (const auto& [digest, payload] : origin.open.begin()->second.payloads)
      origin.bytes -= payload.size();
    origin.open.erase(origin.open.begin());
  }
  origin.floor = number;
  if (id == config_.self) next_ = std::max(next_, number);
}

void Bracha::forget_below(std::uint64_t number, Fx& fx) {
  for (std::uint32_t o = 0; o < origins_.size(); ++o)
    raise_floor(NodeId{static_cast<std::uint16_t>(o)}, number, fx);
}

void Bracha::expect(const Instance& i, Fx& fx) {
  State* s = instance(i);
  if (s == nullptr || s->done || std::exchange(s->expected, true)) return;
  fx.broadcast(Want{i, false});
  arm(fx);
}

const Bytes* Bracha::delivered(const Instance& i) const {
  const auto& open = origins_[i.origin.value].open;
  const auto at = open.find(i.number);
  if (at == open.end() || !at->second.done) return nullptr;
  const auto payload = at->second.payloads.find(*at->second.value);
  return payload == at->second.payloads.end() ? nullptr : &payload->second;
}

// The instance that a peer speaks of. Of one that is too far ahead, or that is forgotten and the
// peer `asks` about, it hears where this node stands.
Bracha::State* Bracha::instance_for(NodeId from, const Instance& i, bool asks, Fx& fx) {
  State* s = instance(i);
  if (s != nullptr) return s;
  ++refused_;
  if (!config_.committee.contains(i.origin)) return nullptr;
  const std::uint64_t floor = origins_[i.origin.value].floor;
  if (asks || i.number >= floor) fx.send(from, Floor{i.origin, floor, i.number >= floor});
  return nullptr;
}

// R9: f+1 peers keep nothing below, so one of them is correct and what is missing there is over.
void Bracha::receive(NodeId from, const Floor& m, Fx& fx) {
  if (!config_.committee.contains(m.origin)) return;
  const Origin& origin = origins_[m.origin.value];
  if (m.number < origin.floor) {
    if (m.asks) fx.send(from, Floor{m.origin, origin.floor, false});
    return;
  }
  if (m.number == origin.floor) return;
  std::uint64_t& told = floors_[{m.origin, from}];
  told = std::max(told, m.number);
  const std::uint32_t some = config_.committee.at_least(kValidity);
  std::vector<std::uint64_t> floors;
  for (auto at = floors_.lower_bound({m.origin, NodeId{0}});
       at != floors_.end() && at->first.first == m.origin; ++at)
    floors.push_back(at->second);
  if (floors.size() < some) return;
  std::nth_element(floors.begin(), floors.begin() + (some - 1), floors.end(), std::greater<>());
  raise_floor(m.origin, floors[some - 1], fx);
}

// Delivered, and everybody is known to be as far.
bool Bracha::settled(const State& s) const {
  return s.done && s.spoke[kReadied].size() == config_.committee.size() && may_forget(s);
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

// Whether the payload alone is missing for a delivery.
bool Bracha::lacks_payload(const State& s) const {
  return s.location == config_.table->locations.size() - 1 && !s.payloads.contains(*s.value);
}

// R6: an open instance is said again to all, and its payload asked for where it is missing.
void Bracha::ask_again(const Instance& i, State& s, Fx& fx) const {
  if (i.origin == config_.self && s.has_input) {
    const auto own = s.payloads.find(s.input);
    if (own != s.payloads.end()) fx.broadcast(Init{i, own->second});
  }
  for (const Counter c : {kEcho, kReadied}) {
    if (s.said[c]) fx.broadcast(Statement{i, c, *s.said[c], true});
  }
  if (s.expected && !s.said[kReadied] && due(++s.age)) fx.broadcast(Want{i, false});
  if (lacks_payload(s)) ask_payload(i, s, config_.committee.size(), fx);
}

// Of f+1 that echoed it one is correct, and has it on disk.
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
  for (std::uint32_t o = 0; o < origins_.size(); ++o) {
    const NodeId id{static_cast<std::uint16_t>(o)};
    for (auto& [number, s] : origins_[o].open) {
      const Instance i{id, number};
      if (!s.done) {
        ask_again(i, s, fx);
        continue;
      }
      // A peer that lost everything does not know that it should ask.
      if (settled(s) || !due(++s.age)) continue;
      for (std::uint32_t k = 0; k < config_.committee.size(); ++k) {
        const NodeId to{static_cast<std::uint16_t>(k)};
        if (!s.spoke[kReadied].contains(to)) repeat(to, i, s, fx);
      }
    }
    trim(id, fx);
  }
  arm(fx);
}

Footprint Bracha::footprint() const {
  Footprint out;
  for (const Origin& origin : origins_) {
    out.instances += origin.open.size();
    out.payload_bytes += origin.bytes;
    for (const auto& [number, state] : origin.open) out.digests += state.counts.size();
  }
  return out;
}

Footprint Bracha::most_held(const Config& config) {
  const std::size_t n = config.committee.size();
  const std::size_t instances = n * 2 * config.window;
  return {instances, instances * 2 * n, n * config.origin_bytes};
}

}  // namespace thresher
