// How many accepted vertices with a payload wait to be ordered: the work that keeps a node awake.
//
//   Undelivered undelivered;
//   undelivered.add(vertex->header);        // accepted, and no commit of the log delivered it
//   undelivered.remove(vertex->header);     // delivered, or forgotten
//   if (undelivered.any()) ...              // there is something to be done
//
// Guarantees: vertices without a payload do not count. Counts, does not keep vertices.
#pragma once

#include <cstdint>

#include "thresher/core/assert.hpp"
#include "thresher/protocols/certified/vertex.hpp"

namespace thresher::certified {

class Undelivered {
 public:
  void add(const Header& h) { vertices_ += h.payload_bytes > 0 ? 1 : 0; }
  /// Pre: it was added.
  void remove(const Header& h) {
    if (h.payload_bytes == 0) return;
    THRESHER_ASSERT(vertices_ > 0, "what is delivered was waiting to be");
    --vertices_;
  }
  bool any() const { return vertices_ > 0; }

 private:
  std::uint64_t vertices_ = 0;
};

}  // namespace thresher::certified
