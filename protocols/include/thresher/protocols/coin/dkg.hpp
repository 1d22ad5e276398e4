// `dkg`: asynchronous distributed key generation. A committee ends with a key that is shared among
// its nodes and that nobody ever held.
//
//   using Generation = Dkg<Avid, CoreSet<BcaAgreement>>;
//   Generation node({.committee = c, .self = id, .scheme = scheme, .coin = bootstrap});
//   executor.run(Start{});                        // later: Deliver<GeneratedKey>
//
// Each dealer broadcasts one dealing. Nodes acknowledge those whose shares of them are good, and
// complain of the others with a proof that opens the bad share. A node vouches for a dealer when
// n-f nodes acknowledged, and all agree on the dealers that count. A node with a bad share of one
// of these gets it from f+1 of the others, since its dealer is proved to have lied. Then nodes give
// each other the points that their shares of the key are made of.
// Guarantees, with up to f Byzantine nodes at any timing, if the broadcast and the agreement keep
// their promises: all correct nodes output the same public keys, each with its own share that fits
// them; what the dealings hide stays hidden (crypto/dkg.hpp); no correct node is accused. All that
// a node says follows from its keys and from what its broadcast and its agreement keep on disk
// before they speak, so it keeps nothing beside and a restart at any point continues. A bounded
// number of bytes is kept for each peer. Output once; a node that is done still answers.
// Rules by number, with the arguments: docs/protocols/dkg.md.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "thresher/core/compose.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/crypto/dkg_scheme.hpp"
#include "thresher/protocols/agreement/core_set.hpp"
#include "thresher/protocols/broadcast/broadcast.hpp"
#include "thresher/protocols/coin/dkg_message.hpp"

namespace thresher {

namespace dkg {

/// The owner has the key on disk: this node needs nothing of the others any more, and they hear so.
/// Ignored before the key is output.
struct Kept {};

/// How often what others may lack is said again while this node is not done.
inline constexpr Delay kRepeat{4000};

/// The part of a node that its broadcast and its agreement are not: dealings, who acknowledged
/// them, complaints, points. Says what it has to say through `Out`.
class Ledger {
 public:
  /// What a step leads to.
  struct Out {
    std::vector<std::pair<std::optional<NodeId>, Message>> messages;  ///< to one node, or to all
    std::vector<NodeId> vouched;                                      ///< n-f acknowledged these
    std::vector<std::pair<NodeId, Bytes>> accused;  ///< liars, each with what proves it
    std::optional<crypto::GeneratedKey> key;
  };

  /// `has_key`: of a run before this one. Pre: scheme is not null.
  Ledger(const Committee& committee, NodeId self, std::shared_ptr<const crypto::DkgScheme> scheme,
         bool has_key);

  void deliver(NodeId dealer, const Bytes& dealing, Out& out);
  void agree(const NodeSet& dealers, Out& out);
  void receive(NodeId from, const Acks& m, Out& out);
  void receive(NodeId from, const Complaint& m, Out& out);
  void receive(NodeId from, const Reveal& m, Out& out);
  void receive(NodeId from, const Point& m, Out& out);
  /// The key is safe here: says so. Pre: done().
  void keep(Out& out);
  /// Says again what others may lack.
  void repeat(Out& out);

  bool has_dealing(NodeId dealer) const { return dealings_.contains(dealer); }
  bool done() const { return done_; }
  /// Peers that said their keys are safe.
  std::uint32_t others_done() const { return others_done_.size(); }
  /// Whether something can still come of saying things again: the own key is missing, or it is
  /// safe and others did not say that of theirs.
  bool repeats() const { return !done_ || (kept_ && others_done() + 1 < committee_.size()); }
  std::uint64_t refused() const { return refused_; }
  /// Reveals, points and complaints that are kept; at most most_held().
  std::size_t held() const;
  static std::size_t most_held(const Committee& committee) {
    const std::size_t n = committee.size();
    return 2 * n * n + n;
  }

 private:
  struct Dealing {
    Bytes bytes;
    crypto::Dealt verdict = crypto::Dealt::kMalformed;
    NodeSet victims{};                   // who proved that theirs are bad
    NodeSet liars{};                     // whose complaint or reveal proved nothing
    std::map<NodeId, Bytes> revealed{};  // checked; while the own shares are bad
    Bytes own{};                         // what this node reveals; empty: nobody needed it yet
  };

  void complain(NodeId dealer, const Dealing& d, Out& out) const;
  void help(NodeId dealer, Dealing& d, NodeId victim, Out& out) const;
  void answer(NodeId to, Out& out) const;
  void settle(Out& out);
  void take(NodeId from, const Bytes& sealed);
  void finish(Out& out);

  Committee committee_;
  NodeId self_;
  std::shared_ptr<const crypto::DkgScheme> scheme_;
  std::map<NodeId, Dealing> dealings_;
  std::map<NodeId, Tally> acks_;  // by dealer
  NodeSet own_acks_;
  NodeSet vouched_;
  std::optional<NodeSet> agreed_;
  std::shared_ptr<const crypto::SettledKey> settled_;
  std::vector<Bytes> owed_;         // points of others, by id
  std::map<NodeId, Bytes> early_;   // points that came before the dealers were agreed on
  std::map<NodeId, Bytes> points_;  // checked
  NodeSet false_points_;
  NodeSet others_done_;
  bool done_ = false;  // the key is output
  bool kept_ = false;  // it is safe
  std::uint64_t refused_ = 0;
};

}  // namespace dkg

template <broadcast::OwnedBroadcast B, class S>
class Dkg {
 public:
  using Message = std::variant<dkg::Message, typename B::Message, typename S::Message>;
  using Output = crypto::GeneratedKey;
  using Request = dkg::Kept;
  using Fx = Effects<Message, Output>;

  struct Config {
    Committee committee = *Committee::make(4, 1);
    NodeId self{};
    std::shared_ptr<const crypto::DkgScheme> scheme;
    std::shared_ptr<const crypto::CoinScheme> coin;  ///< of the agreement, if it tosses common ones
    /// The key of a run with the same records is on disk: this one outputs none and is there for
    /// others that lack theirs.
    bool has_key = false;
  };

  /// Pre: config.scheme is not null.
  explicit Dkg(Config config)
      : config_(std::move(config)),
        ledger_(config_.committee, config_.self, config_.scheme, config_.has_key),
        dealings_(broadcast_config(config_)),
        set_(set_config(config_)) {}

  void on(const Restored& e, Fx& fx) {
    if (agreement::keeps(e.table)) {
      feed(set_, kSet, e, fx);
    } else {
      feed(dealings_, kDealings, e, fx);
    }
  }
  void on(const Start& e, Fx& fx) {
    feed(dealings_, kDealings, e, fx);
    feed(set_, kSet, e, fx);
    for (const NodeId i : node_ids(config_.committee.size())) {
      if (const Bytes* dealing = dealings_.delivered({i, 0})) deliver(i, *dealing, fx);
    }
    const auto mine = dealings_.submitted(0) ? std::nullopt : config_.scheme->deal();
    if (mine) feed(dealings_, kDealings, Requested<broadcast::Submit>{{*mine}}, fx);
    fx.push(ArmTimer{kRepeatTimer, dkg::kRepeat});
  }
  void on(const Requested<dkg::Kept>&, Fx& fx) {
    if (!ledger_.done()) return;
    dkg::Ledger::Out out;
    ledger_.keep(out);
    absorb(out, fx);
    fx.push(ArmTimer{kRepeatTimer, dkg::kRepeat});
  }
  void on(const Received<Message>& e, Fx& fx) {
    if (!config_.committee.contains(e.from) || e.from == config_.self) return;
    std::visit([&](const auto& m) { receive(e.from, m, fx); }, e.message);
  }
  void on(const Expired& e, Fx& fx) {
    if (e.id != kRepeatTimer) return route(e.id.route, e, fx);
    if (!ledger_.repeats()) return;
    dkg::Ledger::Out out;
    ledger_.repeat(out);
    absorb(out, fx);
    fx.push(ArmTimer{kRepeatTimer, dkg::kRepeat});
  }
  void on(const Verified& e, Fx& fx) { route(e.ticket.route, e, fx); }
  void on(const Endorsed& e, Fx& fx) { route(e.ticket.route, e, fx); }

  const dkg::Ledger& ledger() const { return ledger_; }
  const B& dealings() const { return dealings_; }
  const S& set() const { return set_; }
  std::uint64_t refused() const { return ledger_.refused() + dealings_.refused() + set_.refused(); }
  static typename B::Config broadcast_config(const Config& config) {
    typename B::Config out;
    out.committee = config.committee;
    out.self = config.self;
    out.window = 1;
    out.owner_forgets = true;  // whatever else a dealer broadcasts
    out.payload_bytes = config.scheme->dealing_bytes();
    out.origin_bytes = 4 * out.payload_bytes;
    return out;
  }
  static typename S::Config set_config(const Config& config) {
    typename S::Config out;
    out.committee = config.committee;
    out.self = config.self;
    out.coin = config.coin;
    out.enough = config.scheme->enough_dealings();
    for (const NodeId i : node_ids(config.committee.size())) {
      if (config.scheme->deals(i)) out.members.push_back(i);
    }
    return out;
  }

 private:
  static constexpr TimerId kRepeatTimer{1, {}};
  static constexpr std::uint32_t kDealings = 1;
  static constexpr std::uint32_t kSet = 2;

  void receive(NodeId from, const dkg::Message& m, Fx& fx) {
    dkg::Ledger::Out out;
    std::visit([&](const auto& part) { ledger_.receive(from, part, out); }, m);
    absorb(out, fx);
  }
  void receive(NodeId from, const typename B::Message& m, Fx& fx) {
    feed(dealings_, kDealings, Received<typename B::Message>{from, m}, fx);
  }
  void receive(NodeId from, const typename S::Message& m, Fx& fx) {
    feed(set_, kSet, Received<typename S::Message>{from, m}, fx);
  }
  /// Hands a timer or an answer back to the child that asked for it.
  template <class Input>
  void route(const Route& way, Input e, Fx& fx) {
    if (way.depth == 0) return;
    Route& inner = [&]() -> Route& {
      if constexpr (requires { e.id; }) {
        return e.id.route;
      } else {
        return e.ticket.route;
      }
    }();
    if (pop_hop(inner) == kDealings) {
      feed(dealings_, kDealings, e, fx);
    } else {
      feed(set_, kSet, e, fx);
    }
  }
  template <class Child, class Input>
  void feed(Child& child, std::uint32_t hop, const Input& input, Fx& fx) {
    EffectsOf<Child> effects;
    if constexpr (requires { child.on(input, effects); }) child.on(input, effects);
    std::vector<typename Child::Output> outputs;
    lift(
        effects, fx, hop, [](typename Child::Message m) { return Message(std::move(m)); },
        [&](typename Child::Output output) { outputs.push_back(std::move(output)); });
    for (auto& output : outputs) consume(output, fx);
  }
  void consume(const broadcast::Delivery& d, Fx& fx) {
    if (d.instance.number == 0) deliver(d.instance.origin, d.payload, fx);
  }
  void consume(const core_set::Agreed& agreed, Fx& fx) {
    dkg::Ledger::Out out;
    ledger_.agree(agreed.members, out);
    absorb(out, fx);
    // A correct node delivered each of these, so they exist.
    agreed.members.for_each([&](NodeId dealer) {
      if (ledger_.has_dealing(dealer)) return;
      EffectsOf<B> effects;
      dealings_.expect({dealer, 0}, effects);
      lift(
          effects, fx, kDealings, [](typename B::Message m) { return Message(std::move(m)); },
          [](const broadcast::Delivery&) {});
    });
  }
  void deliver(NodeId dealer, const Bytes& dealing, Fx& fx) {
    dkg::Ledger::Out out;
    ledger_.deliver(dealer, dealing, out);
    absorb(out, fx);
  }
  void absorb(dkg::Ledger::Out& out, Fx& fx) {
    for (auto& [to, message] : out.messages) {
      if (to) {
        fx.send(*to, Message(std::move(message)));
      } else {
        fx.broadcast(Message(std::move(message)));
      }
    }
    for (auto& [liar, proof] : out.accused) fx.push(Accuse{liar, std::move(proof)});
    if (out.key) fx.deliver(*std::move(out.key));
    for (const NodeId dealer : out.vouched)
      feed(set_, kSet, Requested<core_set::Vouch>{{dealer}}, fx);
  }

  Config config_;
  dkg::Ledger ledger_;
  B dealings_;
  S set_;
};

}  // namespace thresher
