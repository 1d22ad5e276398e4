// PBFT's messages as bytes; see wire.hpp for the guarantees.
//
//   WireParts parts = encode(Pbft::Message(vote));
//   auto message = decode_pbft(parts, committee);
#pragma once

#include <optional>

#include "thresher/protocols/order/pbft.hpp"
#include "thresher/protocols/wire.hpp"

namespace thresher {

WireParts encode(const Pbft::Message& message);
std::optional<Pbft::Message> decode_pbft(const WireParts& parts, const Committee& committee);

}  // namespace thresher
