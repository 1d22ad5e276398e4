// The durable records of chained echo. Private to it.
//
//   fx.push(Persist{kLinks, key_of(origin, head.count), link_record(head, digest), payload, true});
//
// A node restores from them, and a node with an archive answers from those that it erased.
#pragma once

#include <cstdint>

#include "thresher/core/transcript.hpp"
#include "thresher/protocols/broadcast/chained_echo.hpp"

namespace thresher::chained_echo {

/// Payloads by origin and position, what was said by origin, what was delivered by origin.
enum Table : std::uint32_t { kLinks = ChainedEcho::kArchived, kStatus = 2, kDelivered = 3 };

inline Bytes key_of(NodeId origin) {
  return Bytes::from(Writer().u16(origin.value).take());
}
inline Bytes key_of(NodeId origin, std::uint64_t count) {
  return Bytes::from(Writer().u16(origin.value).u64(count).take());
}
inline Bytes link_record(const Head& head, const Digest& payload) {
  return Bytes::from(Writer().bytes(head.hash.bytes).bytes(payload.bytes).take());
}
inline Bytes two_heads(const Head& a, const Head& b) {
  Writer w;
  w.u64(a.count).bytes(a.hash.bytes).u64(b.count).bytes(b.hash.bytes);
  return Bytes::from(w.take());
}
inline Head read_head(Reader& in) {
  const std::uint64_t count = in.u64();
  return {count, in.digest()};
}

}  // namespace thresher::chained_echo
