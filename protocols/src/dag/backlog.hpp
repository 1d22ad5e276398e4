// Payloads of the application that wait for an own block.
//
//   Backlog backlog(limits.pending_submits);
//   backlog.add(submit);                     // false: as many wait as may
//   Payload next = backlog.take();           // for the next block; empty: none waits
//   backlog.again(block->payload);           // no leader took it in time
//
// Guarantees: first in, first out, and what goes into a block again comes first. A request takes at
// most its limit; what the application was told is taken is never refused a second time, so
// `again` is not limited: there are no more of those than own blocks above the floor. Does not look
// into payloads.
#pragma once

#include <cstdint>
#include <deque>

#include "thresher/protocols/dag/message.hpp"

namespace thresher::dag {

class Backlog {
 public:
  explicit Backlog(std::size_t most) : most_(most) {}

  /// False: refused. A request that replaces the one that came last takes its place.
  bool add(const Submit& request);
  /// What was taken before and has to go into another block. A payload without bytes is none.
  void again(const Payload& payload);
  /// Removes the next one; an empty payload when nothing waits.
  Payload take();

  bool empty() const { return waiting_.empty(); }
  std::size_t size() const { return waiting_.size(); }
  std::uint64_t bytes() const { return bytes_; }
  /// How many are longer than `bytes`.
  std::size_t longer_than(std::size_t bytes) const;

 private:
  std::size_t most_;
  std::deque<Payload> waiting_;
  std::uint64_t bytes_ = 0;  // of all that wait
};

}  // namespace thresher::dag
