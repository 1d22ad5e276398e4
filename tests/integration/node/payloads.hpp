// Transactions in bytes, as docs/client-protocol.md has them: for tests that are clients or members
// themselves.
//
//   link.send({kSubmit, {}, entry(0, "hello")});       // a client: the node knows whose it is
//   const Bytes payload = block_of(id, {{0, "hello"}}); // a member writes any id
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "thresher/core/transcript.hpp"
#include "thresher/net/client_id.hpp"

namespace thresher::net {

using Texts = std::vector<std::pair<std::uint64_t, std::string>>;  // by sequence

inline Bytes entries(const Texts& texts) {
  Writer w;
  for (const auto& [sequence, text] : texts) {
    w.u64(sequence).u32(static_cast<std::uint32_t>(text.size())).bytes(as_view(text));
  }
  return Bytes::from(w.take());
}

inline Bytes entry(std::uint64_t sequence, const std::string& text) {
  return entries({{sequence, text}});
}

/// A run, as blocks carry it; valid for `life` slots.
inline Bytes block_of(const ClientId& client, const Texts& texts, std::uint64_t since = 0,
                      std::uint16_t life = 1u << 14) {
  const Bytes body = entries(texts);
  Writer w;
  w.bytes(client.bytes).u64(since).u16(life).u32(static_cast<std::uint32_t>(body.size()));
  w.bytes(body.view());
  return Bytes::from(w.take());
}

/// For tests that need one, and not whose.
inline ClientId some_client(std::uint64_t number) {
  ClientId out;
  for (std::size_t i = 0; i < 8; ++i) out.bytes[i] = static_cast<std::byte>(number >> (8 * i));
  return out;
}

}  // namespace thresher::net
