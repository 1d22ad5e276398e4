#include "thresher/protocols/order/honey_badger_wire.hpp"

#include <algorithm>

#include "thresher/core/transcript.hpp"
#include "thresher/protocols/agreement/rounds_wire.hpp"
#include "thresher/protocols/broadcast/avid_wire.hpp"

namespace thresher {
namespace {

using namespace honey_badger;  // NOLINT(google-build-using-namespace): the protocol's own words

enum Kind : std::uint8_t { kBroadcast, kAgreement, kForward, kStatus, kDecided, kReveal };

WireParts behind(Kind kind, const WireParts& inner) {
  Writer w;
  w.u8(kind).bytes(inner.control.view());
  return {Bytes::from(w.take()), inner.payload};
}

struct Encoder {
  WireParts operator()(const Subset::Message& m) const {
    if (const auto* broadcast = std::get_if<Avid::Message>(&m))
      return behind(kBroadcast, encode(*broadcast));
    return behind(kAgreement, agreement::encode_rounds(std::get<BcaAgreement::Message>(m)));
  }
  WireParts operator()(const Forward& m) const {
    Writer w;
    w.u8(kForward);
    return {Bytes::from(w.take()), m.value};
  }
  WireParts operator()(const Status& m) const {
    Writer w;
    w.u8(kStatus).u64(m.delivered).u64(m.epoch).u64(m.first).u8(m.asks ? 1 : 0);
    return {Bytes::from(w.take()), {}};
  }
  WireParts operator()(const Decided& m) const {
    Writer w;
    w.u8(kDecided).u64(m.slot);
    return {Bytes::from(w.take()), m.value};
  }
  WireParts operator()(const Reveal& m) const {
    Writer w;
    w.u8(kReveal).u64(m.epoch).u8(m.asks ? 1 : 0);
    for (const RevealedShare& s : m.shares) w.u16(s.origin.value).bytes(s.share.bytes);
    return {Bytes::from(w.take()), {}};
  }
};

// At most one share of each node.
std::optional<HoneyBadger::Message> decode_reveal(Reader& in, const Committee& committee) {
  Reveal m{in.u64(), false, {}};
  const std::uint8_t asks = in.u8();
  m.asks = asks == 1;
  while (in.ok() && in.remaining() > 0) {
    RevealedShare s{NodeId{in.u16()}, {}};
    const ByteView share = in.bytes(s.share.bytes.size());
    if (!in.ok() || !committee.contains(s.origin)) return std::nullopt;
    if (!m.shares.empty() && m.shares.back().origin >= s.origin) return std::nullopt;
    std::ranges::copy(share, s.share.bytes.begin());
    m.shares.push_back(s);
  }
  if (!in.done() || asks > 1) return std::nullopt;
  return m;
}

std::optional<HoneyBadger::Message> decode_status(Reader& in) {
  Status m{in.u64(), in.u64(), in.u64(), false};
  const std::uint8_t asks = in.u8();
  m.asks = asks == 1;
  if (!in.done() || asks > 1) return std::nullopt;
  return m;
}

}  // namespace

WireParts encode(const HoneyBadger::Message& message) {
  return std::visit(Encoder{}, message);
}

std::optional<HoneyBadger::Message> decode_honey_badger(const WireParts& parts,
                                                        const Committee& committee) {
  Reader in(parts.control.view());
  const std::uint8_t kind = in.u8();
  if (!in.ok()) return std::nullopt;
  if (kind == kBroadcast || kind == kAgreement) {
    const WireParts inner{parts.control.slice(1, parts.control.size() - 1), parts.payload};
    if (kind == kBroadcast) {
      auto m = decode_avid(inner, committee);
      return m ? std::optional<HoneyBadger::Message>(Subset::Message(std::move(*m))) : std::nullopt;
    }
    auto m = agreement::decode_rounds<BcaAgreement::Message>(inner);
    return m ? std::optional<HoneyBadger::Message>(Subset::Message(std::move(*m))) : std::nullopt;
  }
  if (kind == kStatus) return parts.payload.empty() ? decode_status(in) : std::nullopt;
  if (kind == kReveal) return parts.payload.empty() ? decode_reveal(in, committee) : std::nullopt;
  if (kind == kForward && in.done()) return Forward{parts.payload};
  if (kind == kDecided) {
    const Decided m{in.u64(), parts.payload};
    if (in.done()) return m;
  }
  return std::nullopt;
}

}  // namespace thresher
