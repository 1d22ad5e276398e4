#include "thresher/protocols/order/leader_chain_wire.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "../broadcast/certificate_bytes.hpp"
#include "../kept_slice.hpp"

namespace thresher {
namespace {

using namespace leader_chain;  // NOLINT(google-build-using-namespace): the protocol's own words

enum Tag : std::uint8_t {
  kPropose,
  kVote,
  kCertificate,
  kForward,
  kWant,
  kStatus,
  kWantBlock,
  kGive,
  kDecided,
  kOffer,
  kAsk,
  kOrdered,
  kFetch
};

WireParts parts_of(Writer& control, Bytes payload = {}) {
  return {Bytes::from(control.take()), std::move(payload)};
}

// The payloads of a block travel one behind the other; a single one is not copied.
Bytes joined(const std::vector<Bytes>& values) {
  if (values.size() == 1) return values.front();
  Writer all;
  for (const Bytes& value : values) all.bytes(value.view());
  return Bytes::from(all.take());
}

void write(Writer& w, const Block& b) {
  w.u64(b.view).u64(b.parent.view).bytes(b.parent.digest.bytes).u64(b.first);
  w.u16(static_cast<std::uint16_t>(b.values.size()));
  for (const Bytes& value : b.values) w.u32(static_cast<std::uint32_t>(value.size()));
}

void write(Writer& w, const Certificate& c) {
  w.u8(static_cast<std::uint8_t>(c.kind)).u64(c.view).bytes(c.digest.bytes);
  broadcast::write_list(w, *c.list);
}

struct Encoder {
  WireParts operator()(const Propose& m) const {
    Writer w;
    w.u8(kPropose);
    write(w, m.block);
    w.u8(m.parent ? 1 : 0).u8(static_cast<std::uint8_t>(m.skips.size()));
    if (m.parent) write(w, *m.parent);
    for (const Certificate& c : m.skips) write(w, c);
    return parts_of(w, joined(m.block.values));
  }
  WireParts operator()(const Vote& m) const {
    Writer w;
    w.u8(kVote).u8(static_cast<std::uint8_t>(m.kind)).u64(m.view).bytes(m.digest.bytes);
    return parts_of(w.bytes(m.signature));
  }
  WireParts operator()(const Certificate& m) const {
    Writer w;
    w.u8(kCertificate);
    write(w, m);
    return parts_of(w);
  }
  WireParts operator()(const Forward& m) const {
    return parts_of(Writer().u8(kForward).u8(m.urgent ? 1 : 0), m.value);
  }
  WireParts operator()(const Want& m) const {
    return parts_of(Writer().u8(kWant).u64(m.view).u64(m.slot));
  }
  WireParts operator()(const Status& m) const {
    return parts_of(Writer().u8(kStatus).u64(m.view).u64(m.delivered));
  }
  WireParts operator()(const WantBlock& m) const {
    return parts_of(Writer().u8(kWantBlock).u64(m.block.view).bytes(m.block.digest.bytes));
  }
  WireParts operator()(const Give& m) const {
    Writer w;
    w.u8(kGive);
    write(w, m.block);
    return parts_of(w, joined(m.block.values));
  }
  WireParts operator()(const Decided& m) const {
    return parts_of(Writer().u8(kDecided).u64(m.slot), m.value);
  }
  WireParts operator()(const Ordered& m) const {
    return parts_of(Writer().u8(kOrdered).u64(m.slot).bytes(m.digest.bytes));
  }
  WireParts operator()(const Fetch& m) const {
    return parts_of(Writer().u8(kFetch).u64(m.slot).bytes(m.digest.bytes));
  }
  WireParts operator()(const Offer& m) const {
    return parts_of(Writer().u8(kOffer).u8(m.urgent ? 1 : 0).bytes(m.digest.bytes));
  }
  WireParts operator()(const Ask& m) const {
    return parts_of(Writer().u8(kAsk).u8(m.urgent ? 1 : 0).bytes(m.digest.bytes));
  }
};

using Decoded = std::optional<LeaderChain::Message>;

std::optional<Block> read_block(Reader& in, const WireParts& parts) {
  Block b;
  b.view = in.u64();
  b.parent.view = in.u64();
  b.parent.digest = in.digest();
  b.first = in.u64();
  const std::uint16_t count = in.u16();
  if (in.remaining() < count * sizeof(std::uint32_t)) return std::nullopt;
  std::size_t at = 0;
  for (std::uint16_t k = 0; k < count; ++k) {
    const std::uint32_t size = in.u32();
    if (size > parts.payload.size() - at) return std::nullopt;
    b.values.push_back(kept_slice(parts, at, size));
    at += size;
  }
  return in.ok() && at == parts.payload.size() ? std::optional(std::move(b)) : std::nullopt;
}

std::optional<Kind> read_kind(Reader& in) {
  const std::uint8_t kind = in.u8();
  return kind < kKinds ? std::optional(static_cast<Kind>(kind)) : std::nullopt;
}

std::optional<Certificate> read_certificate(Reader& in, const Committee& committee) {
  const auto kind = read_kind(in);
  if (!kind || *kind == Kind::kFinalize) return std::nullopt;
  Certificate c{*kind, in.u64(), {}, nullptr};
  c.digest = in.digest();
  auto list = broadcast::read_list(in, committee.size());
  if (!list) return std::nullopt;
  c.list = std::make_shared<const SignatureList>(std::move(*list));
  return c;
}

Decoded read_propose(Reader& in, const WireParts& parts, const Committee& committee) {
  auto block = read_block(in, parts);
  if (!block) return std::nullopt;
  Propose m{std::move(*block), {}, {}};
  const std::uint8_t has_parent = in.u8();
  const std::uint8_t skips = in.u8();
  if (has_parent > 1 || skips > kSkips) return std::nullopt;
  if (has_parent == 1) {
    m.parent = read_certificate(in, committee);
    if (!m.parent) return std::nullopt;
  }
  for (std::uint8_t k = 0; k < skips; ++k) {
    auto c = read_certificate(in, committee);
    if (!c) return std::nullopt;
    m.skips.push_back(std::move(*c));
  }
  return m;
}

Decoded read_vote(Reader& in) {
  const auto kind = read_kind(in);
  if (!kind) return std::nullopt;
  Vote m{*kind, in.u64(), {}, {}};
  m.digest = in.digest();
  const ByteView bytes = in.bytes(m.signature.size());
  std::copy(bytes.begin(), bytes.end(), m.signature.begin());
  return m;
}

Decoded read_certified(Reader& in, const Committee& committee) {
  auto c = read_certificate(in, committee);
  return c ? Decoded(std::move(*c)) : std::nullopt;
}

Decoded read_small(Tag tag, Reader& in, const Bytes& payload) {
  if (tag == kForward) {
    const std::uint8_t urgent = in.u8();
    return urgent > 1 ? std::nullopt : Decoded(Forward{payload, urgent == 1});
  }
  if (tag == kOffer || tag == kAsk) {
    const std::uint8_t urgent = in.u8();
    if (urgent > 1) return std::nullopt;
    const Digest digest = in.digest();
    return tag == kOffer ? Decoded(Offer{digest, urgent == 1}) : Ask{digest, urgent == 1};
  }
  const std::uint64_t first = in.u64();
  if (tag == kDecided) return Decided{first, payload};
  if (tag == kOrdered) return Ordered{first, in.digest()};
  if (tag == kFetch) return Fetch{first, in.digest()};
  if (tag == kWantBlock) return WantBlock{{first, in.digest()}};
  const std::uint64_t second = in.u64();
  if (tag == kWant) return Want{first, second};
  return Status{first, second};
}

Decoded read_give(Reader& in, const WireParts& parts) {
  auto block = read_block(in, parts);
  return block ? Decoded(Give{std::move(*block)}) : std::nullopt;
}

}  // namespace

WireParts encode(const LeaderChain::Message& message) {
  return std::visit(Encoder{}, message);
}

std::optional<LeaderChain::Message> decode_leader_chain(const WireParts& parts,
                                                        const Committee& committee) {
  Reader in(parts.control.view());
  const std::uint8_t tag = in.u8();
  if (!in.ok() || tag > kFetch) return std::nullopt;
  const bool carries = tag == kPropose || tag == kForward || tag == kGive || tag == kDecided;
  if (!carries && !parts.payload.empty()) return std::nullopt;
  Decoded out;
  switch (static_cast<Tag>(tag)) {
    case kPropose:
      out = read_propose(in, parts, committee);
      break;
    case kVote:
      out = read_vote(in);
      break;
    case kCertificate:
      out = read_certified(in, committee);
      break;
    case kGive:
      out = read_give(in, parts);
      break;
    case kForward:
    case kWant:
    case kStatus:
    case kWantBlock:
    case kDecided:
    case kOffer:
    case kAsk:
    case kOrdered:
    case kFetch:
      out = read_small(static_cast<Tag>(tag), in, parts.payload);
      break;
  }
  return in.done() ? std::move(out) : std::nullopt;
}

}  // namespace thresher
