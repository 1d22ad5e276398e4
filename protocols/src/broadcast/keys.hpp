// Where the durable records of Bracha's broadcast and of the coded ones lie. Private to them.
#pragma once

#include "thresher/core/transcript.hpp"
#include "thresher/protocols/broadcast/bracha.hpp"

namespace thresher::bracha {

/// Tables of durable records: own statements (an echo with its payload), deliveries, own payloads,
/// floors by origin.
enum Table : std::uint32_t { kStatements = 1, kDeliveries = 2, kOwn = 3, kFloors = 4 };

inline Bytes key_of(const Instance& i, std::uint8_t counter = 0) {
  Writer w;
  w.u16(i.origin.value).u64(i.number).u8(counter);
  return Bytes::from(w.take());
}

/// Erases what is on the disk about an instance; of an own one the payload too.
template <class Fx>
void forget_records(const Instance& old, bool own, Fx& fx) {
  for (const Counter c : {kEcho, kReadied})
    fx.push(Persist{kStatements, key_of(old, c), {}, {}, true});
  fx.push(Persist{kDeliveries, key_of(old), {}, {}, true});
  if (own) fx.push(Persist{kOwn, key_of(old), {}, {}, true});
}

/// What remains of an instance's records: that these statements were said, without a payload.
template <class Fx>
void leave_records(const Instance& old, const broadcast::Said& said, bool own, Fx& fx) {
  for (const Counter c : {kEcho, kReadied}) {
    const Bytes value = said.counter[c] ? Bytes::copy_of(said.value.bytes) : Bytes{};
    fx.push(Persist{kStatements, key_of(old, c), value, {}, true});
  }
  fx.push(Persist{kDeliveries, key_of(old), {}, {}, true});
  if (own) fx.push(Persist{kOwn, key_of(old), {}, {}, true});
}

}  // namespace thresher::bracha
