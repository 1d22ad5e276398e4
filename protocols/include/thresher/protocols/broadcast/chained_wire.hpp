// Messages of chained echo as bytes; see wire.hpp for the guarantees.
//
//   WireParts parts = encode(ChainedEcho::Message(status));
//   auto message = decode_chained(parts, committee);
//
// A status whose ready position is at or below the echoed one of the same chain has one hash: 47
// bytes. That is what a correct node's is but after a fork.
#pragma once

#include <optional>

#include "thresher/protocols/broadcast/chained_echo.hpp"
#include "thresher/protocols/wire.hpp"

namespace thresher {

WireParts encode(const ChainedEcho::Message& message);
std::optional<ChainedEcho::Message> decode_chained(const WireParts& parts,
                                                   const Committee& committee);

}  // namespace thresher
