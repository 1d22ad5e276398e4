#include "thresher/protocols/broadcast/avid_wire.hpp"

#include "coded_wire.hpp"

namespace thresher {
namespace {

enum Kind : std::uint8_t { kDisperse, kEcho, kReady, kAsk, kFloor };

/// The longest path of a tree of 255 leaves.
constexpr std::size_t kMostProof = 8;

WireParts parts_of(Kind kind, const avid::Instance& instance, const avid::Piece& piece) {
  Writer w = coded::start_of(kind, instance);
  w.bytes(piece.root.bytes);
  for (const Digest& d : piece.proof) w.bytes(d.bytes);
  return coded::parts_of(std::move(w), piece.fragment);
}

struct Encoder {
  WireParts operator()(const avid::Disperse& m) const {
    return parts_of(kDisperse, m.instance, m.piece);
  }
  WireParts operator()(const avid::Echo& m) const { return parts_of(kEcho, m.instance, m.piece); }
  WireParts operator()(const avid::Ready& m) const {
    Writer w = coded::start_of(kReady, m.instance);
    w.bytes(m.root.bytes).u8(m.holds ? 1 : 0);
    return coded::parts_of(std::move(w));
  }
  WireParts operator()(const avid::Ask& m) const { return coded::parts_of(kAsk, m); }
  WireParts operator()(const avid::Floor& m) const { return coded::parts_of(kFloor, m); }
};

std::optional<avid::Piece> read_piece(Reader& in, const Bytes& fragment) {
  avid::Piece piece{in.digest(), fragment, {}};
  if (in.remaining() > kMostProof * sizeof(Digest)) return std::nullopt;
  while (in.ok() && in.remaining() > 0) piece.proof.push_back(in.digest());
  return piece;
}

}  // namespace

WireParts encode(const Avid::Message& message) {
  return std::visit(Encoder{}, message);
}

std::optional<Avid::Message> decode_avid(const WireParts& parts, const Committee& committee) {
  Reader in(parts.control.view());
  const std::uint8_t kind = in.u8();
  const NodeId origin{in.u16()};
  const avid::Instance instance{origin, in.u64()};
  if (!committee.contains(origin)) return std::nullopt;
  std::optional<Avid::Message> out;
  if (kind == kDisperse || kind == kEcho) {
    const auto piece = read_piece(in, parts.payload);
    if (piece && kind == kDisperse) out = avid::Disperse{instance, *piece};
    if (piece && kind == kEcho) out = avid::Echo{instance, *piece};
  }
  if (kind == kReady) {
    const Digest root = in.digest();
    const std::uint8_t holds = in.u8();
    if (holds <= 1) out = avid::Ready{instance, root, holds == 1};
  }
  if (kind == kAsk) out = coded::read_ask(instance, in);
  if (kind == kFloor) out = coded::read_floor(instance, in);
  const bool carries = kind == kDisperse || kind == kEcho;
  if (!in.done() || carries == parts.payload.empty()) return std::nullopt;
  return out;
}

}  // namespace thresher
