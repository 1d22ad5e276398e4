// The messages of Simplex and HotStuff-2 as bytes; see wire.hpp for the guarantees.
//
//   WireParts parts = encode(LeaderChain::Message(vote));
//   auto message = decode_leader_chain(parts, committee);
//
// Lists are bounded by the committee, certificates and payloads of a message by what leader_chain
// and 2^16 allow, before memory is taken.
#pragma once

#include <optional>

#include "thresher/protocols/order/leader_chain.hpp"
#include "thresher/protocols/wire.hpp"

namespace thresher {

WireParts encode(const LeaderChain::Message& message);
std::optional<LeaderChain::Message> decode_leader_chain(const WireParts& parts,
                                                        const Committee& committee);

}  // namespace thresher
