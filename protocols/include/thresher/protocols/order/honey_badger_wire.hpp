// HoneyBadger's messages as bytes.
//
//   WireParts parts = encode(message);
//   std::optional<HoneyBadger::Message> again = decode_honey_badger(parts, committee);
//
// Guarantees: those of wire.hpp. The common subset's messages are as common_subset_wire.hpp has
// them.
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
