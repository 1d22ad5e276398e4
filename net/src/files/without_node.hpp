// What the owner of a store, where that is not a node, says when the store is damaged: stores speak
// of nodes, and there is none to start. Private to net/.
//
//   if (!opened) return without_node_advice(opened.error());
//
// Guarantees: other messages pass as they are.
#pragma once

#include <array>
#include <string>

#include "files/advice.hpp"

namespace thresher::net {

/// What stands before kObserve where a log cannot be put back, or is of another format.
inline constexpr std::array kBeforeObserve{"; else move 'data' away and keep it. Then ",
                                           ", or move 'data' away: then "};

/// `problem` of a store without the advice to start its node as an observer.
inline std::string without_node_advice(std::string problem) {
  for (const char* before : kBeforeObserve) {
    const std::string advice = before + std::string(kObserve);
    const auto at = problem.find(advice);
    if (at != std::string::npos) return problem.erase(at, advice.size());
  }
  return problem;
}

}  // namespace thresher::net
