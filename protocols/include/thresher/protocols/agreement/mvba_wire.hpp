// The messages of the multi-valued agreement that ships, as bytes.
//
//   WireParts parts = encode(message, committee);
//   std::optional<ValueAgreement::Message> again = decode_mvba(parts, committee);
//
// Guarantees: those of wire.hpp. A byte more than the messages of its parts have.
#pragma once

#include <optional>

#include "thresher/protocols/agreement/bca_agreement.hpp"
#include "thresher/protocols/agreement/mvba.hpp"
#include "thresher/protocols/broadcast/signed_broadcast.hpp"
#include "thresher/protocols/wire.hpp"

namespace thresher {

using ValueAgreement = Mvba<CertifiedBroadcast, BcaAgreement>;

/// Pre: `committee` is that of the message.
WireParts encode(const ValueAgreement::Message& message, const Committee& committee);

/// Empty when malformed or of a node outside the committee. Does not judge: the protocol does.
std::optional<ValueAgreement::Message> decode_mvba(const WireParts& parts,
                                                   const Committee& committee);

}  // namespace thresher
