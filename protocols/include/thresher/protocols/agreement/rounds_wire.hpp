// Messages of the agreements that go in rounds, as bytes.
//
//   WireParts parts = agreement::encode_rounds(message);
//   auto again = agreement::decode_rounds<BcaAgreement::Message>(parts);
//
// Guarantees: those of wire.hpp. 18 bytes a statement, 10 a decision, 9 a question, and a share of
// the coin as the coin writes it, behind a byte that says which of them it is.
#pragma once

#include <concepts>
#include <optional>
#include <utility>
#include <variant>

#include "thresher/core/transcript.hpp"
#include "thresher/protocols/agreement/rounds.hpp"
#include "thresher/protocols/wire.hpp"

namespace thresher::agreement {

/// Reads a message of rounds. Empty when it is malformed.
template <class Message>
std::optional<Message> read_rounds(Reader& in) {
  const std::uint8_t kind = in.u8();
  if (kind == 3) {
    if constexpr (std::constructible_from<Message, coin::Share>) {
      const auto share = coin::decode_share(in);
      if (share && in.done()) return Message(*share);
    }
    return std::nullopt;
  }
  std::optional<Message> out;
  const std::uint64_t instance = in.u64();
  if (kind == 0) {
    Said m{instance, in.u32(), in.u32()};
    const std::uint8_t asks = in.u8();
    m.asks = asks == 1;
    if (asks <= 1) out = m;
  } else if (kind == 1) {
    const std::uint8_t flags = in.u8();
    if (flags <= 3) out = Done{instance, (flags & 1) != 0, (flags & 2) != 0};
  } else if (kind == 2) {
    out = Want{instance};
  }
  if (!in.done()) return std::nullopt;
  return out;
}

void write(const Said& m, Writer& out);
void write(const Done& m, Writer& out);
void write(const Want& m, Writer& out);
void write(const coin::Share& m, Writer& out);
/// Nobody sends it.
inline void write(const coin::NoShare&, Writer&) {}

template <class Message>
WireParts encode_rounds(const Message& message) {
  Writer w;
  std::visit([&](const auto& m) { write(m, w); }, message);
  return {Bytes::from(w.take()), {}};
}

/// Empty when malformed.
template <class Message>
std::optional<Message> decode_rounds(const WireParts& parts) {
  Reader in(parts.control.view());
  if (!parts.payload.empty()) return std::nullopt;
  return read_rounds<Message>(in);
}

}  // namespace thresher::agreement
