#include "thresher/protocols/coin/committee_wire.hpp"

namespace thresher {
namespace {

enum Kind : std::uint8_t { kPublished, kAsk, kInside };

}  // namespace

void committee_coin::encode_word(const std::variant<Published, Ask>& word, Writer& out) {
  if (const auto* ask = std::get_if<Ask>(&word)) {
    out.u8(kAsk).u64(ask->instance);
    return;
  }
  const auto& published = std::get<Published>(word);
  out.u8(kPublished).u64(published.instance);
  for (const Bit& b : published.bits) out.u32(b.committee).u8(b.bit ? 1 : 0);
}

std::optional<std::variant<committee_coin::Published, committee_coin::Ask>>
committee_coin::decode_word(Reader& in, std::uint32_t committees) {
  constexpr std::size_t kBitBytes = 5;
  const std::uint8_t kind = in.u8();
  const std::uint64_t instance = in.u64();
  if (kind == kAsk && in.done()) return Ask{instance};
  if (kind != kPublished || !in.ok() || in.remaining() == 0 ||
      in.remaining() > kBitBytes * committees)
    return std::nullopt;
  Published out{instance, {}};
  while (in.ok() && in.remaining() > 0) {
    const std::uint32_t committee = in.u32();
    const std::uint8_t bit = in.u8();
    if (committee >= committees || bit > 1) return std::nullopt;
    out.bits.push_back({committee, bit == 1});
  }
  return in.ok() ? std::optional(std::move(out)) : std::nullopt;
}

Committee inside_of(const coin::CommitteeLists& lists) {
  return *Committee::make(lists.size(), (lists.size() - 1) / 3);
}

WireParts encode(const SetupFreeCommittees::Message& message, const coin::CommitteeLists& lists) {
  Writer w;
  if (const auto* inside = std::get_if<SetupFreeCommittees::Inside>(&message)) {
    WireParts inner = encode(inside->message, inside_of(lists));
    w.u8(kInside).u32(inside->committee).bytes(inner.control.view());
    return {Bytes::from(w.take()), std::move(inner.payload)};
  }
  if (const auto* ask = std::get_if<committee_coin::Ask>(&message)) {
    committee_coin::encode_word(*ask, w);
  } else {
    committee_coin::encode_word(std::get<committee_coin::Published>(message), w);
  }
  return {Bytes::from(w.take()), {}};
}

std::optional<SetupFreeCommittees::Message> decode_committee_coin(
    const WireParts& parts, const coin::CommitteeLists& lists) {
  constexpr std::size_t kHead = sizeof(std::uint8_t) + sizeof(std::uint32_t);
  Reader in(parts.control.view());
  if (in.u8() == kInside) {
    const std::uint32_t committee = in.u32();
    if (!in.ok() || committee >= lists.committees()) return std::nullopt;
    auto inner =
        decode_setup_free({parts.control.slice(kHead, parts.control.size() - kHead), parts.payload},
                          inside_of(lists));
    if (!inner) return std::nullopt;
    return SetupFreeCommittees::Inside{committee, *std::move(inner)};
  }
  Reader whole(parts.control.view());
  auto word = committee_coin::decode_word(whole, lists.committees());
  if (!word || !parts.payload.empty()) return std::nullopt;
  return std::visit([](auto& m) { return SetupFreeCommittees::Message(std::move(m)); }, *word);
}

}  // namespace thresher
