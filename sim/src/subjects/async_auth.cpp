// ASYNC-AUTH on the graph of the experiment's topology. Requests have no part in it: each node's
// input is drawn from the seed.
#include "thresher/protocols/digraph/async_auth.hpp"

#include <algorithm>

#include "digraph_graph.hpp"
#include "mutation.hpp"
#include "registry.hpp"
#include "thresher/sim/run.hpp"

namespace thresher::sim {
namespace {

using digraph::Estimate;
using namespace digraph::async_auth;  // NOLINT(google-build-using-namespace): its messages

struct AsyncAuthSubject {
  using Node = digraph::AsyncAuth;
  static constexpr bool kOrdered = false;
  static constexpr std::int64_t kRange = 1000;
  static constexpr std::int64_t kHalvings = 8;

  const Experiment* experiment;
  digraph::Digraph graph;
  Signer signer;

  explicit AsyncAuthSubject(const Experiment& e) : experiment(&e), graph(graph_of(e)), signer(e) {}

  std::int64_t halvings() const { return parameter(*experiment, "halvings", kHalvings); }
  Node make(NodeId id) const {
    const auto range = static_cast<std::uint64_t>(parameter(*experiment, "range", kRange));
    const std::uint64_t input = mix64(experiment->seed ^ mix64(id.value)) % (range + 1);
    return Node({.graph = graph,
                 .faults = experiment->f,
                 .self = id,
                 .input = static_cast<std::int64_t>(input),
                 .rounds = static_cast<std::uint32_t>(halvings())});
  }
  Node::Request request(const Bytes&) const { return {}; }
  MessageFacts facts_of(const Node::Message& message) const {
    return std::visit([](const auto& m) { return facts(m); }, message);
  }
  OutputFacts facts_of(const Estimate& e) const {
    return {0, hash(as_view(std::to_string(e.value))), static_cast<std::uint64_t>(halvings()),
            "decide"};
  }
  template <class F>
  void payloads(const Estimate&, std::optional<NodeId>, F) const {}
  /// A liar signs another value of its own, or supports another one than it saw.
  bool mutate(Node::Message& message, NodeId id, std::string_view field, std::uint64_t salt) const {
    Mutation by(field, salt);
    const auto shifted = static_cast<std::int64_t>(salt % 4001) - 2000;
    if (auto* p = std::get_if<Proposal>(&message); p != nullptr && p->origin == id) {
      if (!by.picks("value")) return false;
      p->value += shifted;
      p->signature = signer.sign(id, proposal_digest({}, id, p->round, p->value));
      return true;
    }
    auto* s = std::get_if<Support>(&message);
    if (s == nullptr || s->signer != id || !by.picks("support")) return false;
    s->value += shifted;
    s->signature = signer.sign(id, support_digest({}, s->origin, s->round, s->value));
    return true;
  }
  std::uint64_t round(const Node& node) const { return node.round(); }
  std::uint64_t refused(const Node& node) const { return node.refused(); }
  static std::string unpromised(const Experiment& e) {
    return nobody_restarts(e) ? "" : "async-auth promises nothing where a node restarts";
  }
  /// Outputs lie within the inputs, and are as near as the halvings make them. A node that restarts
  /// is silent, and may be one more than the faults that are borne: such runs are promised nothing.
  std::optional<Finding> audit(const std::vector<const Node*>& nodes) const {
    if (nodes.empty() || !nobody_restarts(*experiment)) return std::nullopt;
    const auto [least, most] = std::minmax_element(
        nodes.begin(), nodes.end(), [](auto* a, auto* b) { return a->input() < b->input(); });
    const std::int64_t allowed = ((*most)->input() - (*least)->input()) / power() + 1;
    for (const Node* node : nodes) {
      if (!node->decided()) continue;
      const std::int64_t value = *node->decided();
      if (value < (*least)->input() || value > (*most)->input()) {
        return Finding{"validity", "one decided " + std::to_string(value) +
                                       ", and the inputs are " + std::to_string((*least)->input()) +
                                       " to " + std::to_string((*most)->input())};
      }
      if (spread(nodes) > allowed) {
        return Finding{"agreement", "outputs are " + std::to_string(spread(nodes)) +
                                        " apart, and " + std::to_string(allowed) + " is allowed"};
      }
    }
    return std::nullopt;
  }
  std::vector<Measure> measures(const std::vector<const Node*>& nodes) const {
    const auto decided =
        std::count_if(nodes.begin(), nodes.end(), [](auto* node) { return !!node->decided(); });
    return {{"decided", static_cast<double>(decided)},
            {"spread", static_cast<double>(spread(nodes))}};
  }

 private:
  std::int64_t power() const { return std::int64_t{1} << std::min<std::int64_t>(halvings(), 62); }
  static std::int64_t spread(const std::vector<const Node*>& nodes) {
    std::vector<std::int64_t> outputs;
    for (const Node* node : nodes) {
      if (node->decided()) outputs.push_back(*node->decided());
    }
    if (outputs.empty()) return 0;
    const auto [low, high] = std::minmax_element(outputs.begin(), outputs.end());
    return *high - *low;
  }
  static MessageFacts facts(const Proposal& m) {
    return {.label = "value", .round = m.round, .bytes = 78};
  }
  static MessageFacts facts(const Support& m) {
    return {.label = "support", .round = m.round, .bytes = 80};
  }
  static MessageFacts facts(const Certificate& m) {
    const std::size_t bytes = 14 + m.list->signatures.size() * 66;
    return {.label = "certificate", .round = m.round, .bytes = static_cast<std::uint32_t>(bytes)};
  }
  static MessageFacts facts(const Report& m) {
    const std::size_t bytes = 70 + m.values.size() * 9;
    return {.label = "report", .round = m.round, .bytes = static_cast<std::uint32_t>(bytes)};
  }
};

}  // namespace

SubjectEntry subject_async_auth() {
  ProtocolInfo info;
  info.name = "async-auth";
  info.help = "Approximate agreement with signatures in a directed graph, at any delays";
  info.kind = "agreement";  // once, on inputs that no client brings
  info.most_nodes = kMostGraphNodes;
  info.unjudged = {"agreement", "prefix", "validity", "totality", "liveness", "included_within"};
  info.parameters = {
      {"range", AsyncAuthSubject::kRange, 0, 1'000'000'000, "inputs are drawn from 0 to this"},
      {"halvings", AsyncAuthSubject::kHalvings, 1, digraph::AsyncAuth::kMostRounds,
       "rounds, each of which halves how far the values are apart"}};
  info.fields = {"support", "value"};
  return {info,
          [](const Experiment& e, const RunOptions& o) { return run(AsyncAuthSubject(e), e, o); }};
}

}  // namespace thresher::sim
