#include "thresher/protocols/broadcast/signed_wire.hpp"

#include <algorithm>
#include <limits>

#include "certificate_bytes.hpp"

namespace thresher {
namespace {

using namespace signed_broadcast;  // NOLINT(google-build-using-namespace): the protocol's own words

enum Kind : std::uint8_t { kPropose, kVote, kCertificate, kWant, kGive, kHave };
enum Flag : std::uint8_t { kAsksCertificate = 1, kAsksPayload = 2 };

Writer begin(Kind kind, const Instance& i) {
  Writer w;
  w.u8(kind).u16(i.origin.value).u64(i.number);
  return w;
}

struct Encoder {
  WireParts operator()(const Propose& m) const {
    return {Bytes::from(begin(kPropose, m.instance).take()), m.payload};
  }
  WireParts operator()(const Vote& m) const {
    Writer w = begin(kVote, m.instance);
    w.bytes(m.digest.bytes).bytes(m.signature);
    return {Bytes::from(w.take()), {}};
  }
  WireParts operator()(const Certificate& m) const {
    Writer w = begin(kCertificate, m.instance);
    w.bytes(m.digest.bytes);
    broadcast::write_list(w, *m.list);
    return {Bytes::from(w.take()), {}};
  }
  WireParts operator()(const Want& m) const {
    Writer w = begin(kWant, m.instance);
    w.u8(static_cast<std::uint8_t>((m.certificate ? kAsksCertificate : 0) |
                                   (m.payload ? kAsksPayload : 0)));
    return {Bytes::from(w.take()), {}};
  }
  WireParts operator()(const Give& m) const {
    return {Bytes::from(begin(kGive, m.instance).take()), m.payload};
  }
  // Numbers above are written by their distance, which a window bounds.
  WireParts operator()(const Have& m) const {
    Writer w;
    w.u8(kHave).u8(m.asks ? 1 : 0).u16(static_cast<std::uint16_t>(m.origins.size()));
    for (const Progress& p : m.origins) {
      const auto far = std::find_if(p.above.begin(), p.above.end(), [&](std::uint64_t k) {
        return k - p.below > std::numeric_limits<std::uint16_t>::max();
      });
      w.u16(p.origin.value).u64(p.floor).u64(p.below);
      w.u16(static_cast<std::uint16_t>(far - p.above.begin()));
      for (auto k = p.above.begin(); k != far; ++k) w.u16(static_cast<std::uint16_t>(*k - p.below));
    }
    return {Bytes::from(w.take()), {}};
  }
};

std::optional<Progress> read_progress(Reader& in, const Committee& committee) {
  Progress p{NodeId{in.u16()}, in.u64(), in.u64(), {}};
  const std::uint16_t above = in.u16();
  if (!committee.contains(p.origin) || in.remaining() < above * sizeof(std::uint16_t))
    return std::nullopt;
  std::uint64_t last = p.below;
  for (std::uint16_t k = 0; k < above; ++k) {
    const std::uint64_t number = p.below + in.u16();
    if (number <= last) return std::nullopt;
    p.above.push_back(number);
    last = number;
  }
  return p;
}

std::optional<SignedBroadcast::Message> read_have(Reader& in, const Committee& committee) {
  const std::uint8_t asks = in.u8();
  const std::uint16_t size = in.u16();
  if (asks > 1 || size > committee.size()) return std::nullopt;
  Have have{.origins = {}, .asks = asks == 1};
  for (std::uint16_t k = 0; k < size; ++k) {
    auto p = read_progress(in, committee);
    if (!p) return std::nullopt;
    have.origins.push_back(std::move(*p));
  }
  return have;
}

Signature read_signature(Reader& in) {
  Signature out{};
  const ByteView bytes = in.bytes(out.size());
  std::copy(bytes.begin(), bytes.end(), out.begin());
  return out;
}

std::optional<SignedBroadcast::Message> read_one(Kind kind, Reader& in, const Bytes& payload,
                                                 const Committee& committee) {
  const NodeId origin{in.u16()};
  const Instance i{origin, in.u64()};
  if (!committee.contains(origin)) return std::nullopt;
  switch (kind) {
    case kPropose:
      return Propose{i, payload};
    case kVote: {
      const Digest digest = in.digest();
      return Vote{i, digest, read_signature(in)};
    }
    case kCertificate: {
      const Digest digest = in.digest();
      auto list = broadcast::read_list(in, committee.size());
      if (!list) return std::nullopt;
      return Certificate{i, digest, std::make_shared<const SignatureList>(std::move(*list))};
    }
    case kWant: {
      const std::uint8_t flags = in.u8();
      if (flags > (kAsksCertificate | kAsksPayload)) return std::nullopt;
      return Want{i, (flags & kAsksCertificate) != 0, (flags & kAsksPayload) != 0};
    }
    case kGive:
      return Give{i, payload};
    case kHave:
      break;
  }
  return std::nullopt;
}

}  // namespace

WireParts encode(const SignedBroadcast::Message& message) {
  return std::visit(Encoder{}, message);
}

std::optional<SignedBroadcast::Message> decode_signed(const WireParts& parts,
                                                      const Committee& committee) {
  Reader in(parts.control.view());
  const std::uint8_t kind = in.u8();
  if (kind > kHave) return std::nullopt;
  auto out = kind == kHave ? read_have(in, committee)
                           : read_one(static_cast<Kind>(kind), in, parts.payload, committee);
  const bool carries = kind == kPropose || kind == kGive;
  if (!in.done() || (!carries && !parts.payload.empty())) return std::nullopt;
  return out;
}

}  // namespace thresher
