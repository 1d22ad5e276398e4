// Messages of key generation as bytes; see wire.hpp for the guarantees.
//
//   WireParts parts = dkg::encode_message(Message(dkg::Point{sealed}));
//   auto again = dkg::decode_message<Message>(parts, committee);
//
// Guarantees: a byte in front of the control part says whether it is key generation's own, of its
// broadcast or of its agreement; those are written as they write themselves.
#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "thresher/core/transcript.hpp"
#include "thresher/protocols/agreement/rounds_wire.hpp"
#include "thresher/protocols/broadcast/by_name.hpp"
#include "thresher/protocols/coin/dkg_message.hpp"
#include "thresher/protocols/wire.hpp"

namespace thresher::dkg {

/// Largest `shares` of a Reveal. Unit: bytes.
inline constexpr std::size_t kMostShares = 32 * Committee::kMaxSize;

void write(const Message& message, Writer& out);
/// Empty when malformed.
std::optional<Message> read(Reader& in, const Committee& committee);

namespace detail {

enum class Part : std::uint8_t { kOwn = 0, kDealings = 1, kSet = 2 };

inline Bytes with_head(Part part, ByteView control) {
  Writer w;
  w.u8(static_cast<std::uint8_t>(part)).bytes(control);
  return Bytes::from(w.take());
}

}  // namespace detail

/// `M`: the message of a Dkg<B, S>.
template <class M>
WireParts encode_message(const M& message) {
  using detail::Part;
  if (const auto* own = std::get_if<0>(&message)) {
    Writer w;
    write(*own, w);
    return {detail::with_head(Part::kOwn, w.view()), {}};
  }
  if (const auto* dealing = std::get_if<1>(&message)) {
    WireParts inner = thresher::encode(*dealing);
    return {detail::with_head(Part::kDealings, inner.control.view()), std::move(inner.payload)};
  }
  const WireParts inner = agreement::encode_rounds(*std::get_if<2>(&message));
  return {detail::with_head(Part::kSet, inner.control.view()), {}};
}

/// Empty when malformed.
template <class M>
std::optional<M> decode_message(const WireParts& parts, const Committee& committee) {
  using detail::Part;
  if (parts.control.empty()) return std::nullopt;
  const auto part = static_cast<Part>(parts.control.view()[0]);
  const WireParts inner{parts.control.slice(1, parts.control.size() - 1), parts.payload};
  if (part == Part::kOwn) {
    Reader in(inner.control.view());
    auto own = read(in, committee);
    if (own && in.done() && inner.payload.empty())
      return M(std::in_place_index<0>, *std::move(own));
  } else if (part == Part::kDealings) {
    using Dealing = std::variant_alternative_t<1, M>;
    auto dealing = broadcast::decode(std::type_identity<Dealing>{}, inner, committee);
    if (dealing) return M(std::in_place_index<1>, *std::move(dealing));
  } else if (part == Part::kSet) {
    auto vote = agreement::decode_rounds<std::variant_alternative_t<2, M>>(inner);
    if (vote) return M(std::in_place_index<2>, *std::move(vote));
  }
  return std::nullopt;
}

}  // namespace thresher::dkg
