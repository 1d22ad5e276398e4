// `committee-coin`: a weak common coin for fewer bits than n^3, the majority of many coins, each
// tossed by a small fixed committee.
//
//   CommitteeCoin<SetupFree> coin(
//       {.committee = c, .self = id, .lists = lists, .make = strong_coin});
//   executor.run(Requested<coin::Toss>{{0}});     // later: Deliver<coin::Tossed>{0, value}
//
// Members of each committee toss a strong coin among themselves (`Strong`), and tell its bit to
// those parties that listen to them. A party takes from a committee the bit that most of the
// members that it listens to tell, waits for all but 2b committees, and outputs the sign of the
// sum. Guarantees, when liars overpower at most b committees and mislead a party about b more at
// most: every correct node that is up gets a value when all toss; when the committees' bits, as +1
// and -1, add up to more than 6b or less than -6b, all get the same. That this is likely for every
// set of liars of a size is a matter of the lists (committee_lists.hpp), at sizes that no machine
// can run; for few liars CommitteeLists::bears() says it of these lists. Values are durable. Memory
// is bound by the window. Source: Mizrahi and Wattenhofer, "Subcubic coin tossing in asynchrony
// without setup" (arXiv 2603.02071); docs/protocols/committee-coin.md, with the rules by number.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "thresher/core/assert.hpp"
#include "thresher/core/bounded.hpp"
#include "thresher/core/compose.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/protocols/coin/committee_lists.hpp"
#include "thresher/protocols/coin/threshold_coin.hpp"

namespace thresher {

namespace committee_coin {

/// A message of a committee's strong coin, between two of its members.
template <class M>
struct Inside {
  std::uint32_t committee = 0;
  M message;
};
struct Bit {
  std::uint32_t committee = 0;
  bool bit = false;
};
/// Bits of committees to whose members the receiver listens, the sender one of them.
struct Published {
  std::uint64_t instance = 0;
  std::vector<Bit> bits;
};
/// The sender has no value, and wants the bits that the receiver owes it.
struct Ask {
  std::uint64_t instance = 0;
};

/// Nine bytes, and five more for each bit; and the mirror: empty when malformed, or with
/// more bits than there are `committees`.
void encode_word(const std::variant<Published, Ask>& word, Writer& out);
std::optional<std::variant<Published, Ask>> decode_word(Reader& in, std::uint32_t committees);

/// Questions of a peer that are answered in 4 Delta, however often it asks.
inline constexpr std::size_t kAnswers = 16;
/// Unit: 1/1000 of Delta.
inline constexpr Delay kRepeat{4000};

}  // namespace committee_coin

template <class Strong>
class CommitteeCoin {
 public:
  using Inside = committee_coin::Inside<typename Strong::Message>;
  using Message = std::variant<Inside, committee_coin::Published, committee_coin::Ask>;
  using Output = coin::Tossed;
  using Request = coin::Toss;
  using Fx = Effects<Message, Output>;

  struct Config {
    Committee committee = *Committee::make(4, 1);
    NodeId self{};
    std::shared_ptr<const coin::CommitteeLists> lists;
    /// This node's half of a committee's strong coin, whose parties are the places in its list.
    std::function<Strong(std::uint32_t committee, const Committee&, NodeId place)> make;
    std::uint64_t window = 16;  ///< instances kept, those of the strong coins at least
  };

  /// Pre: config.lists is not null and for as many nodes; config.make is not empty.
  explicit CommitteeCoin(Config config);

  void on(const Restored& e, Fx& fx);
  void on(const Start& e, Fx& fx);
  void on(const Received<Message>& e, Fx& fx);
  void on(const Requested<coin::Toss>& e, Fx& fx);
  void on(const Expired& e, Fx& fx);

  /// If instances are tossed one after the other: those below were tossed, or may be now.
  std::uint64_t due() const { return values_.empty() ? 0 : values_.rbegin()->first + 2; }
  std::uint64_t refused() const;
  const Config& config() const { return config_; }
  /// The bits that this node tossed in an instance, by committee.
  std::map<std::uint32_t, bool> tossed(std::uint64_t instance) const {
    const auto it = states_.find(instance);
    return it == states_.end() ? std::map<std::uint32_t, bool>{} : it->second.tossed;
  }
  std::optional<bool> value(std::uint64_t instance) const {
    const auto it = values_.find(instance);
    return it == values_.end() ? std::nullopt : std::optional(it->second);
  }
  std::uint64_t floor() const { return floor_; }
  /// Bits of peers that are held, and the most that there may be.
  std::size_t reports() const;
  std::size_t most_reports() const {
    return config_.window * config_.lists->committees() * config_.lists->listened();
  }
  /// This node's coins, by committee.
  const std::map<std::uint32_t, Strong>& coins() const { return coins_; }

 private:
  /// Prefix of the keys of this protocol's own records; those of a coin have its committee's.
  static constexpr std::uint32_t kOwn = ~std::uint32_t{0};
  static constexpr TimerId kRepeatTimer{1, {}};

  struct State {
    bool joined = false;                                      // this node tosses it
    std::map<std::uint32_t, bool> tossed{};                   // by own committee
    std::map<std::uint32_t, std::map<NodeId, bool>> heard{};  // by committee and member
    std::map<std::uint32_t, bool> taken{};                    // what most of these tell
  };

  bool reaches(std::uint64_t instance) const {
    return instance >= floor_ && instance - floor_ < config_.window;
  }
  std::optional<NodeId> place_of(std::uint32_t committee, NodeId node) const;
  bool listens(NodeId party, NodeId member, std::uint32_t committee) const;
  template <class Input>
  void feed(std::uint32_t committee, Strong& coin, const Input& input, Fx& fx);
  void raise(std::uint32_t committee, EffectsOf<Strong>& child, Fx& fx);
  void tossed(std::uint32_t committee, const coin::Tossed& t, Fx& fx);
  void receive(NodeId from, const Inside& m, Fx& fx);
  void receive(NodeId from, const committee_coin::Published& m, Fx& fx);
  void receive(NodeId from, const committee_coin::Ask& m, Fx& fx);
  void hear(std::uint64_t instance, NodeId from, const committee_coin::Bit& b, Fx& fx);
  void finish(std::uint64_t instance, State& s, Fx& fx);
  void forget_below(std::uint64_t instance, Fx& fx);
  void arm(Fx& fx);
  static Bytes key_of(std::uint32_t prefix, ByteView rest) {
    return Bytes::from(Writer().u32(prefix).bytes(rest).take());
  }
  static Bytes own_key(std::uint64_t instance) {
    return Bytes::from(Writer().u32(kOwn).u64(instance).take());
  }

  Config config_;
  std::map<std::uint32_t, Strong> coins_;
  std::map<std::uint64_t, State> states_;
  std::map<std::uint64_t, bool> values_;
  std::uint64_t floor_ = 0;
  PeerQuota<committee_coin::kAnswers> served_;  // questions answered since the last tick
  bool serves_ = false;                         // some were
  bool armed_ = false;
  std::uint64_t refused_ = 0;
};

template <class Strong>
CommitteeCoin<Strong>::CommitteeCoin(Config config)
    : config_(std::move(config)), served_(config_.committee.size()) {
  THRESHER_ASSERT(config_.lists != nullptr && config_.make, "lists of committees, and their coins");
  const std::uint32_t size = config_.lists->size();
  const Committee among = *Committee::make(size, (size - 1) / 3);
  for (const std::uint32_t j : config_.lists->of(config_.self))
    coins_.emplace(j, config_.make(j, among, *place_of(j, config_.self)));
}

template <class Strong>
std::optional<NodeId> CommitteeCoin<Strong>::place_of(std::uint32_t committee, NodeId node) const {
  const auto& members = config_.lists->members(committee);
  const auto at = std::find(members.begin(), members.end(), node);
  if (at == members.end()) return std::nullopt;
  return NodeId{static_cast<std::uint16_t>(at - members.begin())};
}

template <class Strong>
bool CommitteeCoin<Strong>::listens(NodeId party, NodeId member, std::uint32_t committee) const {
  const auto place = place_of(committee, member);
  const auto places = config_.lists->listens(party, committee);
  return place && std::find(places.begin(), places.end(), place->value) != places.end();
}

template <class Strong>
void CommitteeCoin<Strong>::on(const Restored& e, Fx& fx) {
  Reader key(e.key.view());
  const std::uint32_t prefix = key.u32();
  if (!key.ok()) return;
  if (prefix == kOwn) {
    values_.insert_or_assign(key.u64(), Reader(e.value.view()).u8() == 1);
  } else if (const auto at = coins_.find(prefix); at != coins_.end()) {
    Restored inner = e;
    inner.key = Bytes::copy_of(key.bytes(key.remaining()));
    feed(prefix, at->second, inner, fx);
  }
}

template <class Strong>
void CommitteeCoin<Strong>::on(const Start& e, Fx& fx) {
  if (!values_.empty()) {
    const std::uint64_t last = values_.rbegin()->first;
    floor_ = last + 1 > config_.window ? last + 1 - config_.window : 0;
  }
  values_.erase(values_.begin(), values_.lower_bound(floor_));
  for (const auto& [instance, bit] : values_) fx.deliver({instance, coin::value_of_bit(bit)});
  for (auto& [j, coin] : coins_) feed(j, coin, e, fx);
}

template <class Strong>
void CommitteeCoin<Strong>::on(const Received<Message>& e, Fx& fx) {
  if (!config_.committee.contains(e.from) || e.from == config_.self) return;
  std::visit([&](const auto& m) { receive(e.from, m, fx); }, e.message);
  arm(fx);
}

// R2
template <class Strong>
void CommitteeCoin<Strong>::on(const Requested<coin::Toss>& e, Fx& fx) {
  const std::uint64_t instance = e.request.instance;
  if (instance < floor_) return;
  if (!reaches(instance)) forget_below(instance - config_.window + 1, fx);
  states_[instance].joined = true;
  for (auto& [j, coin] : coins_) feed(j, coin, e, fx);
  arm(fx);
}

// R5
template <class Strong>
void CommitteeCoin<Strong>::on(const Expired& e, Fx& fx) {
  if (e.id.route.depth > 0) {
    Expired inner = e;
    const std::uint32_t j = pop_hop(inner.id.route);
    if (const auto at = coins_.find(j); at != coins_.end()) feed(j, at->second, inner, fx);
  } else if (e.id == kRepeatTimer) {
    armed_ = false;
    if (std::exchange(serves_, false))
      served_ = PeerQuota<committee_coin::kAnswers>(config_.committee.size());
    for (const auto& [instance, s] : states_) {
      if (s.joined && !values_.contains(instance)) fx.broadcast(committee_coin::Ask{instance});
    }
  }
  arm(fx);
}

template <class Strong>
template <class Input>
void CommitteeCoin<Strong>::feed(std::uint32_t committee, Strong& coin, const Input& input,
                                 Fx& fx) {
  EffectsOf<Strong> child;
  if constexpr (requires { coin.on(input, child); }) {
    coin.on(input, child);
    raise(committee, child, fx);
  }
}

// A coin's messages go to its committee's members alone, which it knows by their places.
template <class Strong>
void CommitteeCoin<Strong>::raise(std::uint32_t committee, EffectsOf<Strong>& child, Fx& fx) {
  using M = typename Strong::Message;
  const auto& members = config_.lists->members(committee);
  EffectsOf<Strong> rest;
  const auto flush = [&] {
    lift(
        rest, fx, committee,
        [committee](M&& m) {
          return Message(Inside{committee, std::move(m)});
        },
        [&](const coin::Tossed& t) { tossed(committee, t, fx); });
  };
  for (auto& effect : child.list()) {
    if (auto* send = std::get_if<Send<M>>(&effect)) {
      flush();
      fx.send(members[send->to.value], Inside{committee, std::move(send->message)});
    } else if (auto* all = std::get_if<Broadcast<M>>(&effect)) {
      flush();
      for (const NodeId member : members) {
        if (member != config_.self) fx.send(member, Inside{committee, all->message});
      }
    } else {
      if (auto* record = std::get_if<Persist>(&effect))
        record->key = key_of(committee, record->key.view());
      rest.push(std::move(effect));
    }
  }
  flush();
}

// R3
template <class Strong>
void CommitteeCoin<Strong>::tossed(std::uint32_t committee, const coin::Tossed& t, Fx& fx) {
  if (!reaches(t.instance)) return;
  const bool bit = coin::coin_bit(t.value);
  if (!states_[t.instance].tossed.emplace(committee, bit).second) return;
  for (const NodeId party : node_ids(config_.committee.size())) {
    if (!listens(party, config_.self, committee)) continue;
    if (party == config_.self) {
      hear(t.instance, party, {committee, bit}, fx);
    } else {
      fx.send(party, committee_coin::Published{t.instance, {{committee, bit}}});
    }
  }
}

template <class Strong>
void CommitteeCoin<Strong>::receive(NodeId from, const Inside& m, Fx& fx) {
  const auto at = coins_.find(m.committee);
  const auto place = at == coins_.end() ? std::nullopt : place_of(m.committee, from);
  if (!place) {
    ++refused_;
    return;
  }
  feed(m.committee, at->second, Received<typename Strong::Message>{*place, m.message}, fx);
}

template <class Strong>
void CommitteeCoin<Strong>::receive(NodeId from, const committee_coin::Published& m, Fx& fx) {
  if (!reaches(m.instance)) {
    ++refused_;
    return;
  }
  for (const committee_coin::Bit& b : m.bits) {
    const bool counts =
        b.committee < config_.lists->committees() && listens(config_.self, from, b.committee);
    if (counts) {
      hear(m.instance, from, b, fx);
    } else {
      ++refused_;
    }
  }
}

// R5
template <class Strong>
void CommitteeCoin<Strong>::receive(NodeId from, const committee_coin::Ask& m, Fx& fx) {
  const auto at = states_.find(m.instance);
  if (at == states_.end() || !served_.take(from)) return;
  serves_ = true;
  committee_coin::Published owed{m.instance, {}};
  for (const auto& [j, bit] : at->second.tossed) {
    if (listens(from, config_.self, j)) owed.bits.push_back({j, bit});
  }
  if (!owed.bits.empty()) fx.send(from, std::move(owed));
}

// R3: the first word of a member counts.
template <class Strong>
void CommitteeCoin<Strong>::hear(std::uint64_t instance, NodeId from, const committee_coin::Bit& b,
                                 Fx& fx) {
  State& s = states_[instance];
  const auto [known, fresh] = s.heard[b.committee].try_emplace(from, b.bit);
  if (!fresh) {
    refused_ += known->second != b.bit ? 1 : 0;
    return;
  }
  const auto& heard = s.heard[b.committee];
  const auto alike = static_cast<std::uint32_t>(std::count_if(
      heard.begin(), heard.end(), [&](const auto& report) { return report.second == b.bit; }));
  if (2 * alike <= config_.lists->listened()) return;
  s.taken.emplace(b.committee, b.bit);
  finish(instance, s, fx);
}

// R4
template <class Strong>
void CommitteeCoin<Strong>::finish(std::uint64_t instance, State& s, Fx& fx) {
  const coin::CommitteeLists& lists = *config_.lists;
  if (values_.contains(instance) || s.taken.size() + 2 * lists.bound() < lists.committees()) return;
  std::int64_t sum = 0;
  for (const auto& [j, bit] : s.taken) sum += bit ? 1 : -1;
  const bool value = sum > 0;
  values_.emplace(instance, value);
  fx.push(Persist{1, own_key(instance), Bytes::from(Writer().u8(value ? 1 : 0).take())});
  fx.deliver({instance, coin::value_of_bit(value)});
}

template <class Strong>
void CommitteeCoin<Strong>::forget_below(std::uint64_t instance, Fx& fx) {
  floor_ = instance;
  states_.erase(states_.begin(), states_.lower_bound(instance));
  for (auto it = values_.begin(); it != values_.end() && it->first < instance;
       it = values_.erase(it))
    fx.push(Persist{1, own_key(it->first), {}, {}, true});
}

template <class Strong>
std::uint64_t CommitteeCoin<Strong>::refused() const {
  std::uint64_t out = refused_;
  for (const auto& entry : coins_) {
    const auto& coin = entry.second;
    if constexpr (requires { coin.refused(); }) {
      out += coin.refused();
    } else {
      out += coin.stats().refused;
    }
  }
  return out;
}

template <class Strong>
std::size_t CommitteeCoin<Strong>::reports() const {
  std::size_t out = 0;
  for (const auto& [instance, s] : states_) {
    for (const auto& [j, heard] : s.heard) out += heard.size();
  }
  return out;
}

template <class Strong>
void CommitteeCoin<Strong>::arm(Fx& fx) {
  const bool open = std::any_of(states_.begin(), states_.end(), [&](const auto& entry) {
    return entry.second.joined && !values_.contains(entry.first);
  });
  if ((open || serves_) && !std::exchange(armed_, true))
    fx.push(ArmTimer{kRepeatTimer, committee_coin::kRepeat});
}

}  // namespace thresher
