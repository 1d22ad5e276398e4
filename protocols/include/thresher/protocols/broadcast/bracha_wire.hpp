// Bracha's messages as bytes; see wire.hpp for the guarantees.
//
//   WireParts parts = encode(Bracha::Message(init));
//   auto message = decode_bracha(parts, committee);
#pragma once

#include <optional>

#include "thresher/protocols/broadcast/bracha.hpp"
#include "thresher/protocols/wire.hpp"

namespace thresher {

WireParts encode(const Bracha::Message& message);
std::optional<Bracha::Message> decode_bracha(const WireParts& parts, const Committee& committee);

}  // namespace thresher
