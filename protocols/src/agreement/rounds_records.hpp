// What RoundAgreement keeps: records, restarts, repetitions, what is forgotten. Rules A6 to A8 of
// docs/protocols/agreement.md. Private.
#pragma once

#include <algorithm>

#include "thresher/core/compose.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/protocols/agreement/rounds.hpp"
#include "thresher/protocols/broadcast/shelf.hpp"

namespace thresher::agreement {

inline constexpr TimerId kRepeatTimer{1, {}};
inline constexpr std::uint32_t kCoinHop = 1;

inline Bytes key_of(std::uint64_t instance) {
  Writer w;
  w.u64(instance);
  return Bytes::from(w.take());
}
inline Bytes key_of(std::uint64_t instance, std::uint32_t round) {
  Writer w;
  w.u64(instance).u32(round);
  return Bytes::from(w.take());
}
inline Bytes decision_bytes(bool value, bool over) {
  Writer w;
  w.u8(static_cast<std::uint8_t>((value ? 1 : 0) | (over ? 2 : 0)));
  return Bytes::from(w.take());
}

template <class Coin>
void RoundAgreement<Coin>::keep(std::uint64_t instance, std::uint32_t round, const Round& state,
                                Fx& fx) const {
  fx.push(Persist{kRounds, key_of(instance, round), state.record()});
}

// Whatever instance a record is of, it counts: what window it fits is known only when all records
// are there, and the base may come after them.
template <class Coin>
void RoundAgreement<Coin>::on(const Restored& record, Fx&) {
  Reader key(record.key.view());
  Reader value(record.value.view());
  if (record.table == kBase) {
    floor_ = base_ = std::max(base_, value.u64());
    return;
  }
  const std::uint64_t instance = key.u64();
  if (record.table == kDecisions) {
    const std::uint8_t code = value.u8();
    if ((code & 2) != 0) {
      over_.emplace(instance, (code & 1) != 0);
    } else {
      place(instance).decided = (code & 1) != 0;
    }
  } else if (record.table == kRounds) {
    const std::uint32_t round = key.u32();
    State& s = place(instance);
    Round& r = round_of(s, round);
    r.restore(config_.self, record.value, trace_of(instance, round));
    if (r.entered()) s.round = std::max(s.round, round);
  }
}

template <class Coin>
void RoundAgreement<Coin>::on(const Start& start, Fx& fx) {
  if constexpr (requires { coin_.on(start, std::declval<typename Coin::Fx&>()); })
    feed_coin(start, fx);
  open_.erase(open_.begin(), open_.lower_bound(floor_));
  over_.erase(over_.begin(), over_.lower_bound(floor_));
  for (const auto& [instance, value] : over_) {
    open_.erase(instance);
    top_ = instance + 1;
    end_group(instance, fx);
    fx.deliver(Decision{instance, value, 0});
  }
  raise_base();
  const bool restored = !over_.empty() || !open_.empty();
  std::vector<std::uint64_t> found;
  for (auto& [instance, s] : open_) {
    found.push_back(instance);
    if (s.round > kKept) leave_below(instance, s, s.round - kKept + 1, fx);
    if (!s.decided) continue;
    s.done[*s.decided ? 1 : 0].add(config_.self);
    fx.deliver(Decision{instance, *s.decided, 0});
    if (s.round == 0) enter(instance, s, 1, *s.decided, fx);
  }
  for (const std::uint64_t instance : found) drive(instance, fx);
  if (restored) fx.broadcast(Want{base_});
  arm(fx);
}

template <class Coin>
void RoundAgreement<Coin>::on(const Expired& event, Fx& fx) {
  if (event.id.route.depth > 0) {
    Expired inner = event;
    (void)pop_hop(inner.id.route);
    feed_coin(inner, fx);
    return;
  }
  if (event.id != kRepeatTimer) return;
  armed_ = false;
  if (std::exchange(serves_, false)) served_ = PeerQuota<kAnswers>(config_.committee.size());
  bool lacks = missed_one() || missed_far();
  for (auto& [instance, s] : open_) {
    if (s.age++ == 0) continue;
    lacks = lacks || (s.round == 0 && matters(s));
    repeat(instance, s, fx);
  }
  if (lacks) {
    beyond_ = NodeSet(config_.committee.size());
    fx.broadcast(Want{base_});
  }
  remind(fx);
  arm(fx);
}

// A7. A later instance is over, and in this one the node did not even propose: others may have done
// with it while they were out of reach, and nobody reminds of any but the last.
template <class Coin>
bool RoundAgreement<Coin>::missed_one() {
  std::uint64_t lowest = base_;
  const auto known = [&](std::uint64_t instance) {
    const auto it = open_.find(instance);
    return over(instance) || (it != open_.end() && it->second.round != 0);
  };
  while (lowest < top_ && known(lowest)) ++lowest;
  missed_ticks_ = lowest < top_ && lowest == missed_ ? missed_ticks_ + 1 : 0;
  missed_ = lowest;
  return missed_ticks_ > 0 && broadcast::due(missed_ticks_);
}

// A6. What liars alone speak of is no reason to do anything.
template <class Coin>
bool RoundAgreement<Coin>::missed_far() const {
  return beyond_.size() >= config_.committee.at_least(kValidity);
}
template <class Coin>
bool RoundAgreement<Coin>::matters(const State& s) const {
  return s.round != 0 || s.spoke.size() >= config_.committee.at_least(kValidity);
}

// A6: what is open here is said again to all.
template <class Coin>
void RoundAgreement<Coin>::repeat(std::uint64_t instance, const State& s, Fx& fx) const {
  for (auto it = s.rounds.lower_bound(s.round > 1 ? s.round - 1 : 1); it != s.rounds.end(); ++it) {
    if (it->second.said() != 0) fx.broadcast(Said{instance, it->first, it->second.said(), true});
  }
  if (s.decided) fx.broadcast(Done{instance, *s.decided, true});
}

// A7: peers that may not know how far others are hear of the last instance, ever more seldom.
template <class Coin>
void RoundAgreement<Coin>::remind(Fx& fx) {
  if (all_know() || !broadcast::due(++reminders_)) return;
  const auto last = over_.find(top_ - 1);
  if (last == over_.end()) return;
  for (const NodeId i : node_ids(told_.size())) {
    if (i != config_.self && told_[i.value] < top_)
      fx.send(i, Done{last->first, last->second, true});
  }
}

template <class Coin>
bool RoundAgreement<Coin>::all_know() const {
  for (const NodeId i : node_ids(told_.size())) {
    if (i != config_.self && told_[i.value] < top_) return false;
  }
  return true;
}

template <class Coin>
void RoundAgreement<Coin>::arm(Fx& fx) {
  if (armed_) return;
  const bool idle = base_ >= top_ && !missed_far() && !serves_ && all_know() &&
                    std::none_of(open_.begin(), open_.end(),
                                 [this](const auto& entry) { return matters(entry.second); });
  if (idle) return;
  armed_ = true;
  fx.push(ArmTimer{kRepeatTimer, broadcast::kRepeat});
}

template <class Coin>
void RoundAgreement<Coin>::raise_base() {
  while (over_.contains(base_) || answered(base_)) ++base_;
}

// A8
template <class Coin>
void RoundAgreement<Coin>::forget_below(std::uint64_t instance, Fx& fx) {
  if (instance <= floor_) return;
  floor_ = instance;
  for (auto it = over_.begin(); it != over_.end() && it->first < instance; it = over_.erase(it))
    fx.push(Persist{kDecisions, key_of(it->first), {}, {}, true});
  for (auto it = open_.begin(); it != open_.end() && it->first < instance; it = open_.erase(it)) {
    drop_below(it->first, it->second, it->second.round + 1, fx);
    if (it->second.decided) fx.push(Persist{kDecisions, key_of(it->first), {}, {}, true});
  }
  if (config_.group != 0)
    answered_.erase(answered_.begin(), answered_.lower_bound(instance / config_.group));
  fx.push(Persist{kBase, {}, key_of(instance), {}, true});
  forget_coins(0, instance);
  base_ = std::max(base_, instance);
  raise_base();
}

template <class Coin>
void RoundAgreement<Coin>::forget_coins(std::uint64_t first, std::uint64_t last) {
  coin_.forget(first << kRoundBits, last << kRoundBits);
}

template <class Coin>
std::optional<bool> RoundAgreement<Coin>::decided(std::uint64_t instance) const {
  const auto over = over_.find(instance);
  if (over != over_.end()) return over->second;
  const auto s = open_.find(instance);
  return s == open_.end() ? std::nullopt : s->second.decided;
}

template <class Coin>
std::uint32_t RoundAgreement<Coin>::round(std::uint64_t instance) const {
  const auto s = open_.find(instance);
  return s == open_.end() ? 0 : s->second.round;
}

template <class Coin>
Footprint RoundAgreement<Coin>::footprint() const {
  Footprint out{open_.size(), 0};
  for (const auto& [instance, s] : open_) {
    out.rounds += static_cast<std::size_t>(std::count_if(
        s.rounds.begin(), s.rounds.end(), [](const auto& round) { return !round.second.left(); }));
  }
  return out;
}

}  // namespace thresher::agreement
