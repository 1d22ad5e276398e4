// A part of a received message that outlives it. Private to protocols/.
//
//   m.entries.push_back({term, kept_slice(parts, offset, size)});
//
// Guarantees: what is kept takes twice its size at most, whatever the sender put beside it. A slice
// keeps all of the message, so what is less than half of it is copied. Pre: it is a part of the
// payload.
#pragma once

#include "thresher/protocols/wire.hpp"

namespace thresher {

inline Bytes kept_slice(const WireParts& parts, std::size_t offset, std::size_t size) {
  const Bytes part = parts.payload.slice(offset, size);
  return size >= parts.size() / 2 ? part : Bytes::copy_of(part.view());
}

}  // namespace thresher
