// What nodes of any broadcast may hold, alone or inside of another protocol, for Subject::bounds.
//
//   std::vector<Bound> out = broadcast_bounds(node.footprint(), Bracha::most_held(config));
//
// Guarantees: a row for all that a Footprint counts, by the names of docs/protocols/bounds.md.
#pragma once

#include <vector>

#include "thresher/protocols/broadcast/broadcast.hpp"
#include "thresher/sim/outcome.hpp"

namespace thresher::sim {

inline std::vector<Bound> broadcast_bounds(const broadcast::Footprint& held,
                                           const broadcast::Footprint& most) {
  return {{"instances of broadcasts", held.instances, most.instances},
          {"history of broadcasts", held.history, most.history},
          {"digests of broadcasts", held.digests, most.digests},
          {"digests of the history of broadcasts", held.history_digests, most.history_digests},
          {"remains of broadcasts", held.remains, most.remains},
          {"bytes of broadcasts", held.payload_bytes, most.payload_bytes},
          {"bytes of the history of broadcasts", held.history_bytes, most.history_bytes}};
}

}  // namespace thresher::sim
