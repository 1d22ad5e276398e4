// A directed graph of at most 64 nodes, as bit masks: which can send to which.
//
//   Digraph g(4);
//   g.add(NodeId{0}, NodeId{1});                  // 0 can send to 1
//   Mask heard = g.reach_of(NodeId{0}, g.all());
//
// Guarantees: walks cost a few operations on words a node. Does not judge: self-loops and edges
// that are there already are the caller's to refuse.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "thresher/core/assert.hpp"
#include "thresher/core/ids.hpp"

namespace thresher::digraph {

/// A set of nodes: bit i is node i.
using Mask = std::uint64_t;

inline constexpr std::uint32_t kMostNodes = 64;

inline Mask bit(std::uint32_t node) {
  return Mask{1} << node;
}
inline std::uint32_t size_of(Mask nodes) {
  return static_cast<std::uint32_t>(std::popcount(nodes));
}
/// Pre: not empty.
inline std::uint32_t first_of(Mask nodes) {
  THRESHER_DEBUG_ASSERT(nodes != 0, "there is a first one");
  return static_cast<std::uint32_t>(std::countr_zero(nodes));
}
template <class F>
void for_each(Mask nodes, F visit) {
  for (; nodes != 0; nodes &= nodes - 1) visit(first_of(nodes));
}

class Digraph {
 public:
  /// Pre: 1 <= nodes <= kMostNodes.
  explicit Digraph(std::uint32_t nodes) : out_(nodes), in_(nodes) {
    THRESHER_ASSERT(1 <= nodes && nodes <= kMostNodes, "a mask has a bit for each node");
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(out_.size()); }
  Mask all() const { return size() == kMostNodes ? ~Mask{0} : bit(size()) - 1; }
  /// Pre: both are nodes.
  void add(NodeId from, NodeId to) {
    THRESHER_ASSERT(from.value < size() && to.value < size(), "edges lie between nodes");
    out_[from.value] |= bit(to.value);
    in_[to.value] |= bit(from.value);
  }
  void remove(NodeId from, NodeId to) {
    out_[from.value] &= ~bit(to.value);
    in_[to.value] &= ~bit(from.value);
  }
  bool has(NodeId from, NodeId to) const { return (out_[from.value] & bit(to.value)) != 0; }
  /// The nodes that a node can send to.
  Mask out(NodeId node) const { return out_[node.value]; }

  /// The nodes among `alive` that can be reached from `node` through them, itself included. Pre:
  /// node is alive.
  Mask reach_of(NodeId node, Mask alive) const { return walk(out_, node, alive); }
  /// Those that reach it.
  Mask reaching(NodeId node, Mask alive) const { return walk(in_, node, alive); }

 private:
  static Mask walk(const std::vector<Mask>& next, NodeId from, Mask alive) {
    Mask seen = bit(from.value);
    for (Mask fresh = seen; fresh != 0;) {
      Mask found = 0;
      for_each(fresh, [&](std::uint32_t node) { found |= next[node]; });
      fresh = found & alive & ~seen;
      seen |= fresh;
    }
    return seen;
  }

  std::vector<Mask> out_;
  std::vector<Mask> in_;
};

}  // namespace thresher::digraph
