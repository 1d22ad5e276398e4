// `mvba`: multi-valued validated agreement. Every node proposes a value, and all correct nodes
// decide one of them that a given predicate accepts.
//
//   using Agreement = Mvba<CertifiedBroadcast, BcaAgreement>;
//   Agreement node({.committee = c, .self = NodeId{0}, .coin = scheme, .valid = well_formed});
//   executor.run(Requested<mvba::Propose>{{instance, value}});
//   // later, once for each instance: Deliver<mvba::Decision>{instance, origin, value}
//
// Values travel by provable broadcasts. When n-f of them are known to be held by n-f nodes each, a
// coin orders the origins, and binary agreements about one after the other find the first whose
// value enough nodes hold.
// Guarantees, with up to f Byzantine nodes at any timing, and when every correct node proposes a
// valid value:
//   agreement          no two correct nodes decide differently in one instance;
//   external validity  what is decided some correct node found valid, and its origin proposed it;
//   integrity          an instance is decided once (a restarted node may say it again);
//   termination        every correct node decides with probability one, after 3/2 binary agreements
//                      in the mean and never more than f+1.
// A decided value may be a liar's, as long as it is valid. Instances may overlap, at most
// Config::window of them counted from the first that the owner has not forgotten. A node that
// proposes nothing still decides. What is decided is kept, for those that lag, until the owner
// forgets it. A restarted node contradicts nothing that it said.
// Source: Cachin, Kursawe, Petzold, Shoup, "Secure and efficient asynchronous broadcast protocols"
// (CRYPTO 2001), section 5, for the problem and the coin's order of candidates; Lu, Lu, Tang, Wang,
// "Dumbo-MVBA" (PODC 2020), section 5, for the election after n-f broadcasts are finished. Rules by
// number and what differs: docs/protocols/mvba.md.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "thresher/core/bounded.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/protocols/agreement/payload_votes.hpp"
#include "thresher/protocols/broadcast/shelf.hpp"
#include "thresher/protocols/coin/leader_coin.hpp"

namespace thresher {

namespace mvba {

/// Takes part in an instance with this value. Refused, which refused() counts, when it is too
/// large, when the instance is out of reach, or when this node proposed in that or a later one.
struct Propose {
  std::uint64_t instance = 0;
  Bytes value;
};
struct Decision {
  std::uint64_t instance = 0;
  NodeId origin;  ///< whose value it is
  Bytes value;
};
/// Of these origins the sender holds valid values.
struct Holds {
  std::uint64_t instance = 0;
  NodeSet origins;
  bool drawn = false;  ///< the sender knows the order of the candidates
  bool asks = false;   ///< it has no decision, and wants what the receiver holds
};
/// n/8 bytes and nine, and the mirror: empty when malformed.
void encode_holds(const Holds& holds, std::uint32_t n, Writer& out);
std::optional<Holds> decode_holds(Reader& in, std::uint32_t n);

/// The order in which an election's value has all n origins as candidates. 64 bits of the value
/// draw it: up to 20 nodes each order may come, of more 2^64 of them.
std::vector<NodeId> candidates(const Digest& value, std::uint32_t n);

/// Durable records beside those of PayloadVotes: what this node said that it holds, by instance.
enum Table : std::uint32_t { kHoldings = 9 };
/// Bit of the coin's instances that are elections: nothing else may toss those.
inline constexpr std::uint64_t kElection = std::uint64_t{1} << 63;
/// Statements that a peer gets in 4 Delta because it asked for them, however often it asks.
inline constexpr std::size_t kAnswers = 64;

/// How many are enough; tests break it.
struct Thresholds {
  Threshold holders = kAvailability;   ///< that make a broadcast finished
  Threshold finished = kAvailability;  ///< broadcasts, before the election
  Threshold lacking = kAvailability;   ///< nodes without a candidate's value that speak against it
};

}  // namespace mvba

template <broadcast::OwnedBroadcast B, agreement::BinaryAgreement A>
class Mvba : public PayloadVotes<
                 Mvba<B, A>, B, A,
                 std::variant<typename B::Message, typename A::Message, mvba::Holds, coin::Share>,
                 mvba::Decision> {
 public:
  static constexpr std::string_view kName = "mvba";
  static constexpr std::uint32_t kNodesPerFault = std::max(B::kNodesPerFault, A::kNodesPerFault);
  static constexpr std::uint32_t kMostNodes = B::kMostNodes;

  using Message = std::variant<typename B::Message, typename A::Message, mvba::Holds, coin::Share>;
  using Output = mvba::Decision;
  using Request = mvba::Propose;
  using Config = payload_votes::Config;
  using Fx = Effects<Message, Output>;

  /// Pre: config.coin is not null; f+1 shares make a value, or more.
  explicit Mvba(const Config& config, mvba::Thresholds thresholds = {})
      : Base(config),
        thresholds_(thresholds),
        coin_({.committee = config.committee,
               .self = config.self,
               .scheme = config.coin,
               .keep = config.window}),
        served_(config.committee.size()) {}

  void on(const Restored& e, Fx& fx);
  void on(const Start& e, Fx& fx);
  void on(const Received<Message>& e, Fx& fx);
  void on(const Requested<Request>& e, Fx& fx) {
    this->submit(e.request.instance, e.request.value, fx);
    arm(fx);
  }
  void on(const Expired& e, Fx& fx);
  void on(const Verified& e, Fx& fx) {
    Base::on(e, fx);
    arm(fx);
  }
  void on(const Endorsed& e, Fx& fx) {
    Base::on(e, fx);
    arm(fx);
  }

  /// Whether somebody spoke of the instance here.
  bool begun(std::uint64_t instance) const { return states_.contains(instance); }
  /// Whether it was decided here and is not forgotten.
  bool done(std::uint64_t instance) const {
    const auto it = states_.find(instance);
    return it != states_.end() && it->second.output;
  }
  std::uint64_t refused() const { return Base::refused() + coin_.stats().refused; }
  /// Candidates that were voted down, of the instance that has most of them. Never more than f.
  std::size_t refused_candidates() const { return refused_candidates_; }
  /// Nodes whose statements are kept, and the most that there may be.
  std::size_t holdings() const {
    std::size_t out = 0;
    for (const auto& [instance, s] : states_) out += s.holds.size();
    return out;
  }
  std::size_t most_holdings() const {
    return this->config().window * this->config().committee.size();
  }
  /// How often it was counted anew who holds what.
  std::uint64_t counted() const { return counted_; }

 private:
  using Base = PayloadVotes<Mvba, B, A, Message, mvba::Decision>;
  friend Base;
  static constexpr bool kOneIsEnough = true;  // candidates after the one that is in are nobody's
  static constexpr std::uint32_t kCoinHop = 3;
  static constexpr TimerId kRepeatTimer{1, {}};

  struct State {
    explicit State(std::uint32_t n) : here(n), invalid(n) {}
    NodeSet here;                       // origins of whose values this node found valid
    NodeSet invalid;                    // and of those that it did not
    std::map<NodeId, NodeSet> holds{};  // as their holders said, this node included
    NodeSet drawn{};                    // those of them that know the candidates
    bool tossed = false;
    std::vector<NodeId> order{};  // candidates; empty until the coin is there
    std::size_t candidate = 0;    // the one that is voted about
    bool proposed = false;        // about that one
    std::optional<NodeId> chosen{};
    bool output = false;
  };

  State& state_of(std::uint64_t instance) {
    return states_.try_emplace(instance, this->config().committee.size()).first->second;
  }
  bool enough(std::size_t nodes, Threshold threshold) const {
    return nodes >= this->config().committee.at_least(threshold);
  }

  void heard(std::uint64_t instance, NodeId origin, bool valid, Fx& fx) {
    State& s = state_of(instance);
    (valid ? s.here : s.invalid).insert(origin);
    advance(instance, s, fx);
  }
  void voted(std::uint64_t instance, NodeId origin, bool in, Fx& fx) {
    State& s = state_of(instance);
    if (in) s.chosen = origin;
    advance(instance, s, fx);
  }
  void forgotten(std::uint64_t instance, Fx& fx);

  using Base::receive;
  void receive(NodeId from, const mvba::Holds& m, Fx& fx);
  void receive(NodeId from, const coin::Share& m, Fx& fx);
  template <class Input>
  void feed_coin(const Input& input, Fx& fx);

  void advance(std::uint64_t instance, State& s, Fx& fx);
  void hold(std::uint64_t instance, State& s, Fx& fx);
  void elect(std::uint64_t instance, State& s, Fx& fx);
  void vote(std::uint64_t instance, State& s, Fx& fx);
  std::optional<bool> opinion(const State& s, NodeId candidate) const;
  void finish(std::uint64_t instance, State& s, Fx& fx);
  std::optional<mvba::Holds> own(std::uint64_t instance, const State& s, bool asks) const;
  bool waits(const State& s) const { return !s.output && s.holds.contains(this->config().self); }
  void arm(Fx& fx);

  mvba::Thresholds thresholds_;
  coin::ThresholdCoin coin_;
  std::map<std::uint64_t, State> states_;  // of instances that somebody spoke of
  std::size_t refused_candidates_ = 0;
  std::uint64_t counted_ = 0;
  PeerQuota<mvba::kAnswers> served_;  // statements sent as answers since the last tick
  bool serves_ = false;               // some were
  bool armed_ = false;
};

template <broadcast::OwnedBroadcast B, agreement::BinaryAgreement A>
void Mvba<B, A>::on(const Restored& e, Fx& fx) {
  if (e.table != mvba::kHoldings) return Base::on(e, fx);
  Reader key(e.key.view());
  Reader value(e.value.view());
  const auto said = mvba::decode_holds(value, this->config().committee.size());
  if (!said) return;
  State& s = state_of(key.u64());
  s.holds.insert_or_assign(this->config().self, said->origins);
  if (said->drawn) s.drawn.insert(this->config().self);
}

template <broadcast::OwnedBroadcast B, agreement::BinaryAgreement A>
void Mvba<B, A>::on(const Start& e, Fx& fx) {
  // Records that were erased lazily may be back.
  states_.erase(states_.begin(), states_.lower_bound(this->floor()));
  Base::on(e, fx);
  // Others said what they hold before this node could hear it.
  for (auto& [instance, s] : states_) {
    if (const auto m = own(instance, s, true); m && waits(s)) fx.broadcast(*m);
    advance(instance, s, fx);
  }
  this->settle(fx);
  arm(fx);
}

template <broadcast::OwnedBroadcast B, agreement::BinaryAgreement A>
void Mvba<B, A>::on(const Received<Message>& e, Fx& fx) {
  if (e.from == this->config().self || !this->config().committee.contains(e.from)) return;
  std::visit([&](const auto& m) { receive(e.from, m, fx); }, e.message);
  this->settle(fx);
  arm(fx);
}

// M7
template <broadcast::OwnedBroadcast B, agreement::BinaryAgreement A>
void Mvba<B, A>::on(const Expired& e, Fx& fx) {
  const Route& route = e.id.route;
  if (route.depth > 0 && route.hop[route.depth - 1] == kCoinHop) {
    Expired inner = e;
    (void)pop_hop(inner.id.route);
    feed_coin(inner, fx);
  } else if (route.depth > 0) {
    Base::on(e, fx);
  } else if (e.id == kRepeatTimer) {
    armed_ = false;
    if (std::exchange(serves_, false))
      served_ = PeerQuota<mvba::kAnswers>(this->config().committee.size());
    for (const auto& [instance, s] : states_) {
      if (const auto m = own(instance, s, true); m && waits(s)) fx.broadcast(*m);
    }
  }
  this->settle(fx);
  arm(fx);
}

// The set that a peer says it holds only grows: correct nodes say no less later.
template <broadcast::OwnedBroadcast B, agreement::BinaryAgreement A>
void Mvba<B, A>::receive(NodeId from, const mvba::Holds& m, Fx& fx) {
  if (!this->reaches(m.instance) || !m.origins.below(this->config().committee.size()))
    return this->refuse();
  State& s = state_of(m.instance);
  NodeSet& held = s.holds.try_emplace(from, this->config().committee.size()).first->second;
  const std::uint32_t before = held.size();
  held.merge(m.origins);
  bool news = held.size() > before;
  if (m.drawn) news = s.drawn.insert(from) || news;
  const auto said = own(m.instance, s, false);
  if (m.asks && said && served_.take(from)) {
    serves_ = true;
    fx.send(from, *said);
  }
  // This counts holders anew, n sets of n: not for a repeated message.
  if (news) advance(m.instance, s, fx);
}

template <broadcast::OwnedBroadcast B, agreement::BinaryAgreement A>
void Mvba<B, A>::receive(NodeId from, const coin::Share& m, Fx& fx) {
  const bool election = (m.instance & mvba::kElection) != 0;
  if (!election || !this->reaches(m.instance - mvba::kElection)) return this->refuse();
  feed_coin(Received<coin::Share>{from, m}, fx);
}

template <broadcast::OwnedBroadcast B, agreement::BinaryAgreement A>
template <class Input>
void Mvba<B, A>::feed_coin(const Input& input, Fx& fx) {
  for (const coin::Tossed& tossed : coin::feed(coin_, input, kCoinHop, fx)) {
    const auto it = states_.find(tossed.instance - mvba::kElection);
    if (it == states_.end()) continue;
    it->second.order = mvba::candidates(tossed.value, this->config().committee.size());
    advance(it->first, it->second, fx);
  }
}

template <broadcast::OwnedBroadcast B, agreement::BinaryAgreement A>
void Mvba<B, A>::advance(std::uint64_t instance, State& s, Fx& fx) {
  hold(instance, s, fx);
  elect(instance, s, fx);
  vote(instance, s, fx);
  finish(instance, s, fx);
}

// M2 and M4: what this node says that it holds it has said for ever, so it is durable first. A node
// that has tossed says more only when it knows the candidates, or is asked.
template <broadcast::OwnedBroadcast B, agreement::BinaryAgreement A>
void Mvba<B, A>::hold(std::uint64_t instance, State& s, Fx& fx) {
  const NodeId self = this->config().self;
  const auto said = s.holds.find(self);
  NodeSet now = s.here;
  if (said != s.holds.end()) now.merge(said->second);
  const bool first = said == s.holds.end() && enough(now.size(), kAvailability);
  const bool grown = said != s.holds.end() && now.size() > said->second.size();
  const bool drawn = !s.order.empty() && !s.drawn.contains(self);
  if (!first && !drawn && !(grown && !s.tossed)) return;
  s.holds.insert_or_assign(self, std::move(now));
  if (!s.order.empty()) s.drawn.insert(self);
  const mvba::Holds m = *own(instance, s, false);
  Writer w;
  mvba::encode_holds(m, this->config().committee.size(), w);
  fx.push(
      Persist{mvba::kHoldings, Bytes::from(Writer().u64(instance).take()), Bytes::from(w.take())});
  fx.broadcast(m);
}

// M3
template <broadcast::OwnedBroadcast B, agreement::BinaryAgreement A>
void Mvba<B, A>::elect(std::uint64_t instance, State& s, Fx& fx) {
  if (s.tossed) return;
  ++counted_;
  std::size_t finished = 0;
  for (const NodeId o : node_ids(this->config().committee.size())) {
    const auto holders = std::count_if(s.holds.begin(), s.holds.end(),
                                       [o](const auto& said) { return said.second.contains(o); });
    finished += enough(static_cast<std::size_t>(holders), thresholds_.holders) ? 1 : 0;
  }
  if (!enough(finished, thresholds_.finished)) return;
  s.tossed = true;
  feed_coin(Requested<coin::Toss>{{mvba::kElection + instance}}, fx);
}

// M5: about one candidate after the other, until one is in.
template <broadcast::OwnedBroadcast B, agreement::BinaryAgreement A>
void Mvba<B, A>::vote(std::uint64_t instance, State& s, Fx& fx) {
  while (s.candidate < s.order.size()) {
    const NodeId candidate = s.order[s.candidate];
    const auto decided = this->decided(instance, candidate);
    if (decided == true) return;
    if (!decided) {
      const auto says = opinion(s, candidate);
      if (!s.proposed && says) {
        s.proposed = true;
        this->propose(instance, candidate, *says, fx);
      }
      return;
    }
    ++s.candidate;
    s.proposed = false;
    refused_candidates_ = std::max(refused_candidates_, s.candidate);
  }
}

// M5: for the candidate when its value is here and valid, against it when it is here and not, or
// when n-f nodes had no valid one after the election. Empty: not known yet.
template <broadcast::OwnedBroadcast B, agreement::BinaryAgreement A>
std::optional<bool> Mvba<B, A>::opinion(const State& s, NodeId candidate) const {
  if (s.here.contains(candidate)) return true;
  if (s.invalid.contains(candidate)) return false;
  std::size_t lack = 0;
  s.drawn.for_each([&](NodeId id) { lack += s.holds.at(id).contains(candidate) ? 0 : 1; });
  return enough(lack, thresholds_.lacking) ? std::optional(false) : std::nullopt;
}

// M6
template <broadcast::OwnedBroadcast B, agreement::BinaryAgreement A>
void Mvba<B, A>::finish(std::uint64_t instance, State& s, Fx& fx) {
  if (s.output || !s.chosen) return;
  const Bytes* value = this->payload(instance, *s.chosen);
  if (value == nullptr) return;
  s.output = true;
  fx.deliver(mvba::Decision{instance, *s.chosen, *value});
}

template <broadcast::OwnedBroadcast B, agreement::BinaryAgreement A>
std::optional<mvba::Holds> Mvba<B, A>::own(std::uint64_t instance, const State& s,
                                           bool asks) const {
  const auto said = s.holds.find(this->config().self);
  if (said == s.holds.end()) return std::nullopt;
  return mvba::Holds{instance, said->second, s.drawn.contains(this->config().self), asks};
}

template <broadcast::OwnedBroadcast B, agreement::BinaryAgreement A>
void Mvba<B, A>::forgotten(std::uint64_t instance, Fx& fx) {
  for (auto it = states_.begin(); it != states_.end() && it->first < instance;
       it = states_.erase(it)) {
    if (it->second.holds.contains(this->config().self))
      fx.push(Persist{mvba::kHoldings, Bytes::from(Writer().u64(it->first).take()), {}, {}, true});
  }
  coin_.forget(mvba::kElection, mvba::kElection + instance);
}

template <broadcast::OwnedBroadcast B, agreement::BinaryAgreement A>
void Mvba<B, A>::arm(Fx& fx) {
  const bool open = std::any_of(states_.begin(), states_.end(),
                                [this](const auto& entry) { return waits(entry.second); });
  if ((open || serves_) && !std::exchange(armed_, true))
    fx.push(ArmTimer{kRepeatTimer, broadcast::kRepeat});
}

}  // namespace thresher
