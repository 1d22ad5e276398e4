#include "thresher/protocols/broadcast/bracha.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "keys.hpp"
#include "thresher/core/assert.hpp"

namespace thresher {

using namespace bracha;  // NOLINT(google-build-using-namespace): the protocol's own vocabulary

namespace {

Guard delivering(const RuleTable& table) {
  const auto last = table.locations.size() - 1;
  const auto rule = std::find_if(table.rules.begin(), table.rules.end(),
                                 [&](const Rule& r) { return r.to == last && r.when; });
  return *rule->when;
}

}  // namespace

Bracha::Bracha(Config config)
    : config_(config), delivering_(delivering(*config.table)), shelf_(config_), remains_(config_) {}

std::uint8_t Bracha::last_location() const {
  return static_cast<std::uint8_t>(config_.table->locations.size() - 1);
}

// A node that said the value in both counters of a guard counts once.
std::uint32_t Bracha::Count::senders(const Guard& guard) const {
  const Tally& one = by[guard.counter];
  if (!guard.or_counter) return one.count();
  NodeSet either = one.members();
  either.merge(by[*guard.or_counter].members());
  return either.size();
}

void Bracha::on(const Requested<Request>& event, Fx& fx) {
  const Bytes& payload = event.request.payload;
  const Instance i{config_.self, std::max(next_, event.request.at_least)};
  const bool fits = payload.size() <= config_.payload_bytes && shelf_.has_room(i, payload.size());
  State* s = fits ? shelf_.open(i) : nullptr;
  if (s == nullptr) {
    ++refused_;
    return;
  }
  next_ = i.number + 1;
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

// R1. Without room it is refused for now: its origin repeats it.
void Bracha::receive(NodeId from, const Init& m, Fx& fx) {
  if (from != m.instance.origin || m.payload.size() > config_.payload_bytes) {
    ++refused_;
    return;
  }
  State* s = instance_for(from, m.instance, true, fx);
  if (s == nullptr || s->has_input) return;
  if (!shelf_.has_room(m.instance, m.payload.size())) {
    ++refused_;
    return;
  }
  input(m.instance, *s, m.payload, fx);
}

void Bracha::input(const Instance& i, State& s, const Bytes& payload, Fx& fx) {
  s.has_input = true;
  s.input = hash(payload.view());
  if (!s.value || *s.value == s.input) shelf_.keep(i, s, s.input, payload);
  advance(i, s, fx);
}

void Bracha::receive(NodeId from, const Statement& m, Fx& fx) {
  if (m.counter > kReadied) {
    ++refused_;
    return;
  }
  State* s = instance_for(from, m.instance, m.repeated, fx);
  if (s == nullptr) return;
  if (m.repeated) repeat(from, m.instance, *s, fx);
  if (!s->spoke[m.counter].contains(from)) count(m.instance, *s, from, m.counter, m.digest, fx);
}

// R6
void Bracha::repeat(NodeId to, const Instance& i, const State& s, Fx& fx) const {
  for (const Counter c : {kEcho, kReadied}) {
    if (s.said[c]) fx.send(to, Statement{i, c, *s.said[c]});
  }
}

// R2: a peer counts once for each counter, whatever it says.
void Bracha::count(const Instance& i, State& s, NodeId from, Counter c, const Digest& digest,
                   Fx& fx) {
  s.spoke[c].insert(from);
  const auto [it, fresh] =
      s.counts.try_emplace(digest, Count{{Tally(config_.committee), Tally(config_.committee)}});
  it->second.by[c].add(from);
  THRESHER_ASSERT(s.counts.size() <= std::size(s.spoke) * config_.committee.size(),
                  "R2: a node counts once for each counter");
  advance(i, s, fx);
}

// R3: takes enabled rules until none is left.
void Bracha::advance(const Instance& i, State& s, Fx& fx) {
  bool moved = true;
  while (moved) {
    moved = false;
    const bool bound = config_.table->locations[s.location].holds_value;
    for (const auto& [digest, counts] : s.counts) {
      if (bound && digest != *s.value) continue;
      const auto counted = [&c = counts](const Guard& guard) { return c.senders(guard); };
      const Rule* rule =
          enabled(*config_.table, s.location, s.has_input, counted, config_.committee);
      if (rule != nullptr) {
        take(i, s, *rule, digest, fx);
        moved = true;
        break;
      }
    }
    if (moved || !s.counts.empty()) continue;
    const auto nothing = [](const Guard&) { return std::uint32_t{0}; };
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
    event.tally = s.counts.at(counted).senders(*rule.when);
    event.value = counted.prefix();
  }
  s.location = rule.to;
  if (config_.table->locations[rule.to].holds_value && rule.when) {
    THRESHER_ASSERT(!s.value || *s.value == counted, "R3: a node is committed to one value");
    s.value = counted;
    shelf_.keep_only(i, s, counted);
  }
  if (rule.says) {
    const Digest& digest = rule.says->value == Value::kInput ? s.input : counted;
    if (say(i, s, *rule.says, digest, fx)) event.said = digest.prefix();
  }
  if (config_.trace == nullptr) return;
  event.rule = static_cast<std::uint8_t>(&rule - config_.table->rules.data());
  config_.trace->add(event);
}

// R4: durable first, and once.
bool Bracha::say(const Instance& i, State& s, const Say& what, const Digest& digest, Fx& fx) {
  const auto counter = static_cast<Counter>(what.counter);
  if (s.said[counter] || (what.unless_said && s.said[kEcho] == digest)) return false;
  s.said[counter] = digest;
  // Those who lack the payload ask who echoed it, so it has to outlive a crash as the echo does.
  const auto payload = s.payloads.find(digest);
  const bool with_it = counter == kEcho && payload != s.payloads.end();
  fx.push(Persist{kStatements, key_of(i, counter), Bytes::copy_of(digest.bytes),
                  with_it ? payload->second : Bytes{}, false});
  fx.broadcast(Statement{i, counter, digest});
  s.spoke[counter].insert(config_.self);
  s.counts.try_emplace(digest, Count{{Tally(config_.committee), Tally(config_.committee)}})
      .first->second.by[counter]
      .add(config_.self);
  return true;
}

// R5: delivers once the payload is here.
void Bracha::finish(const Instance& i, State& s, Fx& fx) {
  if (s.location != last_location() || s.done) return;
  const auto payload = s.payloads.find(*s.value);
  if (payload == s.payloads.end()) {
    // The payloads of others may be on their way.
    if (std::exchange(s.expected, false))
      ask_payload(i, s, config_.committee.at_least(kValidity), fx);
    return;
  }
  shelf_.mark_delivered(i, s);
  fx.deliver({i, payload->second});
  const NodeId origin = i.origin;
  trim(origin, fx);
  if (shelf_.far_behind(origin)) catch_up(origin, fx);
}

// R6: the payload once in a tick.
void Bracha::receive(NodeId from, const Want& m, Fx& fx) {
  State* s = instance_for(from, m.instance, true, fx);
  if (s == nullptr) return;
  if (!m.payload) return repeat(from, m.instance, *s, fx);
  // Uncommitted, what it echoed: somebody else may be committed to it.
  const auto payload = s->payloads.find(s->value ? *s->value : s->input);
  if (payload == s->payloads.end()) return;
  if (!s->answered.insert(from)) {
    ++refused_;
    return;
  }
  fx.send(from, Give{m.instance, payload->second});
}

// R6, R7. A payload that only has to be delivered needs no room: a liar may have filled it at this
// node alone.
void Bracha::receive(NodeId from, const Give& m, Fx& fx) {
  State* s = instance_for(from, m.instance, false, fx);
  if (s == nullptr || s->done) return;
  // Only the payload that is about to be delivered: its digest was counted, so it cannot be forged.
  if (!lacks_payload(*s) || m.payload.size() > config_.payload_bytes ||
      hash(m.payload.view()) != *s->value) {
    ++refused_;
    return;
  }
  const bool stays = shelf_.has_room(m.instance, m.payload.size());
  const Digest digest = *s->value;
  shelf_.keep(m.instance, *s, digest, m.payload);
  finish(m.instance, *s, fx);
  if (State* after = shelf_.find(m.instance); after != nullptr && !stays)
    shelf_.drop(m.instance, *after, digest);
}

}  // namespace thresher
