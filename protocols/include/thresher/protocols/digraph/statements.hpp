// What nodes of a directed graph say that they heard, and the value that follows from it: the last
// step of sync_auth.hpp, without messages.
//
//   Statements held(graph.size());
//   held[2] = heard;                            // what node 2 signed
//   Value v = decide(graph, faults, self, held);
//
// Guarantees: where the synchronous condition (condition.hpp) holds and at most `faults` nodes are
// faulty, all correct nodes decide one value, and it is their input if that is the same: proof in
// docs/protocols/digraph.md. Costs C(n, f)^2 n^2 steps on words at worst.
// Source: our derivation for Tseng and Vaidya, arXiv 2605.11309.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "thresher/protocols/digraph/condition.hpp"

namespace thresher::digraph {

using Value = std::uint64_t;
/// Decided where no value is forced.
inline constexpr Value kDefaultValue = 0;

/// What a node heard of the input of another one.
struct Heard {
  enum class Count : std::uint8_t { kNone, kOne, kSeveral };
  Count count = Count::kNone;
  Value value = 0;  ///< of kOne, else 0
  friend bool operator==(const Heard&, const Heard&) = default;
};

/// By node.
using Inputs = std::vector<Heard>;
/// By node, what it stated; empty: nothing came. If a node stated several things, any of
/// them.
using Statements = std::vector<std::optional<Inputs>>;

/// Whether the sender of `b` heard all that the sender of `a` did.
bool includes(const Inputs& b, const Inputs& a);

/// Whether the statements that `self` holds can all be, if just the nodes of `faulty` are faulty:
/// all that reach `self` stated something, and each heard what those that reach it did. Pre: `self`
/// is not of `faulty`.
bool plausible(const Digraph& graph, NodeId self, Mask faulty, const Statements& held);

/// The first value that some whole source component, without at most `faults` nodes, has as input.
/// If all correct nodes have one input it is that: a component of more than `faults` nodes has a
/// correct one.
Value forced(const Digraph& graph, std::uint32_t faults, const Inputs& inputs);

/// Empty: no set of at most `faults` nodes is plausible, so more of them are faulty, a message took
/// longer than it may, or the condition does not hold. Pre: of size nodes; faults < nodes.
std::optional<Value> plausible_decision(const Digraph& graph, std::uint32_t faults, NodeId self,
                                        const Statements& held);

/// The same, and kDefaultValue where that is empty.
Value decide(const Digraph& graph, std::uint32_t faults, NodeId self, const Statements& held);

}  // namespace thresher::digraph
