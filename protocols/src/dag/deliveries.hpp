// What a commit delivers: everything in the leader's history that was not delivered, down to G
// rounds below the leader. Rule D4 of docs/protocols/thresher.md.
//
//   Deliveries deliveries(config, store, undelivered);
//   Committed out = deliveries.of(slot, leader);       // its `before` is the caller's
//
// Guarantees: no block twice; by round, author and digest. What memory keeps of the blocks loses
// the payload bytes where the host wants that. Refers to what it is made of, and lasts no longer.
#pragma once

#include "store.hpp"
#include "undelivered.hpp"

namespace thresher::dag {

class Deliveries {
 public:
  Deliveries(const Config& config, Store& store, Undelivered& undelivered)
      : config_(config), store_(store), undelivered_(undelivered) {}

  /// Pre: the leader's block is accepted.
  Committed of(Round slot, const Edge& leader);

 private:
  std::vector<Place> collect(const Edge& leader);

  const Config& config_;
  Store& store_;
  Undelivered& undelivered_;
};

}  // namespace thresher::dag
