// The conditions of digraph/condition.hpp by their definitions alone: sets of numbers, reachability
// by repeated relaxation, no bit masks. Slow, and written apart from the checker it judges.
#pragma once

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include "thresher/protocols/digraph/graph.hpp"

namespace thresher::digraph::naive {

using Set = std::set<std::uint32_t>;

inline std::vector<Set> subsets(std::uint32_t n, std::uint32_t most) {
  std::vector<Set> out;
  for (std::uint64_t mask = 0; mask < (std::uint64_t{1} << n); ++mask) {
    Set s;
    for (std::uint32_t i = 0; i < n; ++i) {
      if ((mask >> i) % 2 == 1) s.insert(i);
    }
    if (s.size() <= most) out.push_back(s);
  }
  return out;
}

// reach[i] holds k: there is a path from i to k outside `faulty`.
inline std::vector<Set> reachability(const Digraph& g, const Set& faulty) {
  std::vector<Set> reach(g.size());
  for (std::uint32_t i = 0; i < g.size(); ++i) {
    if (!faulty.contains(i)) reach[i].insert(i);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint16_t u = 0; u < g.size(); ++u) {
      for (std::uint16_t v = 0; v < g.size(); ++v) {
        if (faulty.contains(u) || faulty.contains(v) || !g.has(NodeId{u}, NodeId{v})) continue;
        for (Set& from : reach) {
          if (from.contains(u)) changed |= from.insert(v).second;
        }
      }
    }
  }
  return reach;
}

// All source components: classes of nodes that reach each other and that nobody else reaches.
inline std::set<Set> sources(const Digraph& g, const Set& faulty) {
  const auto reach = reachability(g, faulty);
  std::set<Set> out;
  for (std::uint32_t i = 0; i < g.size(); ++i) {
    if (faulty.contains(i)) continue;
    Set component;
    bool source = true;
    for (std::uint32_t k = 0; k < g.size(); ++k) {
      const bool to = reach[i].contains(k);
      const bool from = reach[k].contains(i);
      if (to && from) component.insert(k);
      source = source && (to || !from);
    }
    if (source) out.insert(component);
  }
  return out;
}

inline bool synchronous(const Digraph& g, std::uint32_t f) {
  for (const Set& faulty : subsets(g.size(), f)) {
    const auto found = sources(g, faulty);
    if (found.size() != 1 || found.begin()->size() <= f) return false;
  }
  return true;
}

inline bool asynchronous(const Digraph& g, std::uint32_t f) {
  if (!synchronous(g, f)) return false;
  std::set<Set> all;
  for (const Set& faulty : subsets(g.size(), f)) all.insert(*sources(g, faulty).begin());
  for (const Set& a : all) {
    for (const Set& b : all) {
      Set common;
      std::set_intersection(a.begin(), a.end(), b.begin(), b.end(),
                            std::inserter(common, common.begin()));
      if (common.size() <= f) return false;
    }
  }
  return true;
}

}  // namespace thresher::digraph::naive
