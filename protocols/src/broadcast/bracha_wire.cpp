#include "thresher/protocols/broadcast/bracha_wire.hpp"

#include "thresher/core/transcript.hpp"

namespace thresher {
namespace {

enum Kind : std::uint8_t { kInit, kStatement, kWant, kGive, kFloor };

WireParts parts_of(Kind kind, const bracha::Instance& instance, Bytes payload = {}) {
  Writer w;
  w.u8(kind).u16(instance.origin.value).u64(instance.number);
  return {Bytes::from(w.take()), std::move(payload)};
}

struct Encoder {
  WireParts operator()(const bracha::Init& m) const {
    return parts_of(kInit, m.instance, m.payload);
  }
  WireParts operator()(const bracha::Statement& m) const {
    Writer w;
    w.u8(kStatement).u16(m.instance.origin.value).u64(m.instance.number);
    w.u8(m.counter).u8(m.repeated ? 1 : 0).bytes(m.digest.bytes);
    return {Bytes::from(w.take()), {}};
  }
  WireParts operator()(const bracha::Want& m) const {
    Writer w;
    w.u8(kWant).u16(m.instance.origin.value).u64(m.instance.number).u8(m.payload ? 1 : 0);
    return {Bytes::from(w.take()), {}};
  }
  WireParts operator()(const bracha::Give& m) const {
    return parts_of(kGive, m.instance, m.payload);
  }
  WireParts operator()(const bracha::Floor& m) const {
    Writer w;
    w.u8(kFloor).u16(m.origin.value).u64(m.number).u8(m.asks ? 1 : 0);
    return {Bytes::from(w.take()), {}};
  }
};

std::optional<Bracha::Message> decode_statement(const bracha::Instance& instance, Reader& in) {
  const std::uint8_t counter = in.u8();
  const std::uint8_t repeated = in.u8();
  const Digest digest = in.digest();
  if (counter > bracha::kReadied || repeated > 1) return std::nullopt;
  return bracha::Statement{instance, static_cast<bracha::Counter>(counter), digest, repeated == 1};
}

}  // namespace

WireParts encode(const Bracha::Message& message) {
  return std::visit(Encoder{}, message);
}

std::optional<Bracha::Message> decode_bracha(const WireParts& parts, const Committee& committee) {
  Reader in(parts.control.view());
  const std::uint8_t kind = in.u8();
  const NodeId origin{in.u16()};
  const bracha::Instance instance{origin, in.u64()};
  if (!committee.contains(origin)) return std::nullopt;
  std::optional<Bracha::Message> out;
  if (kind == kInit) out = bracha::Init{instance, parts.payload};
  if (kind == kStatement) out = decode_statement(instance, in);
  if (kind == kWant || kind == kFloor) {
    const std::uint8_t flag = in.u8();
    if (flag > 1) return std::nullopt;
    if (kind == kWant) out = bracha::Want{instance, flag == 1};
    if (kind == kFloor) out = bracha::Floor{origin, instance.number, flag == 1};
  }
  if (kind == kGive) out = bracha::Give{instance, parts.payload};
  const bool carries = kind == kInit || kind == kGive;
  if (!in.done() || (!carries && !parts.payload.empty())) return std::nullopt;
  return out;
}

}  // namespace thresher
