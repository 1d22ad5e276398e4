// Raft's messages as bytes; see wire.hpp for the guarantees.
//
//   WireParts parts = encode(Raft::Message(append));
//   auto message = decode_raft(parts);
#pragma once

#include <optional>

#include "thresher/protocols/order/raft.hpp"
#include "thresher/protocols/wire.hpp"

namespace thresher {

WireParts encode(const Raft::Message& message);
std::optional<Raft::Message> decode_raft(const WireParts& parts);

}  // namespace thresher
