#include "thresher/protocols/digraph/condition.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "thresher/core/assert.hpp"

namespace thresher::digraph {
namespace {

NodeId id(std::uint32_t node) {
  return NodeId{static_cast<std::uint16_t>(node)};
}

// The source component above `node`: upwards until nobody is left who reaches and is not reached.
Mask source_above(const Digraph& graph, std::uint32_t node, Mask alive) {
  for (;;) {
    const Mask above = graph.reaching(id(node), alive);
    const Mask strictly = above & ~graph.reach_of(id(node), alive);
    if (strictly == 0) return above;
    node = first_of(strictly);
  }
}

// One or two source components of what is alive; with two of them the second is not 0.
std::pair<Mask, Mask> sources(const Digraph& graph, Mask alive) {
  const Mask one = source_above(graph, first_of(alive), alive);
  const Mask rest = alive & ~graph.reach_of(id(first_of(one)), alive);
  return {one, rest == 0 ? 0 : source_above(graph, first_of(rest), alive)};
}

// Calls `visit(faulty)` for each set of at most `most` of the nodes, until it returns false.
template <class F>
bool each_fault_set(std::uint32_t nodes, std::uint32_t most, F& visit, Mask chosen = 0,
                    std::uint32_t from = 0) {
  if (!visit(chosen)) return false;
  if (size_of(chosen) == most) return true;
  for (std::uint32_t i = from; i < nodes; ++i) {
    if (!each_fault_set(nodes, most, visit, chosen | bit(i), i + 1)) return false;
  }
  return true;
}

// Visits each fault set's source; the breach of the synchronous condition found first, if any.
template <class F>
std::optional<Witness> each_source(const Digraph& graph, std::uint32_t faults, F visit) {
  std::optional<Witness> breach;
  auto look = [&](Mask faulty) {
    const auto [one, other] = sources(graph, graph.all() & ~faulty);
    if (other != 0) {
      breach = Witness{Breach::kTwoSources, faulty, 0, one, other};
    } else if (size_of(one) <= faults) {
      breach = Witness{Breach::kFewSources, faulty, 0, one, 0};
    } else {
      visit(faulty, one);
    }
    return !breach;
  };
  (void)each_fault_set(graph.size(), faults, look);
  return breach;
}

// Only sources that hold no other matter: larger ones have more common nodes.
std::vector<std::pair<Mask, Mask>> smallest(const std::map<Mask, Mask>& faulty_by_source) {
  std::vector<std::pair<Mask, Mask>> all(faulty_by_source.begin(), faulty_by_source.end());
  std::stable_sort(all.begin(), all.end(), [](const auto& x, const auto& y) {
    return size_of(x.first) < size_of(y.first);
  });
  std::vector<std::pair<Mask, Mask>> kept;
  for (const auto& entry : all) {
    const bool holds_another = std::any_of(
        kept.begin(), kept.end(), [&](const auto& k) { return (k.first & ~entry.first) == 0; });
    if (!holds_another) kept.push_back(entry);
  }
  return kept;
}

}  // namespace

std::optional<Mask> source_of(const Digraph& graph, Mask faulty) {
  THRESHER_ASSERT((graph.all() & ~faulty) != 0, "a node is left");
  const auto [one, other] = sources(graph, graph.all() & ~faulty);
  return other == 0 ? std::optional(one) : std::nullopt;
}

std::vector<Mask> all_fault_sets(std::uint32_t nodes, std::uint32_t faults) {
  std::vector<Mask> out;
  auto keep = [&](Mask faulty) {
    out.push_back(faulty);
    return true;
  };
  (void)each_fault_set(nodes, faults, keep);
  std::ranges::stable_sort(out, {}, size_of);
  return out;
}

std::uint64_t fault_sets(std::uint32_t nodes, std::uint32_t faults) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  std::uint64_t sum = 0;
  std::uint64_t choices = 1;
  for (std::uint32_t k = 0; k <= std::min(faults, nodes); ++k) {
    sum += choices;
    if (sum > kMost) return kMost;
    choices = choices * (nodes - k) / (k + 1);
  }
  return sum;
}

// C1
std::optional<Witness> synchronous_breach(const Digraph& graph, std::uint32_t faults) {
  return each_source(graph, faults, [](Mask, Mask) {});
}

// C2
std::optional<Witness> asynchronous_breach(const Digraph& graph, std::uint32_t faults) {
  std::map<Mask, Mask> faulty_by_source;
  auto breach = each_source(
      graph, faults, [&](Mask faulty, Mask source) { faulty_by_source.emplace(source, faulty); });
  if (breach) return breach;
  const auto kept = smallest(faulty_by_source);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    for (std::size_t k = i; k < kept.size(); ++k) {
      if (size_of(kept[i].first & kept[k].first) > faults) continue;
      return Witness{Breach::kFewCommon, kept[i].second, kept[k].second, kept[i].first,
                     kept[k].first};
    }
  }
  return std::nullopt;
}

Conditions check(const Digraph& graph, std::uint32_t faults) {
  THRESHER_ASSERT(faults < graph.size(), "a node is correct");
  Conditions out;
  out.asynchronous = asynchronous_breach(graph, faults);
  // The asynchronous condition contains the other one, and its breaches are found first.
  if (out.asynchronous && out.asynchronous->breach != Breach::kFewCommon) {
    out.synchronous = out.asynchronous;
  }
  return out;
}

}  // namespace thresher::digraph
