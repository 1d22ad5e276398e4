#include "thresher/net/codec.hpp"

#include "thresher/crypto/sha256.hpp"

namespace thresher::net {
namespace {

constexpr std::uint32_t kMaxItems = 4096;

dag::Payload payload_of(const Bytes& bytes) {
  if (bytes.empty()) return {};
  return {bytes, crypto::sha256(bytes.view())};
}

Frame frame_of(FrameKind kind, Writer& control, Bytes payload = {}) {
  return {kind, Bytes::from(control.take()), std::move(payload)};
}

struct Encoder {
  Frame operator()(const dag::Push& m) const {
    Writer w;
    encode_header(*m.block, w);
    return frame_of(kPush, w, m.block->payload.bytes);
  }
  Frame operator()(const dag::Want& m) const {
    Writer w;
    w.u32(static_cast<std::uint32_t>(m.blocks.size()));
    for (const dag::Edge& e : m.blocks) {
      w.u16(e.author.value).u64(e.round.value).bytes(e.digest.bytes);
    }
    return frame_of(kWant, w);
  }
  Frame operator()(const dag::WantRound& m) const {
    Writer w;
    w.u64(m.round.value).u32(m.have.size());
    m.have.for_each([&](NodeId id) { w.u16(id.value); });
    return frame_of(kWantRound, w);
  }
  Frame operator()(const dag::WantEvidence& m) const {
    Writer w;
    w.u64(m.slot.value).bytes(m.leader.bytes);
    return frame_of(kWantEvidence, w);
  }
  Frame operator()(const dag::Give& m) const {
    Writer w;
    std::vector<std::byte> payload;
    w.u32(static_cast<std::uint32_t>(m.blocks.size()));
    for (const dag::BlockPtr& b : m.blocks) {
      const ByteView bytes = b->payload.bytes.view();
      w.u32(static_cast<std::uint32_t>(bytes.size()));
      encode_header(*b, w);
      payload.insert(payload.end(), bytes.begin(), bytes.end());
    }
    return frame_of(kGive, w, Bytes::from(std::move(payload)));
  }
  Frame operator()(const coin::Share& m) const {
    Writer w;
    coin::encode_share(m, w);
    return frame_of(kCoinShare, w);
  }
};

Result<dag::Message> decode_want(Reader& in) {
  const std::uint32_t count = in.u32();
  if (count > kMaxItems || in.remaining() != std::size_t{count} * 42) return Errc::kMalformed;
  dag::Want want;
  for (std::uint32_t i = 0; i < count; ++i) {
    const NodeId author{in.u16()};
    const Round round{in.u64()};
    want.blocks.push_back({author, round, in.digest()});
  }
  if (!in.done()) return Errc::kMalformed;
  return dag::Message{std::move(want)};
}

Result<dag::Message> decode_want_round(Reader& in, std::uint32_t n) {
  dag::WantRound want{Round{in.u64()}, NodeSet(n)};
  const std::uint32_t count = in.u32();
  if (count > n || in.remaining() != std::size_t{count} * 2) return Errc::kMalformed;
  NodeId last{};
  for (std::uint32_t i = 0; i < count; ++i) {
    const NodeId id{in.u16()};
    if (id.value >= n || (i > 0 && id <= last)) return Errc::kMalformed;
    want.have.insert(last = id);
  }
  if (!in.done()) return Errc::kMalformed;
  return dag::Message{std::move(want)};
}

Result<dag::Message> decode_give(const Frame& frame, Reader& in, const ChainContext& chain,
                                 std::uint32_t n) {
  const std::uint32_t count = in.u32();
  if (count > kMaxItems) return Errc::kMalformed;
  dag::Give give;
  std::size_t offset = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t size = in.u32();
    if (!in.ok() || size > frame.payload.size() - offset) return Errc::kMalformed;
    const dag::Payload payload = payload_of(frame.payload.slice(offset, size));
    offset += size;
    auto block = decode_header(in, payload, chain, n);
    if (!block) return Errc::kMalformed;
    give.blocks.push_back(std::move(*block));
  }
  if (!in.done() || offset != frame.payload.size()) return Errc::kMalformed;
  return dag::Message{std::move(give)};
}

}  // namespace

Frame encode(const dag::Message& message) {
  return std::visit(Encoder{}, message);
}

Result<dag::Message> decode(const Frame& frame, const ChainContext& chain, std::uint32_t n) {
  Reader in(frame.control.view());
  switch (frame.kind) {
    case kPush: {
      auto block = decode_header(in, payload_of(frame.payload), chain, n);
      if (!block || !in.done()) return Errc::kMalformed;
      return dag::Message{dag::Push{std::move(*block)}};
    }
    case kWant:
      return decode_want(in);
    case kWantRound:
      return decode_want_round(in, n);
    case kWantEvidence: {
      dag::WantEvidence want{Round{in.u64()}, in.digest()};
      if (!in.done()) return Errc::kMalformed;
      return dag::Message{want};
    }
    case kGive:
      return decode_give(frame, in, chain, n);
    case kCoinShare: {
      const auto share = coin::decode_share(in);
      if (!share || !in.done()) return Errc::kMalformed;
      return dag::Message{*share};
    }
    default:
      return Errc::kMalformed;
  }
}

}  // namespace thresher::net
