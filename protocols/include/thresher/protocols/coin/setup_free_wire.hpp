// The setup-free coin that ships, and its messages as bytes.
//
//   WireParts parts = encode(message, committee);
//   std::optional<SetupFree::Message> again = decode_setup_free(parts, committee);
//
// Guarantees: those of wire.hpp. A byte more than the messages of its parts have.
#pragma once

#include <optional>

#include "thresher/protocols/broadcast/avid.hpp"
#include "thresher/protocols/broadcast/bracha.hpp"
#include "thresher/protocols/coin/setup_free_coin.hpp"
#include "thresher/protocols/wire.hpp"

namespace thresher {

/// Commitments are large, so they travel in fragments; weights are small.
using SetupFree = SetupFreeCoin<Avid, Bracha>;

/// Pre: `committee` is that of the message.
WireParts encode(const SetupFree::Message& message, const Committee& committee);

/// Empty when malformed or of a node outside the committee. Does not judge: the protocol does.
std::optional<SetupFree::Message> decode_setup_free(const WireParts& parts,
                                                    const Committee& committee);

namespace coin {

/// For messages about weights it is not known without the number of rounds: the first one.
std::uint64_t instance_of(const SetupFree::Message& message);

}  // namespace coin
}  // namespace thresher
