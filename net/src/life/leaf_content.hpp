// What stands at one position of the log, as bytes: on the wire and in the store. Private to net/.
//
//   write(content, out);
//   LeafContent again = read_content(in);             // in.ok() tells whether it was there
#pragma once

#include "thresher/core/transcript.hpp"
#include "thresher/net/log_proof.hpp"

namespace thresher::net {

inline void write(const LeafContent& content, Writer& out) {
  out.bytes(content.client.bytes).u64(content.sequence);
  out.bytes(content.payload.bytes).bytes(content.result.bytes);
}

inline LeafContent read_content(Reader& in) {
  LeafContent out;
  in.fill(out.client.bytes);
  out.sequence = in.u64();
  out.payload = in.digest();
  out.result = in.digest();
  return out;
}

}  // namespace thresher::net
