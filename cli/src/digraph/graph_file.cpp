#include "graph_file.hpp"

#include "../input_file.hpp"
#include "thresher/core/names.hpp"
#include "thresher/protocols/digraph/condition.hpp"
#include "thresher/text/json.hpp"

namespace thresher::cli {
namespace {

using digraph::Digraph;

// A generated file with one mistake in its generator has as many problems as edges: no reader
// wants a million lines, and the first ones tell what is wrong.
constexpr std::size_t kMostProblems = 20;

Error malformed(const std::string& path, const text::Place& place, const std::string& what,
                const std::string& remedy = {}) {
  const std::string at = ":" + text::to_string(place);
  return {ErrorCode::kMalformed, "'" + path + "'" + at + ": " + what, path + at, remedy};
}

class Reader {
 public:
  explicit Reader(std::string path) : path_(std::move(path)) {}

  Result<Digraph, Errors> read(const text::Value& tree) {
    if (!tree.is_object()) {
      complain(tree.place(), "a graph is an object: {\"nodes\": 4, \"edges\": [[0, 1]]}");
      return problems_;
    }
    for (const text::Member& m : tree.members()) {
      if (m.key != "nodes" && m.key != "edges") {
        const Error odd = unknown("key", m.key, {"nodes", "edges"});
        complain(m.place, odd.what, odd.remedy);
      }
    }
    const auto nodes = read_nodes(tree);
    if (!nodes) return problems_;
    Digraph graph(*nodes);
    read_edges(tree, graph);
    if (unnamed_ > 0) {
      problems_.push_back(
          {ErrorCode::kMalformed,
           "'" + path_ + "': " + std::to_string(unnamed_) + " more problems are not shown", path_,
           "mend these first"});
    }
    if (!problems_.empty()) return problems_;
    return graph;
  }

 private:
  void complain(const text::Place& place, const std::string& what, const std::string& remedy = {}) {
    if (problems_.size() == kMostProblems) {
      ++unnamed_;
      return;
    }
    problems_.push_back(malformed(path_, place, what, remedy));
  }

  std::optional<std::uint32_t> read_nodes(const text::Value& tree) {
    const text::Value* nodes = tree.find("nodes");
    const auto count = nodes == nullptr ? std::nullopt : nodes->as_unsigned();
    if (!count || *count == 0 || *count > digraph::kMostNodes) {
      complain(nodes == nullptr ? tree.place() : nodes->place(),
               "'nodes' is how many nodes there are, 1 to 64");
      return std::nullopt;
    }
    return static_cast<std::uint32_t>(*count);
  }

  void read_edges(const text::Value& tree, Digraph& graph) {
    const text::Value* edges = tree.find("edges");
    if (edges == nullptr || !edges->is_list()) {
      return complain(edges == nullptr ? tree.place() : edges->place(),
                      "'edges' is a list of pairs [from, to]");
    }
    for (const text::Value& edge : edges->items()) read_edge(edge, graph);
  }

  void read_edge(const text::Value& edge, Digraph& graph) {
    const bool pair = edge.is_list() && edge.items().size() == 2;
    const auto from = pair ? edge.items()[0].as_unsigned() : std::nullopt;
    const auto to = pair ? edge.items()[1].as_unsigned() : std::nullopt;
    if (!from || !to) return complain(edge.place(), "an edge is a pair of nodes, [from, to]");
    for (const std::uint64_t node : {*from, *to}) {
      if (node >= graph.size()) {
        return complain(edge.place(), "there is no node " + std::to_string(node),
                        "the nodes are 0 to " + std::to_string(graph.size() - 1));
      }
    }
    const NodeId a{static_cast<std::uint16_t>(*from)};
    const NodeId b{static_cast<std::uint16_t>(*to)};
    const std::string name = "[" + std::to_string(*from) + ", " + std::to_string(*to) + "]";
    if (a == b)
      return complain(edge.place(), name + " leads from a node to itself", "leave it out");
    if (graph.has(a, b)) return complain(edge.place(), name + " stands there twice");
    graph.add(a, b);
  }

  std::string path_;
  Errors problems_;
  std::uint64_t unnamed_ = 0;
};

}  // namespace

Result<Digraph, Errors> read_graph(const std::string& path) {
  const auto content = read_input(path, "a file like {\"nodes\": 4, \"edges\": [[0, 1]]}");
  if (!content) return Errors{content.error()};
  const auto tree = text::parse(*content);
  if (tree) return Reader(path).read(*tree);
  Errors problems;
  for (const text::Problem& p : tree.error()) {
    problems.push_back(malformed(path, p.place, p.what));
  }
  return problems;
}

std::string cannot_check(const Digraph& graph, std::uint64_t faults) {
  if (faults >= graph.size()) {
    return "--faults " + std::to_string(faults) + " is too many for " +
           std::to_string(graph.size()) + " nodes: somebody must be correct";
  }
  const auto sets = digraph::fault_sets(graph.size(), static_cast<std::uint32_t>(faults));
  if (sets <= digraph::kMostFaultSets) return {};
  return "--faults " + std::to_string(faults) + " of " + std::to_string(graph.size()) +
         " nodes are more sets than " + std::to_string(digraph::kMostFaultSets) +
         "; 64 nodes can be checked up to 3 faults";
}

std::string show(digraph::Mask nodes) {
  std::string out = "{";
  digraph::for_each(nodes, [&](std::uint32_t node) {
    if (out.size() > 1) out += ", ";
    out += std::to_string(node);
  });
  return out + "}";
}

std::vector<std::uint64_t> listed(digraph::Mask nodes) {
  std::vector<std::uint64_t> out;
  digraph::for_each(nodes, [&](std::uint32_t node) { out.push_back(node); });
  return out;
}

}  // namespace thresher::cli
