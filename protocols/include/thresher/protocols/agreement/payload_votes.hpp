// Payloads that all nodes broadcast, and binary agreements about them, by epochs: what
// `common-subset` and `mvba` have in common. A node runs n broadcasts and at most n agreements an
// epoch, one for each origin; the rules that lead from the one to the other are the owner's.
//
//   class Mine : public PayloadVotes<Mine, B, A, Message, Output> {
//     friend PayloadVotes<Mine, B, A, Message, Output>;
//     static constexpr bool kOneIsEnough = false;  // true: an epoch ends with one that is in
//     void heard(std::uint64_t epoch, NodeId origin, bool valid, Fx&);   // a payload was delivered
//     void voted(std::uint64_t epoch, NodeId origin, bool in, Fx&);      // and decided about
//     void forgotten(std::uint64_t epoch, Fx&);                          // epochs below are over
//   };
//
// Guarantees: the owner hears of each payload and of each decision of an epoch that is in reach, in
// the order in which they came, and of all of them again after a restart or when an epoch comes
// into reach. At most Config::window epochs are in reach, from the first that forget_below() left.
// Durable are that floor and what the two children keep.
// Pre: `Message` is a variant that has the messages of B and of A among its alternatives.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "thresher/core/compose.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/protocols/agreement/agreement.hpp"
#include "thresher/protocols/broadcast/broadcast.hpp"

namespace thresher {

namespace payload_votes {

/// External validity: whether a payload of that origin may be decided in that epoch. Judged when
/// the payload is delivered, and again after a restart. Correct nodes may differ about payloads of
/// faulty origins only where their owner's page says so. Pre: a function of its arguments.
using Valid = std::function<bool(std::uint64_t epoch, NodeId origin, ByteView payload)>;

struct Config {
  Committee committee = *Committee::make(4, 1);
  NodeId self{};
  std::shared_ptr<const crypto::CoinScheme> coin{};  ///< of the agreements
  std::uint64_t window = 16;                         ///< epochs kept, from the first not forgotten
  std::size_t payload_bytes = 1u << 20;              ///< largest payload
  Valid valid{};                                     ///< empty: every payload is
  ChainContext chain{};                              ///< what votes of signed broadcasts are for
};

/// Durable records: the first epoch that is not forgotten. The children have theirs.
enum Table : std::uint32_t { kFloor = 8 };

/// What a node holds, and what that never exceeds.
struct Held {
  broadcast::Footprint broadcast;
  agreement::Footprint agreement;
};

}  // namespace payload_votes

template <class Owner, broadcast::OwnedBroadcast B, agreement::BinaryAgreement A, class MessageType,
          class OutputType>
class PayloadVotes {
 public:
  using Fx = Effects<MessageType, OutputType>;
  using Config = payload_votes::Config;
  using Held = payload_votes::Held;

  void on(const Restored& e, Fx& fx) {
    if (e.table == payload_votes::kFloor) {
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
  void on(const Expired& e, Fx& fx) { answer(e, e.id.route, &Expired::id, fx); }
  void on(const Verified& e, Fx& fx) { answer(e, e.ticket.route, &Verified::ticket, fx); }
  void on(const Endorsed& e, Fx& fx) { answer(e, e.ticket.route, &Endorsed::ticket, fx); }

  /// Epochs below matter no more to the owner, and nodes that lag are not helped with them.
  void forget_below(std::uint64_t epoch, Fx& fx) {
    if (epoch <= floor_) return;
    const std::uint64_t looked_at = std::max(epoch, floor_ + config_.window);
    floor_ = epoch;
    Writer w;
    w.u64(epoch);
    fx.push(Persist{payload_votes::kFloor, {}, Bytes::from(w.take()), {}, true});
    owner().forgotten(epoch, fx);
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
  /// Whether this node has entered a payload into that epoch or a later one.
  bool submitted(std::uint64_t epoch) const { return broadcast_.submitted(epoch); }
  /// The first epoch that is not forgotten.
  std::uint64_t floor() const { return floor_; }
  const B& broadcast() const { return broadcast_; }
  const A& agreement() const { return agreement_; }
  Held footprint() const { return {broadcast_.footprint(), agreement_.footprint()}; }
  Held most_held() const {
    return {B::most_held(broadcast_config(config_)), A::most_held(agreement_config(config_))};
  }
  std::uint64_t refused() const { return refused_ + broadcast_.refused() + agreement_.refused(); }
  /// As those of the agreement.
  std::span<const std::uint64_t> false_shares() const { return agreement_.false_shares(); }

 protected:
  static constexpr std::uint32_t kBroadcastHop = 1;
  static constexpr std::uint32_t kAgreementHop = 2;

  explicit PayloadVotes(Config config)
      : config_(std::move(config)),
        broadcast_(broadcast_config(config_)),
        agreement_(agreement_config(config_)) {}

  const Config& config() const { return config_; }
  bool reaches(std::uint64_t epoch) const {
    return epoch >= floor_ && epoch - floor_ < config_.window;
  }
  void refuse() { ++refused_; }

  void receive(NodeId from, const typename B::Message& m, Fx& fx) {
    feed(broadcast_, kBroadcastHop, Received<typename B::Message>{from, m}, fx);
    settle(fx);
  }
  void receive(NodeId from, const typename A::Message& m, Fx& fx) {
    feed(agreement_, kAgreementHop, Received<typename A::Message>{from, m}, fx);
    settle(fx);
  }
  /// Broadcasts this node's payload of an epoch. Refused when the epoch is out of reach, or when
  /// this node entered one into that or a later epoch.
  void submit(std::uint64_t epoch, const Bytes& payload, Fx& fx) {
    if (!reaches(epoch) || broadcast_.submitted(epoch)) return refuse();
    feed(broadcast_, kBroadcastHop, Requested<broadcast::Submit>{{payload, epoch}}, fx);
    settle(fx);
  }
  /// Proposes in the agreement about an origin's payload. Pre: the epoch is in reach.
  void propose(std::uint64_t epoch, NodeId origin, bool value, Fx& fx) {
    feed(agreement_, kAgreementHop, Requested<agreement::Propose>{{instance(epoch, origin), value}},
         fx);
  }
  std::optional<bool> decided(std::uint64_t epoch, NodeId origin) const {
    return agreement_.decided(instance(epoch, origin));
  }
  /// Null when it was not delivered here.
  const Bytes* payload(std::uint64_t epoch, NodeId origin) const {
    return broadcast_.delivered({origin, epoch});
  }
  /// Tells the owner what the children said. The end of every input.
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

 private:
  using News = std::variant<broadcast::Delivery, agreement::Decision>;

  static typename B::Config broadcast_config(const Config& c) {
    typename B::Config out;
    out.committee = c.committee;
    out.self = c.self;
    out.window = (c.window + 1) / 2;  // twice as many are kept
    out.owner_forgets = true;
    out.payload_bytes = c.payload_bytes;
    // Room for all of them, in the half that is not the oldest one's, with as much in fragments.
    out.origin_bytes = 2 * 2 * (2 * out.window) * c.payload_bytes;
    if constexpr (requires { out.chain; }) out.chain = c.chain;
    return out;
  }
  static typename A::Config agreement_config(const Config& c) {
    typename A::Config out;
    out.committee = c.committee;
    out.self = c.self;
    out.window = c.window * c.committee.size();
    if constexpr (Owner::kOneIsEnough) out.group = c.committee.size();
    out.coin = c.coin;
    return out;
  }

  Owner& owner() { return static_cast<Owner&>(*this); }
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
        child, fx, hop, [](M&& m) { return MessageType(std::move(m)); },
        [this](O&& output) { news_.emplace_back(std::move(output)); });
  }
  // Hands an answer to the child that it is for.
  template <class Event, class Name>
  void answer(const Event& e, const Route& route, Name Event::*name, Fx& fx) {
    if (route.depth == 0) return;
    Event inner = e;
    const std::uint32_t hop = pop_hop((inner.*name).route);
    if (hop == kBroadcastHop) feed(broadcast_, hop, inner, fx);
    if (hop == kAgreementHop) feed(agreement_, hop, inner, fx);
    settle(fx);
  }

  void delivered(const broadcast::Delivery& d, Fx& fx) {
    const auto& [origin, epoch] = d.instance;
    if (!reaches(epoch)) return;
    const bool valid = !config_.valid || config_.valid(epoch, origin, d.payload.view());
    owner().heard(epoch, origin, valid, fx);
  }
  void decided(const agreement::Decision& d, Fx& fx) {
    const std::uint64_t epoch = d.instance / config_.committee.size();
    const NodeId origin{static_cast<std::uint16_t>(d.instance % config_.committee.size())};
    if (!reaches(epoch)) return;
    if (d.value && payload(epoch, origin) == nullptr) {
      EffectsOf<B> effects;
      broadcast_.expect({origin, epoch}, effects);
      raise(effects, kBroadcastHop, fx);
    }
    owner().voted(epoch, origin, d.value, fx);
  }
  // Takes in what the children know of an epoch that was out of reach, or before a restart.
  void look_at(std::uint64_t epoch) {
    for (const NodeId o : node_ids(config_.committee.size())) {
      const broadcast::Instance i{o, epoch};
      if (const Bytes* payload = broadcast_.delivered(i))
        news_.emplace_back(broadcast::Delivery{i, *payload});
      if (const auto value = agreement_.decided(instance(epoch, o)))
        news_.emplace_back(agreement::Decision{instance(epoch, o), *value, 0});
    }
  }

  Config config_;
  B broadcast_;
  A agreement_;
  // Outputs of the children that are not looked at yet; empty between inputs.
  std::deque<News> news_;
  std::uint64_t floor_ = 0;
  std::uint64_t refused_ = 0;
};

}  // namespace thresher
