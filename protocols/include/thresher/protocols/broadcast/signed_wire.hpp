// Messages of the signed broadcasts as bytes; see wire.hpp for the guarantees.
//
//   WireParts parts = encode(SignedBroadcast::Message(vote));
//   auto message = decode_signed(parts, committee);
//
// Lists are bounded by the committee, summaries by 2^16 numbers an origin, before memory is taken.
#pragma once

#include <optional>

#include "thresher/protocols/broadcast/signed_broadcast.hpp"
#include "thresher/protocols/wire.hpp"

namespace thresher {

WireParts encode(const SignedBroadcast::Message& message);
std::optional<SignedBroadcast::Message> decode_signed(const WireParts& parts,
                                                      const Committee& committee);

}  // namespace thresher
