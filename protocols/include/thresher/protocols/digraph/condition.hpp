// Whether nodes with signatures can agree in a directed graph although f of them are Byzantine.
//
//   const Conditions c = check(graph, 1);
//   // Which nodes, faulty, make it impossible.
//   if (!c.synchronous_exact()) show(*c.synchronous);
//
// For a set F of at most f nodes let S_F be the source component of the graph without F, when there
// is just one: the strongly connected component that nothing else leads into. Then it reaches all
// that is left.
//   synchronous, exact:         for every F there is one S_F, and |S_F| >= f+1;
//   asynchronous, approximate:  that, and |S_A and S_B in common| >= f+1 for all A, B of at most f
//   nodes.
//
// Guarantees: decides both conditions exactly, and names the sets that break one. Checks one set
// after the other, all sizes up to f: C(n, f) walks, and a comparison for each pair of different
// sources. What the conditions are worth, with the proofs both ways, is in
// docs/protocols/digraph.md. Source: Tseng and Vaidya, "Byzantine Consensus in Directed Graphs with
// Message Authentication", arXiv 2605.11309; the conditions as stated here are our derivation.
#pragma once

#include <optional>

#include "thresher/core/result.hpp"
#include "thresher/protocols/digraph/graph.hpp"

namespace thresher::digraph {

enum class Breach : std::uint8_t {
  kTwoSources,  ///< without `a` nothing leads into `source_a`, and nothing into `source_b`
  kFewSources,  ///< without `a` the one source has at most f nodes
  kFewCommon,   ///< the sources without `a` and without `b` share at most f nodes
};

/// Why a condition does not hold.
struct Witness {
  Breach breach = Breach::kTwoSources;
  Mask a = 0;  ///< faulty nodes: F, or A of a pair
  Mask b = 0;  ///< B of a pair
  Mask source_a = 0;
  Mask source_b = 0;
};

/// Empty: the condition holds.
struct Conditions {
  std::optional<Witness> synchronous;
  std::optional<Witness> asynchronous;

  bool synchronous_exact() const { return !synchronous; }
  bool asynchronous_approximate() const { return !asynchronous; }
};

/// S_F, the one source component without `faulty`; empty: there are two. Pre: a node is left.
std::optional<Mask> source_of(const Digraph& graph, Mask faulty);
/// All sets of at most `faults` of the nodes, always in the same order, the empty one first. Pre:
/// fault_sets(nodes, faults) is not more than memory holds.
std::vector<Mask> all_fault_sets(std::uint32_t nodes, std::uint32_t faults);

/// Sets of at most f of n nodes: what a check walks through. Saturates.
std::uint64_t fault_sets(std::uint32_t nodes, std::uint32_t faults);

/// More sets than this are refused: the check would take minutes.
inline constexpr std::uint64_t kMostFaultSets = 100'000;

/// Pre: faults < size, fault_sets() <= kMostFaultSets.
Conditions check(const Digraph& graph, std::uint32_t faults);
/// The first breach of the one condition only.
std::optional<Witness> synchronous_breach(const Digraph& graph, std::uint32_t faults);
std::optional<Witness> asynchronous_breach(const Digraph& graph, std::uint32_t faults);

}  // namespace thresher::digraph
