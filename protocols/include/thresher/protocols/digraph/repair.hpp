// The fewest edges to add so that a condition of condition.hpp holds.
//
//   const auto edges = repair(graph, 1, Condition::kSynchronous, {});
//   if (edges && *edges) for (auto [from, to] : **edges) ...
//
// Guarantees: what it returns is a smallest set, up to `most_edges`, and the condition holds with
// it. Takes the first such set in the order of nodes. It looks only at edges that could mend the
// breach found first, because one of any mending set must; that makes it exact and still costs up
// to n^2 checks an edge.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "thresher/protocols/digraph/condition.hpp"

namespace thresher::digraph {

enum class Condition : std::uint8_t { kSynchronous, kAsynchronous };

struct RepairLimits {
  std::uint32_t most_edges = 3;
  std::uint64_t most_checks = 200'000;   ///< conditions checked before it gives up
  std::uint64_t most_sets = 10'000'000;  ///< sets of edges tried before it gives up
};

using Edges = std::vector<std::pair<NodeId, NodeId>>;

/// No value: no set of `most_edges` edges does. Error kQuotaExceeded: gave up. Pre: those of
/// check().
Result<std::optional<Edges>> repair(Digraph graph, std::uint32_t faults, Condition condition,
                                    const RepairLimits& limits);

}  // namespace thresher::digraph
