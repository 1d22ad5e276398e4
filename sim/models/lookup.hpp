// Looking up who owns a key: what the distributed hash tables share. A `Router` knows some nodes
// and names the next one on the way; the owner answers the asker directly.
//
//   Lookup<ChordRouter> node({.self = id, .retry = Delay{16'000}, ...}, router);
//
// Guarantees: an answer comes from a node whose router says that it owns the key. A lookup without
// an answer is tried again over the next best contacts; open ones are durable. Membership is fixed
// and nobody is replaced: a key whose owner is down waits for it.
#pragma once

#include <map>
#include <memory>

#include "model.hpp"
#include "thresher/sim/run.hpp"

namespace thresher::sim {

/// Where the nodes stand on the circle of 64-bit identifiers, lowest first.
struct Places {
  struct Place {
    std::uint64_t at = 0;
    NodeId id{};
  };
  std::vector<Place> sorted;
  std::uint64_t seed = 0;

  /// `even`: node k at k of n parts of the circle; else each where a hash with
  /// `seed` puts it.
  static Places make(std::uint32_t n, bool even, std::uint64_t seed) {
    Places out;
    out.seed = seed;
    for (std::uint32_t k = 0; k < n; ++k) {
      const std::uint64_t step = ~std::uint64_t{0} / n + 1;
      const std::uint64_t at = even ? k * step : mix64(seed ^ mix64(k));
      out.sorted.push_back({at, NodeId{static_cast<std::uint16_t>(k)}});
    }
    std::sort(out.sorted.begin(), out.sorted.end(),
              [](const Place& a, const Place& b) { return a.at < b.at; });
    return out;
  }
  std::size_t index_of(NodeId id) const {
    const auto it = std::find_if(sorted.begin(), sorted.end(),
                                 [&](const Place& place) { return place.id == id; });
    return static_cast<std::size_t>(it - sorted.begin());
  }
  /// Index of the first place that is not below `at`.
  std::size_t from(std::uint64_t at) const {
    const auto it = std::lower_bound(sorted.begin(), sorted.end(), at,
                                     [](const Place& p, std::uint64_t v) { return p.at < v; });
    return static_cast<std::size_t>(it - sorted.begin());
  }
};

/// What a lookup found.
struct Answer {
  std::uint64_t key = 0;
  NodeId owner{};
  std::uint32_t hops = 0;  ///< messages from the asker to the owner
  NodeId asker{};
  std::uint64_t number = 0;
  Bytes payload;
};

struct Ask {
  NodeId asker{};
  std::uint64_t number = 0;
  std::uint64_t key = 0;
  std::uint32_t hops = 0;
  std::uint32_t attempt = 0;
};
struct Tell {
  std::uint64_t number = 0;
  std::uint32_t hops = 0;
};

template <class Router>
class Lookup {
 public:
  using Message = std::variant<Ask, Tell>;
  using Output = Answer;
  using Request = ModelRequest;
  using Fx = Effects<Message, Output>;

  /// Every payload asks for the key that `key_of` makes of it.
  using Keys = std::uint64_t (*)(const Places&, const Bytes&);
  struct Config {
    NodeId self{};
    Delay retry{32'000};
    Keys key_of = nullptr;
    std::shared_ptr<const Places> places;
  };

  Lookup(Config config, Router router) : config_(std::move(config)), router_(std::move(router)) {}

  void on(const Restored& r, Fx&) {
    const std::uint64_t number = number_in(r.key);
    open_[number] = {r.value, key_of(r.value)};
    next_number_ = std::max(next_number_, number + 1);
  }
  void on(const Start&, Fx& fx) { again(fx); }
  void on(const Expired&, Fx& fx) { again(fx); }
  void on(const Requested<Request>& r, Fx& fx) {
    const std::uint64_t number = next_number_++;
    const std::uint64_t key = key_of(r.request.payload);
    if (open_.empty()) fx.push(ArmTimer{{}, config_.retry});
    open_[number] = {r.request.payload, key};
    fx.push(Persist{1, record_of(number), r.request.payload, {}, false});
    route({config_.self, number, key}, fx);
  }
  void on(const Received<Message>& m, Fx& fx) {
    if (const auto* ask = std::get_if<Ask>(&m.message)) return route(*ask, fx);
    const auto& told = std::get<Tell>(m.message);
    finish(told.number, m.from, told.hops, fx);
  }

  const Router& router() const { return router_; }
  std::uint64_t answered() const { return answered_; }
  std::uint64_t hops() const { return hops_; }
  std::uint64_t retries() const { return retries_; }

 private:
  struct Open {
    Bytes payload;
    std::uint64_t key = 0;
    std::uint32_t attempt = 0;
    bool waited = false;
  };

  void route(Ask ask, Fx& fx) {
    const auto next = router_.next(ask.key, ask.attempt);
    if (next) {
      ++ask.hops;
      fx.send(*next, ask);
    } else if (ask.asker == config_.self) {
      finish(ask.number, config_.self, ask.hops, fx);
    } else {
      fx.send(ask.asker, Tell{ask.number, ask.hops});
    }
  }
  void finish(std::uint64_t number, NodeId owner, std::uint32_t hops, Fx& fx) {
    const auto it = open_.find(number);
    if (it == open_.end()) return;
    ++answered_;
    hops_ += hops;
    fx.push(Persist{1, record_of(number), {}, {}, true});
    fx.deliver({it->second.key, owner, hops, config_.self, number, it->second.payload});
    open_.erase(it);
  }
  // Those that have waited a whole period are asked again.
  void again(Fx& fx) {
    std::vector<Ask> due;
    for (auto& [number, open] : open_) {
      if (std::exchange(open.waited, true))
        due.push_back({config_.self, number, open.key, 0, ++open.attempt});
    }
    retries_ += due.size();
    for (const Ask& ask : due) route(ask, fx);
    if (!open_.empty()) fx.push(ArmTimer{{}, config_.retry});
  }

  std::uint64_t key_of(const Bytes& payload) const {
    return config_.key_of(*config_.places, payload);
  }

  Config config_;
  Router router_;
  std::map<std::uint64_t, Open> open_;
  std::uint64_t next_number_ = 0;
  std::uint64_t answered_ = 0;
  std::uint64_t hops_ = 0;
  std::uint64_t retries_ = 0;
};

/// The subject of a distributed hash table. Measures: `hops` a lookup, `retries`.
template <class Router>
struct LookupSubject {
  using Node = Lookup<Router>;
  static constexpr bool kOrdered = false;
  static constexpr std::int64_t kRetry = 32;

  const Experiment* experiment;
  std::shared_ptr<const Places> places;

  static std::vector<ParameterInfo> parameters() {
    return {{"even", false, 0, 0,
             "nodes at even distances, and nodes are looked up; else both by a hash"},
            {"retry", kRetry, 1, 1'000'000, "rounds or ms before a lookup is tried again"}};
  }
  explicit LookupSubject(const Experiment& e)
      : experiment(&e),
        places(std::make_shared<const Places>(Places::make(e.n, is_even(e), e.seed))) {}

  Node make(NodeId id) const {
    const Experiment& e = *experiment;
    const Delay retry = units(e, parameter(e, "retry", kRetry));
    return Node({id, retry, is_even(e) ? &node_of : &key_of, places}, Router(*places, id, e));
  }
  ModelRequest request(const Bytes& payload) const { return {payload}; }
  MessageFacts facts_of(const typename Node::Message& m) const {
    if (const auto* ask = std::get_if<Ask>(&m))
      return {.label = "ask", .round = ask->number, .bytes = 26};
    return {.label = "tell", .round = std::get<Tell>(m).number, .bytes = 12};
  }
  OutputFacts facts_of(const Answer& a) const {
    const std::uint64_t key = (std::uint64_t{a.asker.value} << 48) | a.number;
    return {key, hash(record_of(a.owner.value).view()), a.hops, "found"};
  }
  template <class F>
  void payloads(const Answer& a, std::optional<NodeId> of, F visit) const {
    if (!of || *of == a.asker) visit(a.payload.view(), a.asker);
  }
  bool mutate(typename Node::Message&, NodeId, std::string_view, std::uint64_t) const {
    return false;
  }
  std::uint64_t round(const Node& node) const { return node.answered(); }
  std::uint64_t refused(const Node&) const { return 0; }
  // Lost messages cost a retry each time, and a way has many.
  Ticks patience(const Experiment& e) const {
    return 64 * kUnit * static_cast<Ticks>(parameter(e, "retry", kRetry));
  }
  std::vector<Measure> measures(const std::vector<const Node*>& nodes) const {
    std::uint64_t answered = 0;
    std::uint64_t hops = 0;
    std::uint64_t retries = 0;
    for (const Node* node : nodes) {
      answered += node->answered();
      hops += node->hops();
      retries += node->retries();
    }
    return {{"hops", share(hops, answered)}, {"retries", static_cast<double>(retries)}};
  }

 private:
  static std::uint64_t key_of(const Places& places, const Bytes& payload) {
    return mix64(hash(payload.view()).prefix() ^ places.seed);
  }
  static std::uint64_t node_of(const Places& places, const Bytes& payload) {
    return places.sorted[key_of(places, payload) % places.sorted.size()].at;
  }
  static bool is_even(const Experiment& e) {
    const auto it = e.parameters.find("even");
    const bool* even = it == e.parameters.end() ? nullptr : std::get_if<bool>(&it->second);
    return even != nullptr && *even;
  }
};

}  // namespace thresher::sim
