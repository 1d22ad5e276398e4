// Names of nodes and of blocks for the tests of the parts that DAG protocols share.
#pragma once

#include <cstdint>

#include "thresher/core/ids.hpp"

namespace thresher::chassis {

inline NodeId node(std::uint64_t i) {
  return NodeId{static_cast<std::uint16_t>(i)};
}

struct Name {
  NodeId author;
  Round round;
  friend auto operator<=>(const Name&, const Name&) = default;
};

inline Name name(std::uint64_t author, std::uint64_t round) {
  return {node(author), Round{round}};
}

}  // namespace thresher::chassis
