#include "thresher/protocols/broadcast/das_xiang_ren_wire.hpp"

#include "coded_wire.hpp"

namespace thresher {
namespace {

enum Kind : std::uint8_t { kPropose, kEcho, kReady, kAsk, kFloor };

template <class Statement>
WireParts parts_of(Kind kind, const Statement& m) {
  Writer w = coded::start_of(kind, m.instance);
  w.bytes(m.hash.bytes);
  return coded::parts_of(std::move(w), m.fragment);
}

struct Encoder {
  WireParts operator()(const das_xiang_ren::Propose& m) const {
    return coded::parts_of(coded::start_of(kPropose, m.instance), m.payload);
  }
  WireParts operator()(const das_xiang_ren::Echo& m) const { return parts_of(kEcho, m); }
  WireParts operator()(const das_xiang_ren::Ready& m) const { return parts_of(kReady, m); }
  WireParts operator()(const das_xiang_ren::Ask& m) const { return coded::parts_of(kAsk, m); }
  WireParts operator()(const das_xiang_ren::Floor& m) const { return coded::parts_of(kFloor, m); }
};

}  // namespace

WireParts encode(const DasXiangRen::Message& message) {
  return std::visit(Encoder{}, message);
}

std::optional<DasXiangRen::Message> decode_das_xiang_ren(const WireParts& parts,
                                                         const Committee& committee) {
  Reader in(parts.control.view());
  const std::uint8_t kind = in.u8();
  const NodeId origin{in.u16()};
  const das_xiang_ren::Instance instance{origin, in.u64()};
  if (!committee.contains(origin)) return std::nullopt;
  std::optional<DasXiangRen::Message> out;
  if (kind == kPropose) out = das_xiang_ren::Propose{instance, parts.payload};
  if (kind == kEcho) out = das_xiang_ren::Echo{instance, in.digest(), parts.payload};
  if (kind == kReady) out = das_xiang_ren::Ready{instance, in.digest(), parts.payload};
  if (kind == kAsk) out = coded::read_ask(instance, in);
  if (kind == kFloor) out = coded::read_floor(instance, in);
  const bool bare = kind == kAsk || kind == kFloor;
  if (!in.done() || (bare && !parts.payload.empty())) return std::nullopt;
  return out;
}

}  // namespace thresher
