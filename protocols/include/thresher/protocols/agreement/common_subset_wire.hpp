// The common subset that ships, and its messages as bytes.
//
//   WireParts parts = encode(message);
//   std::optional<PayloadSubset::Message> again = decode_common_subset(parts, committee);
//
// Guarantees: those of wire.hpp. A byte more than the messages of its parts have.
#pragma once

#include <optional>

#include "thresher/protocols/agreement/bca_agreement.hpp"
#include "thresher/protocols/agreement/common_subset.hpp"
#include "thresher/protocols/broadcast/avid.hpp"
#include "thresher/protocols/wire.hpp"

namespace thresher {

/// Payloads may be large, so they travel in fragments.
using PayloadSubset = CommonSubset<Avid, BcaAgreement>;

WireParts encode(const PayloadSubset::Message& message);

/// Empty when malformed or of a node outside the committee. Does not judge: the protocol does.
std::optional<PayloadSubset::Message> decode_common_subset(const WireParts& parts,
                                                           const Committee& committee);

}  // namespace thresher
