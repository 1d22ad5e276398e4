// What RoundAgreement does with inputs: rules A1 to A6, A9 of docs/protocols/agreement.md. Private.
#pragma once

#include <algorithm>
#include <utility>

#include "rounds_records.hpp"
#include "thresher/core/assert.hpp"

namespace thresher::agreement {

template <class Coin>
void RoundAgreement<Coin>::on(const Requested<Propose>& event, Fx& fx) {
  const auto& [instance, value] = event.request;
  State* s = open(instance, config_.self);
  if (s == nullptr) {
    if (!over(instance)) ++refused_;
    return;
  }
  if (s->round != 0) return;
  enter(instance, *s, 1, value, fx);
  drive(instance, fx);
  arm(fx);
}

template <class Coin>
void RoundAgreement<Coin>::on(const Received<Message>& event, Fx& fx) {
  if (event.from == config_.self || !config_.committee.contains(event.from)) return;
  std::visit([&](const auto& m) { receive(event.from, m, fx); }, event.message);
  arm(fx);
}

// A3
template <class Coin>
void RoundAgreement<Coin>::receive(NodeId from, const Said& m, Fx& fx) {
  State* s = open(m.instance, from);
  if (s == nullptr || !reaches(*s, m.round)) {
    if (!over(m.instance)) ++refused_;
    if (m.asks) answer(from, m.instance, m.round, fx);
    return;
  }
  s->spoke.insert(from);
  const bool fresh = round_of(*s, m.round).hear(from, m.counters);
  if (fresh && m.round < s->round) advance(m.instance, *s, m.round, fx);
  if (fresh && m.round == s->round) drive(m.instance, fx);
  const auto open = open_.find(m.instance);  // what was driven may be over now, and gone
  const bool behind = open != open_.end() && m.round + 1 < open->second.round;
  // A peer two rounds behind lost something, or was away.
  if (m.asks || (fresh && behind)) answer(from, m.instance, m.round, fx);
}

// A5, the termination gadget.
template <class Coin>
void RoundAgreement<Coin>::receive(NodeId from, const Done& m, Fx& fx) {
  told_[from.value] = std::max(told_[from.value], std::min(m.instance, top_) + 1);
  if (m.asks) answer(from, m.instance, 0, fx);
  State* s = open(m.instance, from);
  if (s == nullptr) {
    if (!over(m.instance)) ++refused_;
    return;
  }
  s->spoke.insert(from);
  Tally& said = s->done[m.value ? 1 : 0];
  if (!said.add(from)) return;
  if (said.reached(kValidity, config_.committee)) decide(m.instance, *s, m.value, 0, fx);
  drive(m.instance, fx);
}

template <class Coin>
void RoundAgreement<Coin>::receive(NodeId from, const Want& m, Fx& fx) {
  for (auto it = over_.lower_bound(m.instance); it != over_.end() && served_.take(from); ++it) {
    serves_ = true;
    fx.send(from, Done{it->first, it->second, false});
  }
}

template <class Coin>
void RoundAgreement<Coin>::receive(NodeId from, const typename Coin::Message& m, Fx& fx) {
  const std::uint64_t instance = m.instance >> kRoundBits;
  const auto round = static_cast<std::uint32_t>(m.instance & ((1u << kRoundBits) - 1));
  State* s = open(instance, from);
  if (s == nullptr || !reaches(*s, round)) {
    if (!over(instance)) ++refused_;
    if (over_.contains(instance)) answer(from, instance, round, fx);
    return;
  }
  // A round that this node has left has shown its coin; a node that restarted since forgot
  // it.
  if constexpr (requires { coin_.on(coin::Late{}, std::declval<typename Coin::Fx&>()); }) {
    if (round < s->round) return feed_coin(coin::Late{from, m}, fx);
  }
  feed_coin(Received<typename Coin::Message>{from, m}, fx);
  drive(instance, fx);
}

// A late message is no fault: correct nodes were slower, and say what they have to say.
template <class Coin>
bool RoundAgreement<Coin>::over(std::uint64_t instance) const {
  return instance < base_ || over_.contains(instance) || answered(instance);
}

template <class Coin>
bool RoundAgreement<Coin>::answered(std::uint64_t instance) const {
  return config_.group != 0 && answered_.contains(instance / config_.group);
}

// Null: out of reach, over or forgotten, or without coins of its own: these are numbered by
// instance and round in 64 bits, of which the upper half is left to what a coin looks ahead to.
template <class Coin>
typename RoundAgreement<Coin>::State* RoundAgreement<Coin>::open(std::uint64_t instance,
                                                                 NodeId by) {
  const auto it = open_.find(instance);
  if (it != open_.end()) return &it->second;
  if (over(instance) || instance >> (63 - kRoundBits) != 0) return nullptr;
  if (instance - base_ >= config_.window) {
    if (by != config_.self) beyond_.insert(by);
    return nullptr;
  }
  return &place(instance);
}

// Wherever it lies. Statements of peers go through open().
template <class Coin>
typename RoundAgreement<Coin>::State& RoundAgreement<Coin>::place(std::uint64_t instance) {
  const auto [it, fresh] = open_.try_emplace(instance);
  if (fresh) {
    for (Tally& done : it->second.done) done = Tally(config_.committee);
  }
  return it->second;
}

template <class Coin>
bool RoundAgreement<Coin>::reaches(const State& s, std::uint32_t round) const {
  return round >= 1 && round + kKept > s.round && round <= s.round + kAhead;
}

template <class Coin>
Round& RoundAgreement<Coin>::round_of(State& s, std::uint32_t round) {
  return s.rounds.try_emplace(round, *config_.tables, config_.committee).first->second;
}

// What this node said there; A6.
template <class Coin>
void RoundAgreement<Coin>::answer(NodeId to, std::uint64_t instance, std::uint32_t round,
                                  Fx& fx) const {
  const auto s = open_.find(instance);
  if (s != open_.end()) {
    const auto r = s->second.rounds.find(round);
    if (r != s->second.rounds.end() && r->second.said() != 0)
      fx.send(to, Said{instance, round, r->second.said(), false});
  }
  if (const auto value = decided(instance)) fx.send(to, Done{instance, *value, false});
}

// A1
template <class Coin>
void RoundAgreement<Coin>::enter(std::uint64_t instance, State& s, std::uint32_t round,
                                 bool estimate, Fx& fx) {
  THRESHER_ASSERT(round <= kLastRound, "rounds have numbers of 16 bits");
  s.round = round;
  s.tossed = false;
  round_of(s, round).enter(estimate);
  if (round > kKept) leave_below(instance, s, round - kKept + 1, fx);
}

// A2: steps, then their record, then their statements.
template <class Coin>
void RoundAgreement<Coin>::advance(std::uint64_t instance, State& s, std::uint32_t round, Fx& fx) {
  Round& r = round_of(s, round);
  const BitSet before = r.said();
  const bool asked = r.asks_coin();
  r.advance(config_.self, trace_of(instance, round));
  const bool spoke = r.said() != before;
  if (!spoke && (asked || !r.asks_coin())) return;
  s.age = 0;
  keep(instance, round, r, fx);
  if (spoke) fx.broadcast(Said{instance, round, r.said(), false});
}

// Takes the instance as far as it goes now.
template <class Coin>
void RoundAgreement<Coin>::drive(std::uint64_t instance, Fx& fx) {
  for (;;) {
    const auto it = open_.find(instance);
    if (it == open_.end() || close(instance, fx)) return;
    State& s = it->second;
    if (s.round == 0) return;
    advance(instance, s, s.round, fx);
    const Round& r = round_of(s, s.round);
    if (r.asks_coin() && !s.tossed) {
      s.tossed = true;
      feed_coin(Requested<coin::Toss>{{instance << kRoundBits | s.round}}, fx);
    } else if (const auto value = r.ended(); value && s.round != s.last && s.round < kLastRound) {
      finish_round(instance, s, *value, fx);
    } else {
      return;
    }
  }
}

template <class Coin>
void RoundAgreement<Coin>::finish_round(std::uint64_t instance, State& s, bool value, Fx& fx) {
  const std::uint32_t next = s.round + 1;
  if (!s.tossed) {
    // A node that does not need the coin helps those that do, once it is on disk that it knows
    // better.
    s.tossed = true;
    keep(instance, s.round, round_of(s, s.round), fx);
    feed_coin(Requested<coin::Toss>{{instance << kRoundBits | s.round}}, fx);
  }
  if (round_of(s, s.round).decides()) {
    if (s.last == 0) s.last = s.round + kKept;
    decide(instance, s, value, s.round, fx);
  }
  enter(instance, s, next, value, fx);
}

// A4. A node that decides before it proposed takes part with the decision: others may need it.
template <class Coin>
void RoundAgreement<Coin>::decide(std::uint64_t instance, State& s, bool value, std::uint32_t round,
                                  Fx& fx) {
  THRESHER_ASSERT(!s.decided || *s.decided == value, "an instance has one decision");
  if (s.decided) return;
  s.decided = value;
  s.age = 0;
  s.done[value ? 1 : 0].add(config_.self);
  fx.push(Persist{kDecisions, key_of(instance), decision_bytes(value, false)});
  fx.deliver(Decision{instance, value, round});
  fx.broadcast(Done{instance, value, false});
  if (s.round == 0) enter(instance, s, 1, value, fx);
}

// A5: 2f+1 decided, so f+1 correct ones tell everybody, and this node's rounds are needed no more.
template <class Coin>
bool RoundAgreement<Coin>::close(std::uint64_t instance, Fx& fx) {
  const auto it = open_.find(instance);
  const State& s = it->second;
  if (!s.decided || !s.done[*s.decided ? 1 : 0].reached(kStrong, config_.committee)) return false;
  const bool value = *s.decided;
  fx.push(Persist{kDecisions, key_of(instance), decision_bytes(value, true), {}, true});
  drop_below(instance, it->second, it->second.round + 1, fx);
  forget_coins(instance, instance + 1);
  open_.erase(it);
  over_.emplace(instance, value);
  if (instance >= top_) {
    top_ = instance + 1;
    reminders_ = 0;
  }
  end_group(instance, fx);
  raise_base();
  return true;
}

// A9: who decided the 1 tells all others, so nobody needs the rest of the group to learn it.
template <class Coin>
void RoundAgreement<Coin>::end_group(std::uint64_t instance, Fx& fx) {
  if (config_.group == 0 || !over_.at(instance)) return;
  const std::uint64_t group = instance / config_.group;
  if (!answered_.insert(group).second) return;
  const std::uint64_t first = group * config_.group;
  for (auto it = open_.lower_bound(first);
       it != open_.end() && it->first - first < config_.group;) {
    drop_below(it->first, it->second, it->second.round + 1, fx);
    if (it->second.decided) fx.push(Persist{kDecisions, key_of(it->first), {}, {}, true});
    forget_coins(it->first, it->first + 1);
    it = open_.erase(it);
  }
}

// A1. Where a round's tables stand alone, a node that left it has said all that it ever says there,
// and one that is stuck there needs no more than that. Where nodes throw coins of their own, liars
// can drive the others on for any number of rounds, so that is kept.
template <class Coin>
void RoundAgreement<Coin>::leave_below(std::uint64_t instance, State& s, std::uint32_t round,
                                       Fx& fx) {
  if (config_.tables->under != nullptr) return drop_below(instance, s, round, fx);
  auto it = s.rounds.lower_bound(round);
  while (it != s.rounds.begin() && !std::prev(it)->second.left()) (--it)->second.leave();
}

template <class Coin>
void RoundAgreement<Coin>::drop_below(std::uint64_t instance, State& s, std::uint32_t round,
                                      Fx& fx) {
  while (!s.rounds.empty() && s.rounds.begin()->first < round) {
    const auto first = s.rounds.begin();
    if (first->second.entered())
      fx.push(Persist{kRounds, key_of(instance, first->first), {}, {}, true});
    s.rounds.erase(first);
  }
}

template <class Coin>
template <class Input>
void RoundAgreement<Coin>::feed_coin(const Input& input, Fx& fx) {
  typename Coin::Fx child;
  coin_.on(input, child);
  lift(
      child, fx, kCoinHop, [](typename Coin::Message&& m) { return Message(std::move(m)); },
      [this](const coin::Tossed& tossed) { show(tossed); });
}

template <class Coin>
void RoundAgreement<Coin>::show(const coin::Tossed& tossed) {
  const auto it = open_.find(tossed.instance >> kRoundBits);
  if (it == open_.end()) return;
  State& s = it->second;
  if ((tossed.instance & ((1u << kRoundBits) - 1)) != s.round) return;
  round_of(s, s.round).show((tossed.value.prefix() & 1) != 0);
}

}  // namespace thresher::agreement
