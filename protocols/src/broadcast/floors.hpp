// An origin's floor rises: its record, and the end of what lies below. Private to the broadcasts.
//
//   if (!broadcast::raise_floor(shelf_, {kFloors, id, number}, fx, forget))
//     return;
//
// Guarantees: what `forget` erases is erased behind the record of the floor, so a restart never
// takes up again what was forgotten. Both are lazy: nobody waits for them.
#pragma once

#include <cstdint>
#include <utility>

#include "thresher/core/effects.hpp"
#include "thresher/core/transcript.hpp"

namespace thresher::broadcast {

/// `number`: the first instance of `origin` that is kept. `table`: of the records of floors.
struct Rise {
  std::uint32_t table = 0;
  NodeId origin{};
  std::uint64_t number = 0;
};

/// Calls `forget(const Instance&, const State&)` for what lies below. False when the floor is as
/// high already; nothing is done then.
template <class Shelf, class Fx, class Forget>
bool raise_floor(Shelf& shelf, const Rise& to, Fx& fx, Forget forget) {
  if (to.number <= shelf.floor(to.origin)) return false;
  Writer key;
  Writer value;
  key.u16(to.origin.value);
  value.u64(to.number);
  fx.push(Persist{to.table, Bytes::from(key.take()), Bytes::from(value.take()), {}, true});
  shelf.raise(to.origin, to.number, std::move(forget));
  return true;
}

}  // namespace thresher::broadcast
