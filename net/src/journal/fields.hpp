// Fields of a journal's entries. Private to journal/.
//
//   put(out, frame.control.view());
//   frame.control = take_bytes(in);
//
// Guarantees: a length that goes beyond the entry makes the reader fail and takes no memory.
#pragma once

#include <string>

#include "thresher/core/bytes.hpp"
#include "thresher/core/ids.hpp"
#include "thresher/core/transcript.hpp"

namespace thresher::net::journal {

inline void put(Writer& out, ByteView bytes) {
  out.u32(static_cast<std::uint32_t>(bytes.size())).bytes(bytes);
}

inline Bytes take_bytes(Reader& in) {
  const std::uint32_t size = in.u32();
  return Bytes::copy_of(in.bytes(size));
}

inline std::string take_text(Reader& in) {
  const std::uint32_t size = in.u32();
  return std::string(as_text(in.bytes(size)));
}

/// A timer or a ticket.
inline void put(Writer& out, std::uint64_t local, const Route& route) {
  out.u64(local).u8(route.depth);
  for (const std::uint32_t hop : route.hop) out.u32(hop);
}

template <class Id>
Id take_id(Reader& in) {
  Id out;
  out.local = static_cast<decltype(out.local)>(in.u64());
  out.route.depth = in.u8();
  for (std::uint32_t& hop : out.route.hop) hop = in.u32();
  return out;
}

}  // namespace thresher::net::journal
