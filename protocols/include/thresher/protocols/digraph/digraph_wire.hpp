// Messages of sync-auth and async-auth as bytes; see wire.hpp for the guarantees.
//
//   WireParts parts = digraph::encode(relay);
//   std::optional<Relay> again = digraph::decode_sync_auth(parts, graph.size());
//   std::optional<AsyncAuth::Message> other = digraph::decode_async_auth(parts, graph.size());
//
// Guarantees: nodes that the graph does not have, lists whose signers do not grow, and vectors of
// another length than the graph's are refused. The payload is always empty.
#pragma once

#include <optional>

#include "thresher/protocols/digraph/async_auth.hpp"
#include "thresher/protocols/digraph/sync_auth.hpp"
#include "thresher/protocols/wire.hpp"

namespace thresher::digraph {

/// Pre: the list is complete.
WireParts encode(const Relay& message);
/// Pre: the list of a certificate is complete.
WireParts encode(const AsyncAuth::Message& message);

/// Empty when malformed. `nodes`: of the graph.
std::optional<Relay> decode_sync_auth(const WireParts& parts, std::uint32_t nodes);
std::optional<AsyncAuth::Message> decode_async_auth(const WireParts& parts, std::uint32_t nodes);

/// No message of a graph of so many nodes is larger. Unit: bytes.
std::size_t largest_message(std::uint32_t nodes);

}  // namespace thresher::digraph
