// SYNC-AUTH on the graph of the experiment's topology. Requests have no part in it: each node's
// input is drawn from the seed.
#include "thresher/protocols/digraph/sync_auth.hpp"

#include "digraph_graph.hpp"
#include "mutation.hpp"
#include "registry.hpp"
#include "thresher/sim/run.hpp"

namespace thresher::sim {
namespace {

using digraph::Decision;
using digraph::Digraph;
using digraph::Phase;
using digraph::Relay;
using digraph::Value;

struct SyncAuthSubject {
  using Node = digraph::SyncAuth;
  static constexpr bool kOrdered = false;
  static constexpr std::int64_t kInputs = 2;

  const Experiment* experiment;
  Digraph graph;
  Signer signer;

  explicit SyncAuthSubject(const Experiment& e) : experiment(&e), graph(graph_of(e)), signer(e) {}

  Value input_of(NodeId id) const {
    const auto values = static_cast<std::uint64_t>(parameter(*experiment, "inputs", kInputs));
    return 1 + mix64(experiment->seed ^ mix64(id.value)) % values;
  }
  Node make(NodeId id) const {
    return Node({.graph = graph, .faults = experiment->f, .self = id, .input = input_of(id)});
  }
  Node::Request request(const Bytes&) const { return {}; }
  MessageFacts facts_of(const Relay& m) const {
    const std::size_t bytes = 3 + m.content.size() + m.list->signatures.size() * 66;
    return {.label = m.phase == Phase::kInputs ? "input" : "statement",
            .round = m.origin.value,
            .bytes = static_cast<std::uint32_t>(bytes)};
  }
  OutputFacts facts_of(const Decision& d) const {
    return {0, hash(digraph::content_of(d.value).view()), d.value, "decide"};
  }
  template <class F>
  void payloads(const Decision&, std::optional<NodeId>, F) const {}
  /// A liar signs another input, or says that it heard another one.
  bool mutate(Relay& m, NodeId id, std::string_view field, std::uint64_t salt) const {
    Mutation by(field, salt);
    if (m.origin != id) return false;
    if (m.phase == Phase::kInputs) {
      Value input = *digraph::read_input(m.content);
      if (!by.number("input", input)) return false;
      m.content = digraph::content_of(input);
    } else {
      if (!by.picks("statement")) return false;
      auto heard = *digraph::read_statement(m.content, graph.size());
      auto& changed = heard[salt % heard.size()];
      changed = changed.count == digraph::Heard::Count::kOne
                    ? digraph::Heard{}
                    : digraph::Heard{digraph::Heard::Count::kOne, 1 + salt % 2};
      m.content = digraph::content_of(heard);
    }
    auto list = std::make_shared<SignatureList>();
    list->signers.insert(id);
    list->signatures = {signer.sign(id, digraph::relay_digest({}, m.phase, id, m.content))};
    m.list = std::move(list);
    return true;
  }
  std::uint64_t round(const Node& node) const { return node.round(); }
  std::uint64_t refused(const Node& node) const { return node.refused(); }
  std::vector<Bound> bounds(const Node& node) const {
    return {{"contents", node.held(), Node::most_held({.graph = graph})}};
  }
  /// Of lost or late messages, and of nodes that restart, nothing is promised.
  static std::string unpromised(const Experiment& e) {
    return synchronous(e)
               ? ""
               : "sync-auth promises nothing where messages are lost or late, or a node restarts";
  }
  /// Rounds end at the same time everywhere, so nobody is behind another one; all decisions are the
  /// same, and a common input is it.
  std::optional<Finding> audit(const std::vector<const Node*>& nodes) const {
    if (!synchronous(*experiment)) return std::nullopt;
    std::uint64_t last = 0;
    for (const Node* node : nodes) last = std::max(last, node->round());
    std::optional<Value> decided;
    std::optional<Value> common;
    bool one_input = true;
    for (const Node* node : nodes) {
      one_input = one_input && (!common || *common == node->input());
      common = node->input();
    }
    for (const Node* node : nodes) {
      if (!node->decided()) {
        if (node->round() + 1 < last) {
          return Finding{"liveness", "a node is in round " + std::to_string(node->round()) +
                                         " while another one is in round " + std::to_string(last)};
        }
        continue;
      }
      if (decided && *decided != *node->decided()) {
        return Finding{"agreement", "one decided " + std::to_string(*decided) + ", another one " +
                                        std::to_string(*node->decided())};
      }
      decided = node->decided();
      if (one_input && *node->decided() != *common) {
        return Finding{"validity", "all correct nodes had " + std::to_string(*common) +
                                       ", and one decided " + std::to_string(*node->decided())};
      }
    }
    return std::nullopt;
  }
  std::vector<Measure> measures(const std::vector<const Node*>& nodes) const {
    std::uint64_t decided = 0;
    for (const Node* node : nodes) decided += node->decided() ? 1 : 0;
    return {{"decided", static_cast<double>(decided)}};
  }
};

}  // namespace

SubjectEntry subject_sync_auth() {
  ProtocolInfo info;
  info.name = "sync-auth";
  info.help = "Exact agreement with signatures in a directed graph: network.topology says which";
  info.kind = "agreement";  // once, on inputs that no client brings
  info.nodes_per_fault = 2;
  info.most_nodes = kMostGraphNodes;
  info.unjudged = {"agreement", "prefix", "validity", "totality", "liveness", "included_within"};
  info.parameters = {{"inputs", SyncAuthSubject::kInputs, 1, 1000, "different inputs are drawn"}};
  info.fields = {"input", "statement"};
  return {info,
          [](const Experiment& e, const RunOptions& o) { return run(SyncAuthSubject(e), e, o); }};
}

}  // namespace thresher::sim
