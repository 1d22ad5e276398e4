// A message as bytes: a small control part, and the payload beside it, which is never copied.
//
//   WireParts parts = encode(message);            // bracha_wire.hpp, pbft_wire.hpp, ...
//   std::optional<Pbft::Message> again = decode_pbft(parts, committee);
//
// Guarantees: fixed-width little-endian fields; decode(encode(m)) is m; what has bytes too many or
// too few, or names a node that is not there, is refused. Not signed and not hashed: digests and
// signatures are over transcripts.
#pragma once

#include "thresher/core/bytes.hpp"

namespace thresher {

struct WireParts {
  Bytes control;
  Bytes payload;

  /// What a link carries.
  std::size_t size() const { return control.size() + payload.size(); }
};

}  // namespace thresher
