#include "thresher/protocols/digraph/statements.hpp"

#include <algorithm>

#include "thresher/core/assert.hpp"

namespace thresher::digraph {
namespace {

NodeId id(std::uint32_t node) {
  return NodeId{static_cast<std::uint16_t>(node)};
}

template <class F>
bool all_of(Mask nodes, F holds) {
  for (; nodes != 0; nodes &= nodes - 1) {
    if (!holds(first_of(nodes))) return false;
  }
  return true;
}

}  // namespace

bool includes(const Inputs& b, const Inputs& a) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].count == Heard::Count::kNone || b[i].count == Heard::Count::kSeveral) continue;
    if (a[i] != b[i]) return false;
  }
  return true;
}

// R3
bool plausible(const Digraph& graph, NodeId self, Mask faulty, const Statements& held) {
  THRESHER_ASSERT(held.size() == graph.size() && (faulty & bit(self.value)) == 0,
                  "a place for each node's statement, and this node is not of the faulty ones");
  const Mask alive = graph.all() & ~faulty;
  Mask stated = 0;
  for_each(alive, [&](std::uint32_t a) { stated |= held[a] ? bit(a) : 0; });
  if ((graph.reaching(self, alive) & ~stated) != 0) return false;
  return all_of(stated, [&](std::uint32_t a) {
    const Mask below = graph.reach_of(id(a), alive) & stated;
    return all_of(below, [&](std::uint32_t b) { return includes(*held[b], *held[a]); });
  });
}

// R4
Value forced(const Digraph& graph, std::uint32_t faults, const Inputs& inputs) {
  for (const Mask faulty : all_fault_sets(graph.size(), faults)) {
    const auto source = source_of(graph, faulty);
    if (!source) continue;
    const Heard said{Heard::Count::kOne, inputs[first_of(*source)].value};
    if (all_of(*source, [&](std::uint32_t c) { return inputs[c] == said; })) return said.value;
  }
  return kDefaultValue;
}

// R3, R4
std::optional<Value> plausible_decision(const Digraph& graph, std::uint32_t faults, NodeId self,
                                        const Statements& held) {
  for (const Mask faulty : all_fault_sets(graph.size(), faults)) {
    if ((faulty & bit(self.value)) != 0 || !plausible(graph, self, faulty, held)) continue;
    const auto source = source_of(graph, faulty);
    if (source) return forced(graph, faults, *held[first_of(*source)]);
  }
  return std::nullopt;
}

Value decide(const Digraph& graph, std::uint32_t faults, NodeId self, const Statements& held) {
  return plausible_decision(graph, faults, self, held).value_or(kDefaultValue);
}

}  // namespace thresher::digraph
