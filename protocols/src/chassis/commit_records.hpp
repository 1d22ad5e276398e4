// The record of a commit, as a node writes it for a restart: who was committed, and who leads next.
//
//   fx.push(commit_record(kDelivered, commit, leaders));   // read again: RestoredCommit
//   fx.push(no_commit_record(kDelivered, slot));
//
// Guarantees: the key is the slot; the value is the slot of the commit before, the leader, and the
// leaders after it, in this order. May be written a little later than what is sent after it.
#pragma once

#include <cstdint>

#include "thresher/core/effects.hpp"
#include "thresher/core/transcript.hpp"

namespace thresher::chassis {

/// As a key.
inline Bytes slot_key(Round slot) {
  return Bytes::from(Writer().u64(slot.value).take());
}

/// `after`: who leads when the commit is made.
template <class Commit, class Leaders>
Persist commit_record(std::uint32_t table, const Commit& commit, const Leaders& after) {
  Writer value;
  value.u64(commit.before.value).bytes(commit.leader.bytes);
  after.encode(value);
  return {table, slot_key(commit.slot), Bytes::from(value.take()), {}, true};
}

/// Erases that of `slot`.
inline Persist no_commit_record(std::uint32_t table, Round slot) {
  return {table, slot_key(slot), {}, {}, true};
}

}  // namespace thresher::chassis
