// The submitter of a transaction, as the log names it.
//
//   ClientId id = client_id_of(key.public_key());
//   std::puts(to_hex(id.bytes).c_str());
//
// Guarantees: a node computes it from the key that the client's TLS connection proved to hold, so
// on correct nodes nobody submits under another's id. To share an id with a given key takes a
// second preimage of 128 bits. Does not bind members: transactions carry no client's signature, so
// a Byzantine member can write any id into its own blocks (docs/threat-model.md).
#pragma once

#include <array>
#include <compare>
#include <cstddef>

#include "thresher/core/hash.hpp"

namespace thresher::net {

struct ClientId {
  std::array<std::byte, 16> bytes{};
  friend auto operator<=>(const ClientId&, const ClientId&) = default;
};

/// The client of transactions with evidence against members (evidence.hpp): 16 bytes of ones, which
/// are the id of no key that anybody can find.
inline constexpr ClientId kEvidenceClient = [] {
  ClientId out;
  out.bytes.fill(std::byte{0xff});
  return out;
}();

/// The first 16 bytes of H("thresher/client/1" || key).
ClientId client_id_of(const PublicKey& key);

}  // namespace thresher::net
