// HoneyBadger's messages as bytes.
//
//   WireParts parts = encode(message);
//   std::optional<HoneyBadger::Message> again = decode_honey_badger(parts, committee);
//
// Guarantees: those of wire.hpp. A byte more than the common subset's messages have.
#pragma once

#include <optional>

#include "thresher/protocols/order/honey_badger.hpp"
#include "thresher/protocols/wire.hpp"

namespace thresher {

WireParts encode(const HoneyBadger::Message& message);

/// Empty when malformed or of a node outside the committee. Does not judge: the protocol does.
std::optional<HoneyBadger::Message> decode_honey_badger(const WireParts& parts,
                                                        const Committee& committee);

}  // namespace thresher
