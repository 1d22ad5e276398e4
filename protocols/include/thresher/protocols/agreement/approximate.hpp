// `approximate-agreement`: all correct nodes output numbers that are near each other and lie within
// the correct nodes' inputs, without coins, in a fixed number of rounds.
//
//   ApproximateAgreement<Bracha> node({.committee = *Committee::of(4), .self = NodeId{0},
//                                      .rounds = 10});
//   executor.run(Requested<approximate::Approach>{{instance, {1700}}});
//   // later: Deliver<approximate::Estimate>{instance, {1683}}
//
// A value is a vector of Config::dimensions numbers, one if nothing is said: many agreements that
// share their messages. What follows holds for each of its numbers.
// Guarantees, with up to f Byzantine nodes of n >= 3f+1 at any timing: when all correct nodes give
// an input, or one of them outputs, every correct node outputs, with an input or without; outputs
// lie within the inputs of correct nodes; two outputs differ by at most (the spread of those
// inputs) / 2^rounds + 1. Instances go on one after the other, in order, numbered from 0 without
// gaps. What was reported and output is durable before it leaves; a restarted node goes on where it
// was and catches up. Does not agree on one value. Values must stay within 2^62 of zero. Source:
// Abraham, Amit, Dolev, "Optimal resilience asynchronous approximate agreement" (OPODIS 2004), the
// witness technique; docs/protocols/approximate-agreement.md.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "thresher/core/bounded.hpp"
#include "thresher/core/compose.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/protocols/broadcast/broadcast.hpp"
#include "thresher/protocols/broadcast/shelf.hpp"

namespace thresher {

namespace approximate {

/// One number for each dimension.
using Values = std::vector<std::int64_t>;

/// Takes part with this input, when this node is done with the instances before. In an instance
/// that goes on already the input counts while this node is in round 0.
struct Approach {
  std::uint64_t instance = 0;
  Values values;
};
struct Estimate {
  std::uint64_t instance = 0;
  Values values;
};
/// The values that the sender had when it had enough of them, by origin; none: it has not enough.
/// `step`: instance * rounds + round. `asks`: it waits for the reports of others, from that step
/// on.
struct Report {
  std::uint64_t step = 0;
  NodeSet origins;
  bool asks = false;
};
/// Reports that a peer gets in 4 Delta because it asked for them, however often it asks.
inline constexpr std::size_t kAnswers = 64;
/// Durable records: own reports, by step; outputs, by instance; the first instance not forgotten.
enum Table : std::uint32_t { kReports = 5, kResults = 6, kFloor = 7 };

/// The middle of the values without the f lowest and the f highest. Pre: more than 2 f of them.
std::int64_t trimmed_middle(std::vector<std::int64_t> values, std::uint32_t f);
/// The same in each dimension. Pre: all have as many.
Values trimmed_middles(const std::vector<Values>& values, std::uint32_t f);
/// Eight bytes a number, and the mirror: empty when there are not `dimensions` of them or one is
/// out of range.
Bytes encode_values(const Values& values);
std::optional<Values> decode_values(ByteView bytes, std::uint32_t dimensions);
/// The same for a report; n/8 bytes and nine.
void encode_report(const Report& report, std::uint32_t n, Writer& out);
std::optional<Report> decode_report(Reader& in, const Committee& committee);

}  // namespace approximate

template <broadcast::OwnedBroadcast B>
class ApproximateAgreement {
 public:
  static constexpr std::string_view kName = "approximate-agreement";
  static constexpr std::uint32_t kNodesPerFault = B::kNodesPerFault;

  using Message = std::variant<typename B::Message, approximate::Report>;
  using Output = approximate::Estimate;
  using Request = approximate::Approach;
  using Fx = Effects<Message, Output>;

  struct Config {
    Committee committee = *Committee::make(4, 1);
    NodeId self{};
    std::uint32_t rounds = 8;      ///< each halves the spread
    std::uint64_t window = 4;      ///< instances kept, from the first not forgotten
    std::uint32_t dimensions = 1;  ///< numbers of a value
    bool witnesses = true;         ///< waits for reports; tests take it away
  };

  explicit ApproximateAgreement(Config config)
      : config_(std::move(config)),
        broadcast_(broadcast_config(config_)),
        served_(config_.committee.size()) {}

  void on(const Restored& e, Fx& fx);
  void on(const Start& e, Fx& fx);
  void on(const Received<Message>& e, Fx& fx);
  void on(const Requested<Request>& e, Fx& fx);
  void on(const Expired& e, Fx& fx);

  /// Instances below matter no more to the owner, and nodes that lag are not helped with them.
  void forget_below(std::uint64_t instance, Fx& fx);
  /// What was output here; empty when nothing was or it is forgotten.
  std::optional<approximate::Values> result(std::uint64_t instance) const {
    const auto it = results_.find(instance);
    return it == results_.end() ? std::nullopt : std::optional(it->second);
  }
  /// The first instance that is not forgotten.
  std::uint64_t floor() const { return floor_; }
  /// The first instance that is not output here.
  std::uint64_t current() const { return current_; }
  std::uint64_t refused() const { return refused_ + broadcast_.refused(); }
  broadcast::Footprint footprint() const { return broadcast_.footprint(); }
  broadcast::Footprint most_held() const { return B::most_held(broadcast_config(config_)); }
  /// Reports of peers that are held, and the most that there may be.
  std::size_t reports() const {
    std::size_t out = 0;
    for (const auto& [step, of_peers] : heard_) out += of_peers.size();
    return out;
  }
  std::size_t most_reports() const {
    return config_.window * config_.rounds * config_.committee.size();
  }

 private:
  static constexpr std::uint32_t kBroadcastHop = 1;
  static constexpr TimerId kRepeatTimer{1, {}};

  static typename B::Config broadcast_config(const Config& c) {
    typename B::Config out;
    out.committee = c.committee;
    out.self = c.self;
    out.window = (c.window * c.rounds + 1) / 2;  // twice as many are kept
    out.owner_forgets = true;
    out.payload_bytes = sizeof(std::int64_t) * c.dimensions;
    out.origin_bytes = std::max(std::size_t{1} << 20, 8 * out.window * out.payload_bytes);
    return out;
  }
  std::uint64_t step_of(std::uint32_t round) const { return current_ * config_.rounds + round; }
  bool reaches(std::uint64_t step) const {
    return step / config_.rounds >= floor_ && step / config_.rounds - floor_ < config_.window;
  }

  template <class Input>
  void feed(const Input& input, Fx& fx) {
    EffectsOf<B> child;
    broadcast_.on(input, child);
    lift_broadcast(child, fx);
  }
  void lift_broadcast(EffectsOf<B>& child, Fx& fx) {
    lift(
        child, fx, kBroadcastHop, [](typename B::Message&& m) { return Message(std::move(m)); },
        [](const broadcast::Delivery&) {});  // asked for by delivered() when it matters
  }
  void submit(const approximate::Values& values, Fx& fx) {
    feed(Requested<broadcast::Submit>{{approximate::encode_values(values), step_of(round_)}}, fx);
  }
  std::optional<approximate::Values> decode(ByteView bytes) const {
    return approximate::decode_values(bytes, config_.dimensions);
  }
  NodeSet arrived(std::uint64_t step) const;
  std::vector<approximate::Values> values(std::uint64_t step) const;
  bool report(std::uint64_t step, Fx& fx);
  bool enough(const NodeSet& nodes) const {
    return nodes.size() >= config_.committee.at_least(kAvailability);
  }
  bool sure(std::uint64_t step) const;
  void hear(NodeId from, const approximate::Report& m);
  void answer(NodeId to, std::uint64_t step, Fx& fx);
  void ask(Fx& fx) const;
  void expect_named(Fx& fx);
  void begin(Fx& fx);
  void advance(Fx& fx);
  void finish(approximate::Values values, Fx& fx);
  void arm(Fx& fx) {
    if ((running_ || serves_) && !std::exchange(armed_, true))
      fx.push(ArmTimer{kRepeatTimer, broadcast::kRepeat});
  }
  static Bytes key_of(std::uint64_t number) { return Bytes::from(Writer().u64(number).take()); }

  Config config_;
  B broadcast_;
  std::map<std::uint64_t, approximate::Values> asked_;        // inputs, by instance
  std::map<std::uint64_t, approximate::Values> results_;      // outputs, by instance
  std::map<std::uint64_t, NodeSet> said_;                     // own reports, by step
  std::map<std::uint64_t, std::map<NodeId, NodeSet>> heard_;  // those of peers
  std::uint64_t floor_ = 0;
  std::uint64_t current_ = 0;  // the first instance without an output
  std::uint32_t round_ = 0;    // of it
  bool running_ = false;       // whether this node takes part in it
  bool armed_ = false;
  PeerQuota<approximate::kAnswers> served_;  // reports sent as answers since the last tick
  bool serves_ = false;                      // some were
  bool restored_ = false;                    // there was a life before this one
  std::uint64_t refused_ = 0;
};

template <broadcast::OwnedBroadcast B>
void ApproximateAgreement<B>::on(const Restored& e, Fx& fx) {
  Reader key(e.key.view());
  Reader value(e.value.view());
  restored_ = true;
  if (e.table == approximate::kFloor) {
    floor_ = value.u64();
    current_ = std::max(current_, floor_);
  } else if (e.table == approximate::kReports) {
    if (const auto report = approximate::decode_report(value, config_.committee))
      said_.insert_or_assign(key.u64(), report->origins);
  } else if (e.table == approximate::kResults) {
    if (const auto result = decode(e.value.view())) results_.insert_or_assign(key.u64(), *result);
  } else {
    feed(e, fx);
  }
}

// Others went on meanwhile, so a restarted node asks at once.
template <broadcast::OwnedBroadcast B>
void ApproximateAgreement<B>::on(const Start& e, Fx& fx) {
  feed(e, fx);
  for (const auto& [instance, values] : results_) fx.deliver({instance, values});
  while (results_.contains(current_)) ++current_;
  for (std::uint32_t r = 0; r < config_.rounds && broadcast_.submitted(step_of(r)); ++r) round_ = r;
  running_ = broadcast_.submitted(step_of(0));
  advance(fx);
  if (restored_) ask(fx);
}

template <broadcast::OwnedBroadcast B>
void ApproximateAgreement<B>::on(const Received<Message>& e, Fx& fx) {
  if (!config_.committee.contains(e.from) || e.from == config_.self) return;
  if (const auto* b = std::get_if<typename B::Message>(&e.message)) {
    feed(Received<typename B::Message>{e.from, *b}, fx);
  } else {
    const auto& m = std::get<approximate::Report>(e.message);
    if (m.asks) answer(e.from, m.step, fx);
    hear(e.from, m);
  }
  advance(fx);
}

// A report of too few is ignored: no correct node sends one, nor a second one of a step. A node
// that only asks may have none yet.
template <broadcast::OwnedBroadcast B>
void ApproximateAgreement<B>::hear(NodeId from, const approximate::Report& m) {
  if (m.asks && m.origins.empty()) return;
  const bool counts =
      reaches(m.step) && m.origins.below(config_.committee.size()) && enough(m.origins);
  if (!counts || heard_[m.step].try_emplace(from, m.origins).first->second != m.origins) ++refused_;
}

// The asker may be many steps behind: one question a step would take it longer than the others take
// for theirs, and it would never be where they are.
template <broadcast::OwnedBroadcast B>
void ApproximateAgreement<B>::answer(NodeId to, std::uint64_t step, Fx& fx) {
  for (auto it = said_.lower_bound(step); it != said_.end() && served_.take(to); ++it) {
    serves_ = true;
    fx.send(to, approximate::Report{it->first, it->second, false});
  }
}

template <broadcast::OwnedBroadcast B>
void ApproximateAgreement<B>::ask(Fx& fx) const {
  const std::uint64_t step = step_of(round_);
  const auto said = said_.find(step);
  fx.broadcast(approximate::Report{
      step, said == said_.end() ? NodeSet(config_.committee.size()) : said->second, true});
}

// P2: f+1 nodes reported a value that is not here, so a correct one has it, and it will come; but
// nobody may speak of it for long to a node that was away when it was told.
template <broadcast::OwnedBroadcast B>
void ApproximateAgreement<B>::expect_named(Fx& fx) {
  EffectsOf<B> child;
  for (auto it = heard_.lower_bound(step_of(round_)); it != heard_.end(); ++it) {
    const NodeSet here = arrived(it->first);
    for (const NodeId o : node_ids(config_.committee.size())) {
      const auto names = [o](const auto& report) { return report.second.contains(o); };
      const auto named = std::count_if(it->second.begin(), it->second.end(), names);
      if (!here.contains(o) &&
          static_cast<std::uint32_t>(named) >= config_.committee.at_least(kValidity))
        broadcast_.expect({o, it->first}, child);
    }
  }
  lift_broadcast(child, fx);
}

template <broadcast::OwnedBroadcast B>
void ApproximateAgreement<B>::on(const Requested<Request>& e, Fx& fx) {
  const bool good = e.request.instance >= current_ &&
                    reaches(e.request.instance * config_.rounds) &&
                    decode(approximate::encode_values(e.request.values).view());
  if (!good || !asked_.try_emplace(e.request.instance, e.request.values).second) {
    ++refused_;
    return;
  }
  advance(fx);
}

template <broadcast::OwnedBroadcast B>
void ApproximateAgreement<B>::on(const Expired& e, Fx& fx) {
  if (e.id.route.depth > 0) {
    Expired inner = e;
    (void)pop_hop(inner.id.route);
    feed(inner, fx);
    return advance(fx);
  }
  if (e.id != kRepeatTimer) return;
  armed_ = false;
  if (std::exchange(serves_, false))
    served_ = PeerQuota<approximate::kAnswers>(config_.committee.size());
  if (running_) {
    ask(fx);
    expect_named(fx);
  }
  arm(fx);
}

template <broadcast::OwnedBroadcast B>
NodeSet ApproximateAgreement<B>::arrived(std::uint64_t step) const {
  NodeSet out(config_.committee.size());
  for (const NodeId o : node_ids(config_.committee.size())) {
    const Bytes* value = broadcast_.delivered({o, step});
    if (value != nullptr && decode(value->view())) out.insert(o);
  }
  return out;
}

template <broadcast::OwnedBroadcast B>
std::vector<approximate::Values> ApproximateAgreement<B>::values(std::uint64_t step) const {
  std::vector<approximate::Values> out;
  arrived(step).for_each([&](NodeId o) {
    out.push_back(*decode(broadcast_.delivered({o, step})->view()));
  });
  return out;
}

// P2: what n-f values there were when there were enough. Said once, and durable first.
template <broadcast::OwnedBroadcast B>
bool ApproximateAgreement<B>::report(std::uint64_t step, Fx& fx) {
  if (said_.contains(step)) return true;
  const NodeSet origins = arrived(step);
  if (!enough(origins)) return false;
  const approximate::Report m{step, origins, false};
  Writer w;
  approximate::encode_report(m, config_.committee.size(), w);
  fx.push(Persist{approximate::kReports, key_of(step), Bytes::from(w.take())});
  fx.broadcast(m);
  said_.emplace(step, origins);
  return true;
}

// P3: whether every other correct node has n-f values in common with this one, be it by a witness
// of both or because all values are here.
template <broadcast::OwnedBroadcast B>
bool ApproximateAgreement<B>::sure(std::uint64_t step) const {
  const NodeSet here = arrived(step);
  if (!config_.witnesses || here.size() == config_.committee.size()) return true;
  NodeSet witnesses(config_.committee.size());
  // After a restart the own report is here before the values that it names.
  if (said_.at(step).subset_of(here)) witnesses.insert(config_.self);
  const auto heard = heard_.find(step);
  if (heard == heard_.end()) return enough(witnesses);
  for (const auto& [peer, origins] : heard->second) {
    if (origins.subset_of(here)) witnesses.insert(peer);
  }
  return enough(witnesses);
}

// P1, and P5: without an input a node goes along once others made the instance go on.
template <broadcast::OwnedBroadcast B>
void ApproximateAgreement<B>::begin(Fx& fx) {
  const auto input = asked_.find(current_);
  if (input != asked_.end() && round_ == 0 && !broadcast_.submitted(step_of(0))) {
    running_ = true;
    submit(input->second, fx);
  }
  running_ = running_ || enough(arrived(step_of(0)));
}

template <broadcast::OwnedBroadcast B>
void ApproximateAgreement<B>::advance(Fx& fx) {
  for (begin(fx); running_; begin(fx)) {
    const std::uint64_t step = step_of(round_);
    if (!report(step, fx) || !sure(step)) break;
    approximate::Values next =
        approximate::trimmed_middles(values(step), config_.committee.faults());
    if (round_ + 1 == config_.rounds) {
      finish(std::move(next), fx);
    } else {
      ++round_;
      submit(next, fx);
    }
  }
  arm(fx);
}

// P4
template <broadcast::OwnedBroadcast B>
void ApproximateAgreement<B>::finish(approximate::Values values, Fx& fx) {
  fx.push(Persist{approximate::kResults, key_of(current_), approximate::encode_values(values)});
  fx.deliver({current_, values});
  results_.emplace(current_, std::move(values));
  asked_.erase(current_);
  running_ = false;
  round_ = 0;
  ++current_;
}

template <broadcast::OwnedBroadcast B>
void ApproximateAgreement<B>::forget_below(std::uint64_t instance, Fx& fx) {
  if (instance <= floor_) return;
  floor_ = instance;
  if (current_ < instance) {
    current_ = instance;
    running_ = false;
    round_ = 0;
  }
  fx.push(Persist{approximate::kFloor, {}, key_of(instance), {}, true});
  const std::uint64_t step = instance * config_.rounds;
  for (auto it = said_.begin(); it != said_.end() && it->first < step; it = said_.erase(it))
    fx.push(Persist{approximate::kReports, key_of(it->first), {}, {}, true});
  for (auto it = results_.begin(); it != results_.end() && it->first < instance;
       it = results_.erase(it))
    fx.push(Persist{approximate::kResults, key_of(it->first), {}, {}, true});
  heard_.erase(heard_.begin(), heard_.lower_bound(step));
  asked_.erase(asked_.begin(), asked_.lower_bound(instance));
  EffectsOf<B> child;
  broadcast_.forget_below(step, child);
  lift_broadcast(child, fx);
  advance(fx);
}

}  // namespace thresher
