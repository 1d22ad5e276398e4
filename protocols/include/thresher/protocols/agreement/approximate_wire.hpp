// The approximate agreement that ships, and its messages as bytes.
//
//   WireParts parts = encode(message, committee);
//   std::optional<NumberAgreement::Message> again = decode_approximate(parts, committee);
//
// Guarantees: those of wire.hpp. A byte more than the messages of its parts have.
#pragma once

#include <optional>

#include "thresher/protocols/agreement/approximate.hpp"
#include "thresher/protocols/broadcast/bracha.hpp"
#include "thresher/protocols/wire.hpp"

namespace thresher {

/// Numbers are small, so they travel whole.
using NumberAgreement = ApproximateAgreement<Bracha>;

/// Pre: `committee` is that of the message.
WireParts encode(const NumberAgreement::Message& message, const Committee& committee);

/// Empty when malformed or of a node outside the committee. Does not judge: the protocol does.
std::optional<NumberAgreement::Message> decode_approximate(const WireParts& parts,
                                                           const Committee& committee);

}  // namespace thresher
