// AVID's messages as bytes; see wire.hpp for the guarantees.
//
//   WireParts parts = encode(Avid::Message(ready));
//   auto message = decode_avid(parts, committee);
#pragma once

#include <optional>

#include "thresher/protocols/broadcast/avid.hpp"
#include "thresher/protocols/wire.hpp"

namespace thresher {

WireParts encode(const Avid::Message& message);
std::optional<Avid::Message> decode_avid(const WireParts& parts, const Committee& committee);

}  // namespace thresher
