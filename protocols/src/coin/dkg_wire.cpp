#include "thresher/protocols/coin/dkg_wire.hpp"

namespace thresher::dkg {
namespace {

enum class Kind : std::uint8_t { kAcks = 0, kComplaint = 1, kReveal = 2, kPoint = 3 };

void write_part(const Acks& m, Writer& out) {
  out.u8(static_cast<std::uint8_t>(Kind::kAcks));
  out.u8(static_cast<std::uint8_t>((m.done ? 1 : 0) | (m.asks ? 2 : 0)));
  std::vector<std::byte> bits;
  m.dealers.for_each([&](NodeId dealer) {
    const std::size_t at = dealer.value / 8;
    if (bits.size() <= at) bits.resize(at + 1);
    bits[at] |= static_cast<std::byte>(1u << (dealer.value % 8));
  });
  out.u16(static_cast<std::uint16_t>(bits.size())).bytes(bits);
}
void write_part(const Complaint& m, Writer& out) {
  out.u8(static_cast<std::uint8_t>(Kind::kComplaint)).u16(m.dealer.value).bytes(m.proof.view());
}
void write_part(const Reveal& m, Writer& out) {
  out.u8(static_cast<std::uint8_t>(Kind::kReveal)).u16(m.dealer.value).bytes(m.shares.view());
}
void write_part(const Point& m, Writer& out) {
  out.u8(static_cast<std::uint8_t>(Kind::kPoint)).bytes(m.sealed.view());
}

std::optional<Message> read_acks(Reader& in, const Committee& committee) {
  Acks m{NodeSet(committee.size()), false, false};
  const std::uint8_t flags = in.u8();
  const std::uint16_t size = in.u16();
  const ByteView bits = in.bytes(size);
  if (!in.ok() || flags > 3 || size > (committee.size() + 7) / 8) return std::nullopt;
  m.done = (flags & 1) != 0;
  m.asks = (flags & 2) != 0;
  for (std::size_t i = 0; i < bits.size() * 8; ++i) {
    const bool set = (bits[i / 8] & static_cast<std::byte>(1u << (i % 8))) != std::byte{0};
    const NodeId dealer{static_cast<std::uint16_t>(i)};
    if (set && !committee.contains(dealer)) return std::nullopt;
    if (set) m.dealers.insert(dealer);
  }
  // One encoding each: no bytes of zeros at the end.
  if (!bits.empty() && bits.back() == std::byte{0}) return std::nullopt;
  return m;
}

}  // namespace

void write(const Message& message, Writer& out) {
  std::visit([&](const auto& m) { write_part(m, out); }, message);
}

std::optional<Message> read(Reader& in, const Committee& committee) {
  const std::uint8_t kind = in.u8();
  if (kind == static_cast<std::uint8_t>(Kind::kAcks)) return read_acks(in, committee);
  if (kind == static_cast<std::uint8_t>(Kind::kPoint)) {
    const ByteView sealed = in.bytes(kPointBytes);
    if (!in.ok()) return std::nullopt;
    return Point{Bytes::copy_of(sealed)};
  }
  if (kind > static_cast<std::uint8_t>(Kind::kReveal)) return std::nullopt;
  const NodeId dealer{in.u16()};
  const bool complains = kind == static_cast<std::uint8_t>(Kind::kComplaint);
  const std::size_t size = complains ? kProofBytes : in.remaining();
  if (size > kMostShares) return std::nullopt;
  const Bytes rest = Bytes::copy_of(in.bytes(size));
  if (!in.ok() || !committee.contains(dealer)) return std::nullopt;
  if (complains) return Complaint{dealer, rest};
  return Reveal{dealer, rest};
}

}  // namespace thresher::dkg
