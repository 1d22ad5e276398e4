// `common-subset`: of payloads that all nodes broadcast, n-f or more on which all agree.
// HoneyBadger's asynchronous common subset, in epochs, over any broadcast and any binary agreement
// of the shelves.
//
//   using Subset = CommonSubset<Avid, BcaAgreement>;
//   Subset node({.committee = c, .self = NodeId{0}, .coin = scheme, .valid = well_formed});
//   executor.run(Requested<subset::Submit>{{epoch, payload}});
//   // later, once for each epoch: Deliver<subset::Output>{epoch, {{origin, payload}, ...}}
//
// Guarantees, with up to f Byzantine nodes at any timing and when every correct node submits a
// payload in an epoch that all correct nodes find valid:
//   agreement    all correct nodes output the same list for the epoch;
//   size         it has the payloads of at least n-f origins, so of at least n-2f correct ones;
//   validity     each payload was valid to some correct node, and is what its origin broadcast;
//   termination  every correct node outputs it, with probability one.
// Epochs may overlap, at most Config::window of them counted from the first that the owner has not
// forgotten; they are output when they are done, in any order. A node that submits nothing still
// outputs. What was output is kept, for those who lag, until the owner forgets it. A restarted node
// goes on where it was and outputs again what it has not forgotten. Does not order what it outputs
// beyond the origins' numbers, and hides no payload.
// Source: Miller, Xia, Croman, Shi, Song, "The Honey Badger of BFT protocols" (CCS 2016), figure 4;
// Ben-Or, Kelmer, Rabin (PODC 1994). Rules: docs/protocols/common-subset.md.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "thresher/core/compose.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/protocols/agreement/agreement.hpp"
#include "thresher/protocols/broadcast/broadcast.hpp"

namespace thresher {

namespace subset {

/// Enters this node's payload into an epoch. Refused, which refused() counts, when it is too large,
/// when the epoch is out of reach, or when this node entered one into that or a later epoch.
struct Submit {
  std::uint64_t epoch = 0;
  Bytes payload;
};
struct Entry {
  NodeId origin;
  Bytes payload;
};
/// The subset of an epoch, by origin.
struct Output {
  std::uint64_t epoch = 0;
  std::vector<Entry> entries;
};
/// External validity: whether a payload of that origin may be in the epoch's subset. Judged when
/// the payload is delivered, and again after a restart. Correct nodes may differ about payloads of
/// faulty origins only. Pre: a function of its arguments.
using Valid = std::function<bool(std::uint64_t epoch, NodeId origin, ByteView payload)>;

/// Durable records: the first epoch that is not forgotten. The children have theirs.
enum Table : std::uint32_t { kFloor = 8 };

}  // namespace subset

template <broadcast::OwnedBroadcast B, agreement::BinaryAgreement A>
class CommonSubset {
 public:
  static constexpr std::string_view kName = "common-subset";
  static constexpr std::uint32_t kNodesPerFault = std::max(B::kNodesPerFault, A::kNodesPerFault);
  static constexpr std::uint32_t kMostNodes = B::kMostNodes;

  using Message = std::variant<typename B::Message, typename A::Message>;
  using Output = subset::Output;
  using Request = subset::Submit;
  using Fx = Effects<Message, Output>;

  struct Config {
    Committee committee = *Committee::make(4, 1);
    NodeId self{};
    std::shared_ptr<const crypto::CoinScheme> coin{};  ///< of the agreement
    std::uint64_t window = 16;             ///< epochs kept, from the first not forgotten
    std::size_t payload_bytes = 1u << 20;  ///< largest payload
    subset::Valid valid{};                 ///< empty: every payload is
  };

  explicit CommonSubset(Config config)
      : config_(std::move(config)),
        broadcast_(broadcast_config(config_)),
        agreement_(agreement_config(config_)) {}

  void on(const Restored& e, Fx& fx) {
    if (e.table == subset::kFloor) {
      Reader in(e.value.view());
      floor_ = std::max(floor_, in.u64());
    } else if (agreement::keeps(e.table)) {
      feed(agreement_, kAgreementHop, e, fx);
    } else {
      feed(broadcast_, kBroadcastHop, e, fx);
    }
  }
  void on(const Start& e, Fx& fx) {
    feed(broadcast_, kBroadcastHop, e, fx);
    feed(agreement_, kAgreementHop, e, fx);
    for (std::uint64_t epoch = floor_; epoch < floor_ + config_.window; ++epoch) look_at(epoch);
    settle(fx);
  }
  void on(const Received<Message>& e, Fx& fx) {
    if (const auto* b = std::get_if<typename B::Message>(&e.message)) {
      feed(broadcast_, kBroadcastHop, Received<typename B::Message>{e.from, *b}, fx);
    } else {
      const auto& a = std::get<typename A::Message>(e.message);
      feed(agreement_, kAgreementHop, Received<typename A::Message>{e.from, a}, fx);
    }
    settle(fx);
  }
  void on(const Requested<Request>& e, Fx& fx) {
    const auto& [epoch, payload] = e.request;
    if (!reaches(epoch) || broadcast_.submitted(epoch)) {
      ++refused_;
      return;
    }
    feed(broadcast_, kBroadcastHop, Requested<broadcast::Submit>{{payload, epoch}}, fx);
    settle(fx);
  }
  void on(const Expired& e, Fx& fx) { answer(e, e.id.route, &Expired::id, fx); }
  void on(const Verified& e, Fx& fx) { answer(e, e.ticket.route, &Verified::ticket, fx); }
  void on(const Endorsed& e, Fx& fx) { answer(e, e.ticket.route, &Endorsed::ticket, fx); }

  /// Epochs below matter no more to the owner, and nobody who lags is helped with them.
  void forget_below(std::uint64_t epoch, Fx& fx) {
    if (epoch <= floor_) return;
    const std::uint64_t looked_at = std::max(epoch, floor_ + config_.window);
    floor_ = epoch;
    Writer w;
    w.u64(epoch);
    fx.push(Persist{subset::kFloor, {}, Bytes::from(w.take()), {}, true});
    epochs_.erase(epochs_.begin(), epochs_.lower_bound(epoch));
    const auto forget = [&](auto& child, std::uint32_t hop, std::uint64_t number) {
      EffectsOf<std::decay_t<decltype(child)>> effects;
      child.forget_below(number, effects);
      raise(effects, hop, fx);
    };
    forget(broadcast_, kBroadcastHop, epoch);
    forget(agreement_, kAgreementHop, epoch * config_.committee.size());
    for (std::uint64_t e = looked_at; reaches(e); ++e) look_at(e);
    settle(fx);
  }
  /// Whether a payload of that epoch came from somebody, or a decision about one.
  bool begun(std::uint64_t epoch) const { return epochs_.contains(epoch); }
  /// Whether this node has entered a payload into that epoch or a later one.
  bool submitted(std::uint64_t epoch) const { return broadcast_.submitted(epoch); }
  /// Whether the epoch was output here and is not forgotten.
  bool done(std::uint64_t epoch) const {
    const auto it = epochs_.find(epoch);
    return it != epochs_.end() && it->second.output;
  }
  /// The first epoch that is not forgotten.
  std::uint64_t floor() const { return floor_; }
  const B& broadcast() const { return broadcast_; }
  const A& agreement() const { return agreement_; }
  /// What a node holds, and what that never exceeds.
  struct Held {
    broadcast::Footprint broadcast;
    agreement::Footprint agreement;
  };
  Held footprint() const { return {broadcast_.footprint(), agreement_.footprint()}; }
  Held most_held() const {
    return {B::most_held(broadcast_config(config_)), A::most_held(agreement_config(config_))};
  }
  std::uint64_t refused() const { return refused_ + broadcast_.refused() + agreement_.refused(); }
  /// As those of the agreement.
  std::span<const std::uint64_t> false_shares() const { return agreement_.false_shares(); }

 private:
  static constexpr std::uint32_t kBroadcastHop = 1;
  static constexpr std::uint32_t kAgreementHop = 2;
  using News = std::variant<broadcast::Delivery, agreement::Decision>;

  struct Epoch {
    NodeSet proposed;  // origins of whose payloads this node has said yes or no
    NodeSet decided;
    NodeSet in;  // origins whose payloads are in the subset
    bool output = false;
  };

  static typename B::Config broadcast_config(const Config& c) {
    typename B::Config out;
    out.committee = c.committee;
    out.self = c.self;
    out.window = (c.window + 1) / 2;  // twice as many are kept
    out.owner_forgets = true;
    out.payload_bytes = c.payload_bytes;
    // Room for all of them, in the half that is not the oldest one's, with as much in fragments.
    out.origin_bytes = 2 * 2 * (2 * out.window) * c.payload_bytes;
    return out;
  }
  static typename A::Config agreement_config(const Config& c) {
    typename A::Config out;
    out.committee = c.committee;
    out.self = c.self;
    out.window = c.window * c.committee.size();
    out.coin = c.coin;
    return out;
  }

  bool reaches(std::uint64_t epoch) const {
    return epoch >= floor_ && epoch - floor_ < config_.window;
  }
  std::uint64_t instance(std::uint64_t epoch, NodeId origin) const {
    return epoch * config_.committee.size() + origin.value;
  }

  template <class Child, class Input>
  void feed(Child& child, std::uint32_t hop, const Input& input, Fx& fx) {
    if constexpr (requires(EffectsOf<Child> effects) { child.on(input, effects); }) {
      EffectsOf<Child> effects;
      child.on(input, effects);
      raise(effects, hop, fx);
    }
  }
  template <class M, class O>
  void raise(Effects<M, O>& child, std::uint32_t hop, Fx& fx) {
    lift(
        child, fx, hop, [](M&& m) { return Message(std::move(m)); },
        [this](O&& output) { news_.emplace_back(std::move(output)); });
  }
  // What came back goes to the child that it is for.
  template <class Event, class Name>
  void answer(const Event& e, const Route& route, Name Event::*name, Fx& fx) {
    if (route.depth == 0) return;
    Event inner = e;
    const std::uint32_t hop = pop_hop((inner.*name).route);
    if (hop == kBroadcastHop) feed(broadcast_, hop, inner, fx);
    if (hop == kAgreementHop) feed(agreement_, hop, inner, fx);
    settle(fx);
  }

  void settle(Fx& fx) {
    while (!news_.empty()) {
      const News next = std::move(news_.front());
      news_.pop_front();
      if (const auto* delivery = std::get_if<broadcast::Delivery>(&next)) {
        delivered(*delivery, fx);
      } else {
        decided(std::get<agreement::Decision>(next), fx);
      }
    }
  }
  Epoch* epoch_of(std::uint64_t epoch) {
    if (!reaches(epoch)) return nullptr;
    const NodeSet none(config_.committee.size());
    return &epochs_.try_emplace(epoch, Epoch{none, none, none, false}).first->second;
  }

  // S2: yes to what came and is valid.
  void delivered(const broadcast::Delivery& d, Fx& fx) {
    const auto& [origin, epoch] = d.instance;
    Epoch* e = epoch_of(epoch);
    if (e == nullptr) return;
    if (!config_.valid || config_.valid(epoch, origin, d.payload.view()))
      propose(epoch, *e, origin, true, fx);
    finish(epoch, *e, fx);
  }
  // S3: no to the rest, once n-f are in.
  void decided(const agreement::Decision& d, Fx& fx) {
    const std::uint64_t epoch = d.instance / config_.committee.size();
    const NodeId origin{static_cast<std::uint16_t>(d.instance % config_.committee.size())};
    Epoch* e = epoch_of(epoch);
    if (e == nullptr || !e->decided.insert(origin)) return;
    if (d.value) {
      e->in.insert(origin);
      if (broadcast_.delivered({origin, epoch}) == nullptr) {
        EffectsOf<B> effects;
        broadcast_.expect({origin, epoch}, effects);
        raise(effects, kBroadcastHop, fx);
      }
    }
    if (e->in.size() >= config_.committee.at_least(kAvailability)) {
      for (std::uint16_t o = 0; o < config_.committee.size(); ++o)
        propose(epoch, *e, NodeId{o}, false, fx);
    }
    finish(epoch, *e, fx);
  }
  void propose(std::uint64_t epoch, Epoch& e, NodeId origin, bool value, Fx& fx) {
    if (!e.proposed.insert(origin)) return;
    feed(agreement_, kAgreementHop, Requested<agreement::Propose>{{instance(epoch, origin), value}},
         fx);
  }
  // S4
  void finish(std::uint64_t epoch, Epoch& e, Fx& fx) {
    if (e.output || e.decided.size() < config_.committee.size()) return;
    subset::Output out{epoch, {}};
    bool all = true;
    e.in.for_each([&](NodeId origin) {
      const Bytes* payload = broadcast_.delivered({origin, epoch});
      all = all && payload != nullptr;
      if (payload != nullptr) out.entries.push_back({origin, *payload});
    });
    if (!all) return;
    e.output = true;
    fx.deliver(std::move(out));
  }
  // What the children know of an epoch that was out of reach, or before a restart.
  void look_at(std::uint64_t epoch) {
    for (std::uint16_t o = 0; o < config_.committee.size(); ++o) {
      const broadcast::Instance i{NodeId{o}, epoch};
      if (const Bytes* payload = broadcast_.delivered(i))
        news_.emplace_back(broadcast::Delivery{i, *payload});
      if (const auto value = agreement_.decided(instance(epoch, NodeId{o})))
        news_.emplace_back(agreement::Decision{instance(epoch, NodeId{o}), *value, 0});
    }
  }

  Config config_;
  B broadcast_;
  A agreement_;
  std::map<std::uint64_t, Epoch> epochs_;
  std::deque<News>
      news_;  // outputs of the children that are not looked at yet; empty between inputs
  std::uint64_t floor_ = 0;
  std::uint64_t refused_ = 0;
};

}  // namespace thresher
