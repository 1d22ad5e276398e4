// Parts of messages that the erasure-coded broadcasts share, as bytes. Private to them.
#pragma once

#include <optional>

#include "thresher/protocols/broadcast/coded.hpp"
#include "thresher/protocols/wire.hpp"

namespace thresher::coded {

/// What a message starts with.
inline Writer start_of(std::uint8_t kind, const Instance& instance) {
  Writer w;
  w.u8(kind).u16(instance.origin.value).u64(instance.number);
  return w;
}

inline WireParts parts_of(Writer w, Bytes payload = {}) {
  return {Bytes::from(w.take()), std::move(payload)};
}

inline WireParts parts_of(std::uint8_t kind, const Ask& m) {
  Writer w = start_of(kind, m.instance);
  w.u8(static_cast<std::uint8_t>((m.input ? 1 : 0) | (m.echo ? 2 : 0) | (m.ready ? 4 : 0)));
  return parts_of(std::move(w));
}

inline WireParts parts_of(std::uint8_t kind, const Floor& m) {
  Writer w = start_of(kind, {m.origin, m.number});
  w.u8(m.asks ? 1 : 0);
  return parts_of(std::move(w));
}

inline std::optional<Ask> read_ask(const Instance& instance, Reader& in) {
  const std::uint8_t what = in.u8();
  if (what > 7) return std::nullopt;
  return Ask{instance, (what & 1) != 0, (what & 2) != 0, (what & 4) != 0};
}

inline std::optional<Floor> read_floor(const Instance& instance, Reader& in) {
  const std::uint8_t asks = in.u8();
  if (asks > 1) return std::nullopt;
  return Floor{instance.origin, instance.number, asks == 1};
}

}  // namespace thresher::coded
