// The messages of Das, Xiang and Ren's broadcast as bytes; see wire.hpp for the guarantees.
//
//   WireParts parts = encode(DasXiangRen::Message(ready));
//   auto message = decode_das_xiang_ren(parts, committee);
#pragma once

#include <optional>

#include "thresher/protocols/broadcast/das_xiang_ren.hpp"
#include "thresher/protocols/wire.hpp"

namespace thresher {

WireParts encode(const DasXiangRen::Message& message);
std::optional<DasXiangRen::Message> decode_das_xiang_ren(const WireParts& parts,
                                                         const Committee& committee);

}  // namespace thresher
