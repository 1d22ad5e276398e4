#include "thresher/protocols/broadcast/chained_wire.hpp"

#include <utility>

namespace thresher {
namespace {

using namespace chained_echo;  // NOLINT(google-build-using-namespace): the protocol's own words

enum Kind : std::uint8_t { kExtend, kStatus, kTrace, kPath, kWant, kGive, kFloor, kDelivered };
enum Flag : std::uint8_t { kFlush = 1, kAsks = 1, kOwnHash = 2 };

Writer begin(Kind kind, NodeId origin) {
  Writer w;
  w.u8(kind).u16(origin.value);
  return w;
}
Writer& put(Writer& w, const Head& head) {
  return w.u64(head.count).bytes(head.hash.bytes);
}
WireParts parts(Writer& w, Bytes payload = {}) {
  return {Bytes::from(w.take()), std::move(payload)};
}

struct Encoder {
  WireParts operator()(const Extend& m) const {
    Writer w = begin(kExtend, m.instance.origin);
    w.u64(m.instance.number).u8(m.flush ? kFlush : 0);
    return parts(w, m.payload);
  }
  WireParts operator()(const Status& m) const {
    const bool own = !m.ready.hash.is_zero();
    Writer w = begin(kStatus, m.origin);
    w.u8(static_cast<std::uint8_t>((m.asks ? kAsks : 0) | (own ? kOwnHash : 0)));
    put(w, m.echoed).u64(m.ready.count);
    if (own) w.bytes(m.ready.hash.bytes);
    return parts(w);
  }
  WireParts operator()(const Trace& m) const {
    Writer w = begin(kTrace, m.origin);
    put(put(w, m.from), m.to);
    return parts(w);
  }
  WireParts operator()(const Path& m) const {
    Writer w = begin(kPath, m.origin);
    put(w, m.from).u32(static_cast<std::uint32_t>(m.payloads.size()));
    for (const Digest& d : m.payloads) w.bytes(d.bytes);
    return parts(w);
  }
  WireParts operator()(const Want& m) const {
    Writer w = begin(kWant, m.origin);
    put(w, m.head);
    return parts(w);
  }
  WireParts operator()(const Give& m) const {
    Writer w = begin(kGive, m.origin);
    put(w, m.head);
    return parts(w, m.payload);
  }
  WireParts operator()(const Floor& m) const {
    Writer w = begin(kFloor, m.origin);
    put(w, m.head);
    return parts(w);
  }
  WireParts operator()(const Delivered& m) const {
    Writer w = begin(kDelivered, m.origin);
    put(w, m.head);
    return parts(w);
  }
};

Head read_head(Reader& in) {
  const std::uint64_t count = in.u64();
  return {count, in.digest()};
}

std::optional<ChainedEcho::Message> read_status(Reader& in, NodeId origin) {
  const std::uint8_t flags = in.u8();
  if (flags > (kAsks | kOwnHash)) return std::nullopt;
  const Head echoed = read_head(in);
  Head ready{in.u64(), {}};
  const bool own = (flags & kOwnHash) != 0;
  if (own) ready.hash = in.digest();
  if (own && ready.hash.is_zero()) return std::nullopt;
  return Status{origin, echoed, ready, (flags & kAsks) != 0};
}

std::optional<ChainedEcho::Message> read_path(Reader& in, NodeId origin) {
  Path path{origin, read_head(in), {}};
  const std::uint32_t size = in.u32();
  if (in.remaining() != std::uint64_t{size} * sizeof(Digest)) return std::nullopt;
  for (std::uint32_t k = 0; k < size; ++k) path.payloads.push_back(in.digest());
  return path;
}

std::optional<ChainedEcho::Message> read_one(Kind kind, Reader& in, NodeId origin,
                                             const Bytes& payload) {
  switch (kind) {
    case kExtend: {
      const std::uint64_t number = in.u64();
      const std::uint8_t flags = in.u8();
      if (flags > kFlush) return std::nullopt;
      return Extend{{origin, number}, payload, flags == kFlush};
    }
    case kStatus:
      return read_status(in, origin);
    case kTrace: {
      const Head from = read_head(in);
      return Trace{origin, from, read_head(in)};
    }
    case kPath:
      return read_path(in, origin);
    case kWant:
      return Want{origin, read_head(in)};
    case kGive:
      return Give{origin, read_head(in), payload};
    case kFloor:
      return Floor{origin, read_head(in)};
    case kDelivered:
      return Delivered{origin, read_head(in)};
  }
  return std::nullopt;
}

}  // namespace

WireParts encode(const ChainedEcho::Message& message) {
  return std::visit(Encoder{}, message);
}

std::optional<ChainedEcho::Message> decode_chained(const WireParts& parts,
                                                   const Committee& committee) {
  Reader in(parts.control.view());
  const std::uint8_t kind = in.u8();
  const NodeId origin{in.u16()};
  if (kind > kDelivered || !committee.contains(origin)) return std::nullopt;
  auto out = read_one(static_cast<Kind>(kind), in, origin, parts.payload);
  const bool carries = kind == kExtend || kind == kGive;
  if (!in.done() || (!carries && !parts.payload.empty())) return std::nullopt;
  return out;
}

}  // namespace thresher
