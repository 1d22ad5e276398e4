// `setup-free-coin`: strong common coins without a dealer, a key generation or keys at all.
//
//   SetupFreeCoin<Avid, Bracha> coin({.committee = c, .self = id, .scheme = scheme});
//   executor.run(Requested<coin::Toss>{{0}});     // later: Deliver<coin::Tossed>{0, value}
//
// Every node shares a secret (avss.hpp). A node that finds n-f shared gathers (gather.hpp): some
// n-f dealers are then in every node's set. Nodes agree approximately on the weight of each dealer,
// one or zero being the inputs, and only then open the secrets. The value is the sum of weights
// times secrets modulo one, of which the side tells: nodes' sums are so near each other that they
// seldom lie on different sides. Guarantees, with up to f Byzantine nodes of n >= 3f+1 at any
// timing, and private links:
//   termination      when all correct nodes toss an instance, or one has its value, all get one;
//   agreement        all get the same one but with probability disagreement_bound();
//   fairness         each of Config::sides values is as likely as the others, whatever liars deal
//                    and whatever the scheduler sees, but for the same probability;
//   unpredictability  before n-2f correct nodes toss it nobody knows more of it.
// Instances are numbered from 0 without gaps and go on one after the other; Config::window of them
// are remembered. A restarted node contradicts nothing and gets the values that it had.
// Cost: of the order of n^3 messages a toss and 4 delays a round: for committees of tens.
// Source: Freitas, Kuznetsov, Tonkikh, "Distributed randomness from approximate agreement" (DISC
// 2022), the Monte Carlo coin. Rules by number and why: docs/protocols/setup-free-coin.md.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "thresher/core/node_ids.hpp"
#include "thresher/protocols/agreement/approximate.hpp"
#include "thresher/protocols/agreement/gather.hpp"
#include "thresher/protocols/coin/avss.hpp"
#include "thresher/protocols/coin/threshold_coin.hpp"

namespace thresher {

namespace setup_free {

/// Durable records beside those of the parts: values, by instance.
enum Table : std::uint32_t { kValues = 15 };
/// Offset of the secret sharing's tables: approximate agreement has a broadcast too, and both
/// number their tables from 1.
inline constexpr std::uint32_t kSharingTables = 7;
constexpr bool of_sharing(std::uint32_t table) {
  return table > kSharingTables && table <= kSharingTables + avss::kFloor;
}
static_assert(approximate::kFloor == kSharingTables && !of_sharing(gather::kSaid));

/// More would leave no room for weights in 62 bits.
inline constexpr std::uint32_t kMostRounds = 48;
/// The rounds that make `one_in` tosses or more agree but for one, with so many nodes and sides.
std::uint32_t rounds_for(std::uint32_t n, std::uint64_t sides, std::uint64_t one_in);
/// Of 1,000,000 tosses those at most in which two correct nodes have different values, rounded up.
std::uint64_t disagreement_bound_ppm(std::uint32_t n, std::uint64_t sides, std::uint32_t rounds);

/// A dealer's secret as a number from [0, 2^64), and its weight in units of 2^-rounds.
struct Part {
  std::uint64_t secret = 0;
  std::int64_t weight = 0;
};
/// On which of `sides` equal parts of [0, 1) the sum of weights times secrets lies, modulo one.
std::uint64_t side_of(std::span<const Part> parts, std::uint32_t rounds, std::uint64_t sides);
/// A side as the value of a coin, and the mirror. Its last bit is the side's.
Digest value_of(std::uint64_t side);
std::uint64_t side_in(const Digest& value);

struct Config {
  Committee committee = *Committee::make(4, 1);
  NodeId self{};
  std::shared_ptr<const crypto::SharingScheme> scheme;
  std::uint32_t rounds = 20;  ///< of approximate agreement, at most kMostRounds
  std::uint64_t sides = 2;    ///< values that a toss may have, each alike
  std::uint64_t window = 16;  ///< instances kept, even
  /// What tests take away: checks of secrets, and that these are opened when weights are known.
  avss::Checks checks{};
  bool waits_for_weights = true;
};

}  // namespace setup_free

template <broadcast::OwnedBroadcast C, broadcast::OwnedBroadcast B>
class SetupFreeCoin {
 public:
  using Secrets = Avss<C>;
  using Weights = ApproximateAgreement<B>;
  static constexpr std::uint32_t kNodesPerFault = std::max(C::kNodesPerFault, B::kNodesPerFault);

  using Message =
      std::variant<typename Secrets::Message, gather::Members, typename Weights::Message>;
  using Output = coin::Tossed;
  using Request = coin::Toss;
  using Config = setup_free::Config;
  using Fx = Effects<Message, Output>;

  /// Pre: config.scheme is not null; sides > 0; 1 <= rounds <= kMostRounds.
  explicit SetupFreeCoin(Config config)
      : config_(std::move(config)),
        secrets_({.committee = config_.committee,
                  .self = config_.self,
                  .scheme = config_.scheme,
                  .window = config_.window,
                  .checks = config_.checks}),
        gather_({.committee = config_.committee, .self = config_.self, .window = config_.window}),
        weights_(weights_config(config_)) {}

  void on(const Restored& e, Fx& fx);
  void on(const Start& e, Fx& fx);
  void on(const Received<Message>& e, Fx& fx);
  /// An instance that is `window` beyond the first that is kept makes room for itself.
  void on(const Requested<coin::Toss>& e, Fx& fx);
  void on(const Expired& e, Fx& fx);

  void forget_below(std::uint64_t instance, Fx& fx);
  std::optional<std::uint64_t> side(std::uint64_t instance) const {
    const auto it = values_.find(instance);
    return it == values_.end() ? std::nullopt : std::optional(it->second);
  }
  /// If instances are tossed one after the other: those below were tossed, or may be now.
  std::uint64_t due() const {
    std::uint64_t out = secrets_.floor();
    for (std::uint64_t i = secrets_.floor(); secrets_.reaches(i); ++i) {
      if (secrets_.dealt(i)) out = i + 1;
      if (values_.contains(i)) out = i + 2;
    }
    return out;
  }
  std::uint64_t refused() const {
    return secrets_.refused() + gather_.refused() + weights_.refused();
  }
  const Config& config() const { return config_; }
  const Secrets& secrets() const { return secrets_; }
  const Gather& gathering() const { return gather_; }
  const Weights& weights() const { return weights_; }

 private:
  static constexpr std::uint32_t kSecretsHop = 1;
  static constexpr std::uint32_t kGatherHop = 2;
  static constexpr std::uint32_t kWeightsHop = 3;

  static typename Weights::Config weights_config(const Config& c) {
    typename Weights::Config out;
    out.committee = c.committee;
    out.self = c.self;
    out.rounds = c.rounds;
    out.window = c.window;
    out.dimensions = c.committee.size();
    return out;
  }

  template <class Input>
  void feed_secrets(const Input& input, Fx& fx) {
    EffectsOf<Secrets> child;
    secrets_.on(input, child);
    raise(child, fx);
  }
  template <class Input>
  void feed_gather(const Input& input, Fx& fx) {
    Gather::Fx child;
    gather_.on(input, child);
    raise(child, fx);
  }
  template <class Input>
  void feed_weights(const Input& input, Fx& fx) {
    EffectsOf<Weights> child;
    weights_.on(input, child);
    raise(child, fx);
  }
  void raise(EffectsOf<Secrets>& child, Fx& fx);
  void raise(Gather::Fx& child, Fx& fx);
  void raise(EffectsOf<Weights>& child, Fx& fx);

  void shared(const avss::Shared& m, Fx& fx);
  void gathered(const gather::Gathered& m, Fx& fx);
  void weighed(std::uint64_t instance, Fx& fx);
  void finish(std::uint64_t instance, Fx& fx);

  Config config_;
  Secrets secrets_;
  Gather gather_;
  Weights weights_;
  std::map<std::uint64_t, std::map<NodeId, Digest>> opened_;  // secrets, by instance and dealer
  std::map<std::uint64_t, std::uint64_t> values_;             // sides, by instance
};

template <broadcast::OwnedBroadcast C, broadcast::OwnedBroadcast B>
void SetupFreeCoin<C, B>::on(const Restored& e, Fx& fx) {
  if (setup_free::of_sharing(e.table)) {
    Restored inner = e;
    inner.table -= setup_free::kSharingTables;
    feed_secrets(inner, fx);
  } else if (e.table == gather::kSaid) {
    feed_gather(e, fx);
  } else if (e.table == setup_free::kValues) {
    values_.insert_or_assign(Reader(e.key.view()).u64(), Reader(e.value.view()).u64());
  } else {
    feed_weights(e, fx);
  }
}

template <broadcast::OwnedBroadcast C, broadcast::OwnedBroadcast B>
void SetupFreeCoin<C, B>::on(const Start& e, Fx& fx) {
  // A crash may lie between the floors' records, and those erased lazily may be back.
  const std::uint64_t floor = secrets_.floor();
  values_.erase(values_.begin(), values_.lower_bound(floor));
  Gather::Fx child;
  gather_.forget_below(floor, child);
  raise(child, fx);
  for (const auto& [instance, side] : values_) {
    secrets_.settle(instance);
    gather_.settle(instance);
    fx.deliver(coin::Tossed{instance, setup_free::value_of(side)});
  }
  feed_secrets(e, fx);
  feed_gather(e, fx);
  feed_weights(e, fx);
  EffectsOf<Weights> behind;
  weights_.forget_below(floor, behind);
  raise(behind, fx);
}

template <broadcast::OwnedBroadcast C, broadcast::OwnedBroadcast B>
void SetupFreeCoin<C, B>::on(const Received<Message>& e, Fx& fx) {
  if (!config_.committee.contains(e.from) || e.from == config_.self) return;
  if (const auto* secret = std::get_if<typename Secrets::Message>(&e.message)) {
    feed_secrets(Received<typename Secrets::Message>{e.from, *secret}, fx);
  } else if (const auto* members = std::get_if<gather::Members>(&e.message)) {
    feed_gather(Received<gather::Members>{e.from, *members}, fx);
  } else {
    feed_weights(
        Received<typename Weights::Message>{e.from, std::get<typename Weights::Message>(e.message)},
        fx);
  }
}

// C1
template <broadcast::OwnedBroadcast C, broadcast::OwnedBroadcast B>
void SetupFreeCoin<C, B>::on(const Requested<coin::Toss>& e, Fx& fx) {
  const std::uint64_t instance = e.request.instance;
  if (instance < secrets_.floor()) return;
  if (!secrets_.reaches(instance)) forget_below(instance - config_.window + 1, fx);
  if (!secrets_.dealt(instance)) feed_secrets(Requested<avss::Request>{avss::Deal{instance}}, fx);
}

template <broadcast::OwnedBroadcast C, broadcast::OwnedBroadcast B>
void SetupFreeCoin<C, B>::on(const Expired& e, Fx& fx) {
  Expired inner = e;
  if (inner.id.route.depth == 0) return;
  const std::uint32_t hop = pop_hop(inner.id.route);
  if (hop == kSecretsHop) feed_secrets(inner, fx);
  if (hop == kGatherHop) feed_gather(inner, fx);
  if (hop == kWeightsHop) feed_weights(inner, fx);
}

template <broadcast::OwnedBroadcast C, broadcast::OwnedBroadcast B>
void SetupFreeCoin<C, B>::raise(EffectsOf<Secrets>& child, Fx& fx) {
  for (auto& effect : child.list()) {
    if (auto* record = std::get_if<Persist>(&effect)) record->table += setup_free::kSharingTables;
  }
  std::vector<avss::Output> news;
  lift(
      child, fx, kSecretsHop, [](typename Secrets::Message&& m) { return Message(std::move(m)); },
      [&](const avss::Output& output) { news.push_back(output); });
  for (const avss::Output& output : news) {
    if (const auto* m = std::get_if<avss::Shared>(&output)) {
      shared(*m, fx);
    } else {
      const auto& m2 = std::get<avss::Opened>(output);
      opened_[m2.instance].insert_or_assign(m2.dealer, m2.secret);
      finish(m2.instance, fx);
    }
  }
}

template <broadcast::OwnedBroadcast C, broadcast::OwnedBroadcast B>
void SetupFreeCoin<C, B>::raise(Gather::Fx& child, Fx& fx) {
  std::vector<gather::Gathered> news;
  lift(
      child, fx, kGatherHop, [](gather::Members&& m) { return Message(std::move(m)); },
      [&](gather::Gathered&& output) { news.push_back(std::move(output)); });
  for (const gather::Gathered& m : news) gathered(m, fx);
}

template <broadcast::OwnedBroadcast C, broadcast::OwnedBroadcast B>
void SetupFreeCoin<C, B>::raise(EffectsOf<Weights>& child, Fx& fx) {
  std::vector<std::uint64_t> news;
  lift(
      child, fx, kWeightsHop, [](typename Weights::Message&& m) { return Message(std::move(m)); },
      [&](approximate::Estimate&& output) { news.push_back(output.instance); });
  for (const std::uint64_t instance : news) weighed(instance, fx);
}

// C2
template <broadcast::OwnedBroadcast C, broadcast::OwnedBroadcast B>
void SetupFreeCoin<C, B>::shared(const avss::Shared& m, Fx& fx) {
  feed_gather(Requested<gather::Have>{{m.instance, m.dealer}}, fx);
  if (!config_.waits_for_weights)
    feed_secrets(Requested<avss::Request>{avss::Open{m.instance}}, fx);
}

// C3
template <broadcast::OwnedBroadcast C, broadcast::OwnedBroadcast B>
void SetupFreeCoin<C, B>::gathered(const gather::Gathered& m, Fx& fx) {
  if (weights_.result(m.instance) || m.instance < weights_.current()) return;
  approximate::Values input(config_.committee.size());
  m.members.for_each(
      [&](NodeId dealer) { input[dealer.value] = std::int64_t{1} << config_.rounds; });
  feed_weights(Requested<approximate::Approach>{{m.instance, std::move(input)}}, fx);
}

// C4: the others' weights can only become near these, so the secrets do not help a node that would
// choose them.
template <broadcast::OwnedBroadcast C, broadcast::OwnedBroadcast B>
void SetupFreeCoin<C, B>::weighed(std::uint64_t instance, Fx& fx) {
  if (!secrets_.reaches(instance)) return;
  gather_.settle(instance);
  feed_secrets(Requested<avss::Request>{avss::Open{instance}}, fx);
  finish(instance, fx);
}

// C5
template <broadcast::OwnedBroadcast C, broadcast::OwnedBroadcast B>
void SetupFreeCoin<C, B>::finish(std::uint64_t instance, Fx& fx) {
  const auto weights = weights_.result(instance);
  if (!weights || values_.contains(instance) || !secrets_.reaches(instance)) return;
  const auto& known = opened_[instance];
  std::vector<setup_free::Part> parts;
  for (const NodeId i : node_ids(config_.committee.size())) {
    if ((*weights)[i.value] == 0) continue;
    const auto secret = known.find(i);
    if (secret == known.end()) return;
    parts.push_back({secret->second.prefix(), (*weights)[i.value]});
  }
  const std::uint64_t side = setup_free::side_of(parts, config_.rounds, config_.sides);
  values_.emplace(instance, side);
  secrets_.settle(instance);
  fx.push(Persist{setup_free::kValues, Bytes::from(Writer().u64(instance).take()),
                  Bytes::from(Writer().u64(side).take())});
  fx.deliver(coin::Tossed{instance, setup_free::value_of(side)});
}

template <broadcast::OwnedBroadcast C, broadcast::OwnedBroadcast B>
void SetupFreeCoin<C, B>::forget_below(std::uint64_t instance, Fx& fx) {
  if (instance <= secrets_.floor()) return;
  for (auto it = values_.begin(); it != values_.end() && it->first < instance;
       it = values_.erase(it))
    fx.push(
        Persist{setup_free::kValues, Bytes::from(Writer().u64(it->first).take()), {}, {}, true});
  opened_.erase(opened_.begin(), opened_.lower_bound(instance));
  EffectsOf<Secrets> of_secrets;
  secrets_.forget_below(instance, of_secrets);
  raise(of_secrets, fx);
  Gather::Fx of_gather;
  gather_.forget_below(instance, of_gather);
  raise(of_gather, fx);
  EffectsOf<Weights> of_weights;
  weights_.forget_below(instance, of_weights);
  raise(of_weights, fx);
}

}  // namespace thresher
