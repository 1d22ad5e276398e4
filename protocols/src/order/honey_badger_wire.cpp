#include "thresher/protocols/order/honey_badger_wire.hpp"

#include <algorithm>

#include "thresher/core/transcript.hpp"
#include "thresher/protocols/agreement/common_subset_wire.hpp"

namespace thresher {
namespace {

using namespace honey_badger;  // NOLINT(google-build-using-namespace): the protocol's own words

// Below are the common subset's, whose messages travel as they are.
enum Kind : std::uint8_t { kForward = 2, kStatus, kDecided, kReveal };

struct Encoder {
  WireParts operator()(const Subset::Message& m) const { return encode(m); }
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
  if (kind < kForward) {
    auto m = decode_common_subset(parts, committee);
    return m ? std::optional<HoneyBadger::Message>(std::move(*m)) : std::nullopt;
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
