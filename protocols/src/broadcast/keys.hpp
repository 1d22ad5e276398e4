// Where Bracha's durable records lie. Private to the protocol.
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

}  // namespace thresher::bracha
