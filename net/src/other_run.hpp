// What members say of what is not theirs alone: a peer whose run is another one, and a store that
// is damaged. Links and stores speak of nodes and their genesis; whoever else uses them has options
// of its own, and no node to start. Private to net/.
//
//   links.open(std::move(options), receive,
//              told_of_other_run("the peer keeps another key; compare --keep", log));
//   if (!opened) return without_node_advice(opened.error());
//
// Guarantees: other messages pass as they are.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <utility>

#include "advice.hpp"

namespace thresher::net {

/// What a link says when the peer's hello names another chain.
inline constexpr const char* kOtherGenesis =
    "the peer has another genesis; compare the genesis files";
/// What stands before kObserve where a log cannot be put back, or is of another format.
inline constexpr std::array kBeforeObserve{"; else move 'data' away and keep it. Then ",
                                           ", or move 'data' away: then "};

/// A log that hears `why` in place of kOtherGenesis.
inline std::function<void(const std::string&)> told_of_other_run(
    std::string why, std::function<void(const std::string&)> log) {
  return [why = std::move(why), log = std::move(log)](const std::string& what) {
    const auto at = what.find(kOtherGenesis);
    if (at == std::string::npos) return log(what);
    log(std::string(what).replace(at, std::string(kOtherGenesis).size(), why));
  };
}

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
