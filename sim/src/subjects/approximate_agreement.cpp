// Approximate agreement in the simulator. Requests of the workload have no values of their own:
// each makes a node take part in the next instance, with an input that is drawn from the seed.
// Nodes forget old instances, so a run may have any number of them.
#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "broadcast_bounds.hpp"
#include "mutation.hpp"
#include "registry.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/protocols/agreement/approximate.hpp"
#include "thresher/protocols/broadcast/bracha.hpp"
#include "thresher/protocols/broadcast/bracha_wire.hpp"
#include "thresher/protocols/promises.hpp"
#include "thresher/sim/faults.hpp"
#include "thresher/sim/run.hpp"
#include "wrapped.hpp"

namespace thresher::sim {
namespace {

constexpr std::int64_t kRange = 1000;
constexpr std::int64_t kRounds = 8;
constexpr std::int64_t kWindow = 32;
constexpr std::int64_t kMostKept = 256;

using Approximate = ApproximateAgreement<Bracha>;

struct Approaching {
  Bytes payload;
};
struct Approached {
  approximate::Estimate estimate;
  Bytes payload;  ///< of the request that made this node take part; may be empty
};

class Approacher : public Wrapped<Approacher, Approximate, Approaching, Approached> {
 public:
  Approacher(const Approximate::Config& config, std::uint64_t seed, std::int64_t range)
      : Wrapped(config),
        self_(config.self),
        seed_(seed),
        range_(range),
        at_once_(config.window / 2),
        kept_(config.window - at_once_) {}

  static std::int64_t input(std::uint64_t seed, std::uint64_t instance, NodeId id,
                            std::int64_t range) {
    const std::uint64_t drawn = mix64(mix64(seed ^ mix64(instance)) ^ id.value);
    return static_cast<std::int64_t>(drawn % (static_cast<std::uint64_t>(range) + 1));
  }

  using Wrapped::on;
  void on(const Start& e, Fx& fx) {
    Wrapped::feed(e, fx);
    enter(fx);
  }
  void on(const Requested<Request>& e, Fx& fx) {
    waiting_.push_back(e.request.payload);
    enter(fx);
  }
  template <class Input>
  void feed(const Input& input, Fx& fx) {
    Wrapped::feed(input, fx);
    enter(fx);
  }
  void take(const approximate::Estimate& e, Fx& fx) {
    results_[e.instance] = e.values.front();
    fx.deliver({e, taken(asked_, e.instance)});
  }
  /// What was output in this life, and in the one before it as far as that was not forgotten.
  const std::map<std::uint64_t, std::int64_t>& results() const { return results_; }

 private:
  // Half of the window is for instances to come, the rest for those that lag.
  void enter(Fx& fx) {
    if (node_.current() > node_.floor() + kept_)
      act(fx, [&](auto& child) { node_.forget_below(node_.current() - kept_, child); });
    for (next_ = std::max(next_, node_.current());
         !waiting_.empty() && next_ < node_.current() + at_once_; ++next_) {
      asked_[next_] = std::move(waiting_.front());
      waiting_.pop_front();
      Wrapped::feed(Requested<approximate::Approach>{{next_, {input(seed_, next_, self_, range_)}}},
                    fx);
    }
  }

  NodeId self_;
  std::uint64_t seed_;
  std::int64_t range_;
  std::uint64_t at_once_;  // instances, from the first without an output
  std::uint64_t kept_;     // instances with an output
  std::uint64_t next_ = 0;
  std::deque<Bytes> waiting_;
  std::map<std::uint64_t, Bytes> asked_;
  std::map<std::uint64_t, std::int64_t> results_;
};

struct ApproximateSubject {
  using Node = Approacher;
  static constexpr bool kOrdered = false;
  const Experiment* experiment;

  std::int64_t range() const { return parameter(*experiment, "range", kRange); }
  std::int64_t rounds() const { return parameter(*experiment, "rounds", kRounds); }
  Node make(NodeId id) const {
    Approximate::Config config;
    config.committee = *Committee::make(experiment->n, experiment->f);
    config.self = id;
    config.rounds = static_cast<std::uint32_t>(rounds());
    config.window = static_cast<std::uint64_t>(parameter(*experiment, "window", kWindow));
    return Node(config, experiment->seed, range());
  }
  Approaching request(const Bytes& payload) const { return {payload}; }

  MessageFacts facts_of(const Node::Message& message) const {
    if (const auto* b = std::get_if<Bracha::Message>(&message))
      return {.label = "broadcast", .bytes = static_cast<std::uint32_t>(encode(*b).size()) + 1};
    const auto& report = std::get<approximate::Report>(message);
    return {.label = "report", .round = report.step, .bytes = 10 + (experiment->n + 7) / 8};
  }
  OutputFacts facts_of(const Approached& a) const {
    return {a.estimate.instance, hash(as_view(std::to_string(a.estimate.values.front()))),
            a.estimate.instance, "decide"};
  }
  template <class F>
  void payloads(const Approached& a, std::optional<NodeId> of, F visit) const {
    if (of && !a.payload.empty()) visit(a.payload.view(), *of);
  }
  bool mutate(Node::Message& message, NodeId, std::string_view field, std::uint64_t salt) const {
    if (auto* b = std::get_if<Bracha::Message>(&message)) {
      auto* init = std::get_if<bracha::Init>(b);
      if (init != nullptr && (field.empty() || field == "value")) {
        init->payload =
            approximate::encode_values({static_cast<std::int64_t>(salt % 100'000) - 50'000});
        return true;
      }
      return mutate_bracha(*b, Mutation(field, salt));
    }
    auto& report = std::get<approximate::Report>(message);
    Mutation by(field, salt);
    if (by.picks("origins")) {
      const NodeId id{static_cast<std::uint16_t>(salt % experiment->n)};
      if (!report.origins.erase(id)) report.origins.insert(id);
      return true;
    }
    return by.number("number", report.step);
  }
  std::vector<Bound> bounds(const Node& node) const {
    std::vector<Bound> out = broadcast_bounds(node.node().footprint(), node.node().most_held());
    out.push_back({"reports", node.node().reports(), node.node().most_reports()});
    return out;
  }
  Reach reach(const Node& node) const {
    return {node.node().current(), node.node().floor(), "instance", "window"};
  }
  std::uint64_t heals_within(const Node&) const {
    return promises::approximate(static_cast<std::uint64_t>(rounds()));
  }
  std::uint64_t round(const Node&) const { return 0; }
  std::uint64_t refused(const Node& node) const { return node.node().refused(); }

  /// Outputs lie within the correct nodes' inputs, and are as near as the rounds make them.
  std::optional<Finding> audit(const std::vector<const Node*>& nodes) const {
    std::set<std::uint64_t> instances;
    for (const Node* node : nodes) {
      for (const auto& [instance, result] : node->results()) instances.insert(instance);
    }
    for (const std::uint64_t i : instances) {
      const auto [low, high] = inputs(i);
      const std::int64_t allowed = ((high - low) >> std::min<std::int64_t>(rounds(), 62)) + 1;
      std::optional<std::int64_t> least;
      std::optional<std::int64_t> most;
      for (const Node* node : nodes) {
        const auto output = node->results().find(i);
        if (output == node->results().end()) continue;
        const std::int64_t result = output->second;
        if (result < low || result > high)
          return Finding{"validity", "instance " + std::to_string(i) + " gave " +
                                         std::to_string(result) + ", and inputs are " +
                                         std::to_string(low) + " to " + std::to_string(high)};
        least = std::min(least.value_or(result), result);
        most = std::max(most.value_or(result), result);
      }
      if (least && *most - *least > allowed)
        return Finding{"agreement", "outputs of instance " + std::to_string(i) + " are " +
                                        std::to_string(*most - *least) + " apart, and " +
                                        std::to_string(allowed) + " is allowed"};
    }
    return std::nullopt;
  }

 private:
  bool correct(NodeId id) const {
    for (const FaultAction& a : experiment->faults) {
      if (byzantine(a.what) && std::find(a.who.begin(), a.who.end(), id) != a.who.end())
        return false;
    }
    return true;
  }
  std::pair<std::int64_t, std::int64_t> inputs(std::uint64_t instance) const {
    std::int64_t low = range();
    std::int64_t high = 0;
    for (const NodeId i : node_ids(experiment->n)) {
      if (!correct(i)) continue;
      const std::int64_t value = Node::input(experiment->seed, instance, i, range());
      low = std::min(low, value);
      high = std::max(high, value);
    }
    return {low, high};
  }
};

}  // namespace

SubjectEntry subject_approximate_agreement() {
  ProtocolInfo info;
  info.name = std::string(Approximate::kName);
  info.help = "numbers that are near each other, without coins, in a fixed number of rounds";
  info.kind = "approximate agreement";
  info.unjudged = {"agreement", "validity"};  // judged by the outputs' distance instead
  info.parameters = {
      {"range", kRange, 0, 1'000'000'000, "inputs are drawn from 0 to this"},
      {"rounds", kRounds, 1, 62, "rounds, each of which halves how far the values are apart"},
      {"window", kWindow, 4, kMostKept,
       "instances kept, half of them for nodes that lag; one further behind cannot catch up"},
  };
  info.kept = {"window", kMostKept};
  info.fields = {"counter", "digest", "number", "origins", "payload", "value"};
  return {info, [](const Experiment& e, const RunOptions& o) {
            return run(ApproximateSubject{&e}, e, o);
          }};
}

}  // namespace thresher::sim
