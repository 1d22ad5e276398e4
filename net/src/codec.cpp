#include "thresher/net/codec.hpp"

#include "thresher/crypto/sha256.hpp"
#include "thresher/net/wire.hpp"

namespace thresher::net {
namespace {

dag::Payload payload_of(const Bytes& bytes) {
  if (bytes.empty()) return {};
  return {bytes, crypto::sha256(bytes.view())};
}

Bytes header_of(const dag::Block& block) {
  Writer w;
  encode_header(block, w);
  return Bytes::from(w.take());
}

struct Encoder {
  Frame operator()(const dag::Push& m) const {
    return {kPush, header_of(*m.block), m.block->payload.bytes};
  }
  Frame operator()(const dag::Want& m) const { return {kWant, wire::encode(m), {}}; }
  Frame operator()(const dag::WantRound& m) const { return {kWantRound, wire::encode(m), {}}; }
  Frame operator()(const dag::WantEvidence& m) const {
    return {kWantEvidence, wire::encode(m), {}};
  }
  Frame operator()(const dag::Give& m) const {
    wire::Give give;
    std::vector<std::byte> payload;
    for (const dag::BlockPtr& b : m.blocks) {
      const ByteView bytes = b->payload.bytes.view();
      give.blocks.push_back({static_cast<std::uint32_t>(bytes.size()), header_of(*b)});
      payload.insert(payload.end(), bytes.begin(), bytes.end());
    }
    return {kGive, wire::encode(give), Bytes::from(std::move(payload))};
  }
  Frame operator()(const dag::Evidence& m) const {
    wire::Evidence out{m.slot, m.leader, {}};
    for (const dag::BlockPtr& b : m.headers) out.headers.push_back(header_of(*b));
    return {kEvidence, wire::encode(out), {}};
  }
  Frame operator()(const coin::Share& m) const {
    Writer w;
    coin::encode_share(m, w);
    return {kCoinShare, Bytes::from(w.take()), {}};
  }
};

template <class M>
Result<dag::Message> checked(std::optional<M> message) {
  if (!message) return Errc::kMalformed;
  return dag::Message{std::move(*message)};
}

Result<dag::Message> decode_give(const Frame& frame, const ChainContext& chain, std::uint32_t n) {
  const auto in = wire::decode<wire::Give>(frame.control.view());
  if (!in) return Errc::kMalformed;
  dag::Give give;
  std::size_t offset = 0;
  for (const wire::CarriedBlock& b : in->blocks) {
    if (b.payload_bytes > frame.payload.size() - offset) return Errc::kMalformed;
    const dag::Payload payload = payload_of(frame.payload.slice(offset, b.payload_bytes));
    offset += b.payload_bytes;
    Reader header(b.header.view());
    auto block = decode_header(header, payload, chain, n);
    if (!block || !header.done()) return Errc::kMalformed;
    give.blocks.push_back(std::move(*block));
  }
  if (offset != frame.payload.size()) return Errc::kMalformed;
  return dag::Message{std::move(give)};
}

Result<dag::Message> decode_evidence(ByteView control, const ChainContext& chain, std::uint32_t n) {
  const auto in = wire::decode<wire::Evidence>(control);
  if (!in || in->headers.size() > n) return Errc::kMalformed;
  dag::Evidence out{in->slot, in->leader, {}};
  for (const Bytes& bytes : in->headers) {
    Reader header(bytes.view());
    auto block = dag::decode_slim(header, chain, n);
    if (!block || !header.done()) return Errc::kMalformed;
    out.headers.push_back(std::move(*block));
  }
  return dag::Message{std::move(out)};
}

}  // namespace

Frame encode(const dag::Message& message) {
  return std::visit(Encoder{}, message);
}

Result<dag::Message> decode(const Frame& frame, const ChainContext& chain, std::uint32_t n) {
  const ByteView control = frame.control.view();
  switch (frame.kind) {
    case kPush: {
      Reader in(control);
      auto block = decode_header(in, payload_of(frame.payload), chain, n);
      if (!block || !in.done()) return Errc::kMalformed;
      return dag::Message{dag::Push{std::move(*block)}};
    }
    case kWant:
      return checked(wire::decode<dag::Want>(control));
    case kWantRound:
      return checked(wire::decode_want_round(control, n));
    case kWantEvidence:
      return checked(wire::decode<dag::WantEvidence>(control));
    case kGive:
      return decode_give(frame, chain, n);
    case kEvidence:
      return decode_evidence(control, chain, n);
    case kCoinShare: {
      Reader in(control);
      const auto share = coin::decode_share(in);
      if (!share || !in.done()) return Errc::kMalformed;
      return dag::Message{*share};
    }
    default:
      return Errc::kMalformed;
  }
}

}  // namespace thresher::net
