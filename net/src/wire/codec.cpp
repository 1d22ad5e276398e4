#include "thresher/net/codec.hpp"

#include "thresher/net/payload_root.hpp"
#include "thresher/net/wire.hpp"
#include "thresher/protocols/payload_limit.hpp"

namespace thresher::net {
namespace {

dag::Payload payload_of(const Bytes& bytes, const RootOf& root_of) {
  if (bytes.empty()) return {};
  return {bytes, root_of(bytes.view())};
}

Bytes header_of(const dag::Block& block) {
  Writer w;
  encode_header(block, w);
  return Bytes::from(w.take());
}

/// Blocks one after another, their payloads beside them.
Frame carry(FrameKind kind, const std::vector<dag::BlockPtr>& blocks) {
  wire::Give give;
  std::vector<std::byte> payload;
  for (const dag::BlockPtr& b : blocks) {
    const ByteView bytes = b->payload.bytes.view();
    give.blocks.push_back({static_cast<std::uint32_t>(bytes.size()), header_of(*b)});
    payload.insert(payload.end(), bytes.begin(), bytes.end());
  }
  return {kind, wire::encode(give), Bytes::from(std::move(payload))};
}

struct Encoder {
  Frame operator()(const dag::Push& m) const {
    if (m.attached.empty()) return {kPush, header_of(*m.block), m.block->payload.bytes};
    std::vector<dag::BlockPtr> all{m.block};
    all.insert(all.end(), m.attached.begin(), m.attached.end());
    return carry(kPushWith, all);
  }
  Frame operator()(const dag::Want& m) const { return {kWant, wire::encode(m), {}}; }
  Frame operator()(const dag::WantRound& m) const { return {kWantRound, wire::encode(m), {}}; }
  Frame operator()(const dag::WantEvidence& m) const {
    return {kWantEvidence, wire::encode(m), {}};
  }
  Frame operator()(const dag::Give& m) const { return carry(kGive, m.blocks); }
  Frame operator()(const dag::Evidence& m) const {
    wire::Evidence out{m.slot, m.leader, {}};
    for (const dag::BlockPtr& b : m.headers) out.headers.push_back(header_of(*b));
    return {kEvidence, wire::encode(out), {}};
  }
  Frame operator()(const dag::Equivocation& m) const {
    return {kEquivocation,
            wire::encode(wire::Equivocation{header_of(*m.first), header_of(*m.second)}),
            {}};
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

Result<std::vector<dag::BlockPtr>> carried(const Frame& frame, const ChainContext& chain,
                                           std::uint32_t n, const RootOf& root_of) {
  const auto in = wire::decode<wire::Give>(frame.control.view());
  if (!in) return Errc::kMalformed;
  std::vector<dag::BlockPtr> out;
  std::size_t offset = 0;
  for (const wire::CarriedBlock& b : in->blocks) {
    if (b.payload_bytes > frame.payload.size() - offset || b.payload_bytes > kMostPayloadBytes)
      return Errc::kMalformed;
    const dag::Payload payload = payload_of(kept_part(frame, offset, b.payload_bytes), root_of);
    offset += b.payload_bytes;
    Reader header(b.header.view());
    auto block = decode_header(header, payload, chain, n);
    if (!block || !header.done()) return Errc::kMalformed;
    out.push_back(std::move(*block));
  }
  if (offset != frame.payload.size()) return Errc::kMalformed;
  return out;
}

Result<dag::Message> decode_evidence(ByteView control, const ChainContext& chain, std::uint32_t n) {
  const auto in = wire::decode<wire::Evidence>(control);
  // What proves a KILL may have two headers of an author; the protocol knows where it may not.
  if (!in || in->headers.size() > 2 * std::size_t{n}) return Errc::kMalformed;
  dag::Evidence out{in->slot, in->leader, {}};
  for (const Bytes& bytes : in->headers) {
    Reader header(bytes.view());
    auto block = dag::decode_slim(header, chain, n);
    if (!block || !header.done()) return Errc::kMalformed;
    out.headers.push_back(std::move(*block));
  }
  return dag::Message{std::move(out)};
}

Result<dag::Message> decode_equivocation(ByteView control, const ChainContext& chain,
                                         std::uint32_t n) {
  const auto in = wire::decode<wire::Equivocation>(control);
  if (!in) return Errc::kMalformed;
  dag::Equivocation out;
  for (const auto& [bytes, block] :
       {std::pair(&in->first, &out.first), {&in->second, &out.second}}) {
    Reader header(bytes->view());
    auto one = dag::decode_slim(header, chain, n);
    if (!one || !header.done()) return Errc::kMalformed;
    *block = std::move(*one);
  }
  return dag::Message{std::move(out)};
}

// The first of them is the one that is pushed; one block alone has a frame of its own.
Result<dag::Message> pushed_with(std::vector<dag::BlockPtr> blocks) {
  if (blocks.size() < 2) return Errc::kMalformed;
  dag::Push push{std::move(blocks.front()), {}};
  push.attached.assign(std::next(blocks.begin()), blocks.end());
  return dag::Message{std::move(push)};
}

}  // namespace

Bytes kept_part(const Frame& frame, std::size_t offset, std::size_t size) {
  const Bytes part = frame.payload.slice(offset, size);
  const bool most = size >= (frame.control.size() + frame.payload.size()) / 2;
  return most ? part : Bytes::copy_of(part.view());
}

Frame encode(const dag::Message& message) {
  return std::visit(Encoder{}, message);
}

Result<dag::Message> decode(const Frame& frame, const ChainContext& chain, std::uint32_t n) {
  return decode(frame, chain, n, [](ByteView payload) { return payload_root(payload); });
}

Result<dag::Message> decode(const Frame& frame, const ChainContext& chain, std::uint32_t n,
                            const RootOf& root_of) {
  const ByteView control = frame.control.view();
  if (frame.kind == kPush) {
    if (frame.payload.size() > kMostPayloadBytes) return Errc::kMalformed;
    Reader in(control);
    auto block = decode_header(in, payload_of(frame.payload, root_of), chain, n);
    if (!block || !in.done()) return Errc::kMalformed;
    return dag::Message{dag::Push{std::move(*block)}};
  }
  if (frame.kind == kWant) return checked(wire::decode<dag::Want>(control));
  if (frame.kind == kWantRound) return checked(wire::decode_want_round(control, n));
  if (frame.kind == kWantEvidence) return checked(wire::decode<dag::WantEvidence>(control));
  if (frame.kind == kGive || frame.kind == kPushWith) {
    auto blocks = carried(frame, chain, n, root_of);
    if (!blocks) return blocks.error();
    if (frame.kind == kPushWith) return pushed_with(std::move(*blocks));
    return dag::Message{dag::Give{std::move(*blocks)}};
  }
  if (frame.kind == kEvidence) return decode_evidence(control, chain, n);
  if (frame.kind == kEquivocation) return decode_equivocation(control, chain, n);
  if (frame.kind == kCoinShare) {
    Reader in(control);
    const auto share = coin::decode_share(in);
    if (!share || !in.done()) return Errc::kMalformed;
    return dag::Message{*share};
  }
  return Errc::kMalformed;
}

}  // namespace thresher::net
