#include "thresher/protocols/order/pbft_wire.hpp"

#include "thresher/core/transcript.hpp"
#include "thresher/protocols/broadcast/bracha_wire.hpp"

namespace thresher {
namespace {

enum Kind : std::uint8_t {
  kPrePrepare,
  kVote,
  kNewView,
  kForward,
  kCheckpoint,
  kWant,
  kOrdered,
  kBroadcast,  ///< one of Bracha's messages follows
  kFetch,
  kFetched,
  kOffer,
  kAsk,
};

WireParts parts_of(Writer& control, Bytes payload = {}) {
  return {Bytes::from(control.take()), std::move(payload)};
}

struct Encoder {
  WireParts operator()(const pbft::PrePrepare& m) const {
    return parts_of(Writer().u8(kPrePrepare).u64(m.view).u64(m.slot), m.value);
  }
  WireParts operator()(const pbft::Vote& m) const {
    return parts_of(Writer().u8(kVote).u64(m.view).u64(m.slot).u8(m.phase).bytes(m.digest.bytes));
  }
  WireParts operator()(const pbft::NewView& m) const {
    Writer w;
    w.u8(kNewView).u64(m.view).u16(static_cast<std::uint16_t>(m.from.size()));
    for (const NodeId id : m.from) w.u16(id.value);
    return parts_of(w);
  }
  WireParts operator()(const pbft::Forward& m) const {
    return parts_of(Writer().u8(kForward).u8(m.urgent ? 1 : 0), m.value);
  }
  WireParts operator()(const pbft::Checkpoint& m) const {
    return parts_of(Writer().u8(kCheckpoint).u64(m.view).u64(m.delivered));
  }
  WireParts operator()(const pbft::Want& m) const {
    return parts_of(Writer().u8(kWant).u64(m.view).u64(m.slot));
  }
  WireParts operator()(const pbft::Ordered& m) const {
    return parts_of(Writer().u8(kOrdered).u64(m.slot).bytes(m.digest.bytes));
  }
  WireParts operator()(const pbft::Fetch& m) const {
    return parts_of(Writer().u8(kFetch).u64(m.slot).bytes(m.digest.bytes));
  }
  WireParts operator()(const pbft::Fetched& m) const {
    return parts_of(Writer().u8(kFetched).u64(m.slot), m.value);
  }
  WireParts operator()(const pbft::Offer& m) const {
    return parts_of(Writer().u8(kOffer).u8(m.urgent ? 1 : 0).bytes(m.digest.bytes));
  }
  WireParts operator()(const pbft::Ask& m) const {
    return parts_of(Writer().u8(kAsk).u8(m.urgent ? 1 : 0).bytes(m.digest.bytes));
  }
  WireParts operator()(const Bracha::Message& m) const {
    const WireParts inner = encode(m);
    return parts_of(Writer().u8(kBroadcast).bytes(inner.control.view()), inner.payload);
  }
};

std::optional<Pbft::Message> decode_vote(Reader& in) {
  const std::uint64_t view = in.u64();
  const std::uint64_t slot = in.u64();
  const std::uint8_t phase = in.u8();
  if (phase > pbft::kCommit) return std::nullopt;
  return pbft::Vote{view, slot, in.digest(), static_cast<pbft::Phase>(phase)};
}

std::optional<Pbft::Message> decode_new_view(Reader& in, const Committee& committee) {
  pbft::NewView m{in.u64(), {}};
  const std::uint16_t count = in.u16();
  if (count > committee.size()) return std::nullopt;
  for (std::uint16_t i = 0; i < count; ++i) {
    m.from.push_back(NodeId{in.u16()});
    if (!committee.contains(m.from.back())) return std::nullopt;
  }
  return m;
}

}  // namespace

WireParts encode(const Pbft::Message& message) {
  return std::visit(Encoder{}, message);
}

std::optional<Pbft::Message> decode_pbft(const WireParts& parts, const Committee& committee) {
  Reader in(parts.control.view());
  const std::uint8_t kind = in.u8();
  std::optional<Pbft::Message> out;
  bool carries = false;
  const auto number = [&in] { return in.u64(); };
  if (kind == kBroadcast && in.ok()) {
    const Bytes inner = parts.control.slice(1, parts.control.size() - 1);
    auto m = decode_bracha({inner, parts.payload}, committee);
    if (!m) return std::nullopt;
    return Pbft::Message(std::move(*m));
  }
  if (kind == kPrePrepare || kind == kForward || kind == kFetched) carries = true;
  if (kind == kPrePrepare) {
    const std::uint64_t view = number();
    out = pbft::PrePrepare{view, number(), parts.payload};
  }
  if (kind == kVote) out = decode_vote(in);
  if (kind == kNewView) out = decode_new_view(in, committee);
  if (kind == kForward) {
    const std::uint8_t urgent = in.u8();
    if (urgent > 1) return std::nullopt;
    out = pbft::Forward{parts.payload, urgent == 1};
  }
  if (kind == kCheckpoint) {
    const std::uint64_t view = number();
    out = pbft::Checkpoint{view, number()};
  }
  if (kind == kWant) {
    const std::uint64_t view = number();
    out = pbft::Want{view, number()};
  }
  if (kind == kFetch) {
    const std::uint64_t slot = number();
    out = pbft::Fetch{slot, in.digest()};
  }
  if (kind == kOffer || kind == kAsk) {
    const std::uint8_t urgent = in.u8();
    if (urgent > 1) return std::nullopt;
    if (kind == kOffer) out = pbft::Offer{in.digest(), urgent == 1};
    if (kind == kAsk) out = pbft::Ask{in.digest(), urgent == 1};
  }
  if (kind == kFetched) out = pbft::Fetched{number(), parts.payload};
  if (kind == kOrdered) {
    const std::uint64_t slot = number();
    out = pbft::Ordered{slot, in.digest()};
  }
  if (!in.done() || (!carries && !parts.payload.empty())) return std::nullopt;
  return out;
}

}  // namespace thresher
