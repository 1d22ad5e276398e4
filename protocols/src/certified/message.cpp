#include "thresher/protocols/certified/message.hpp"

#include <cstddef>
#include <utility>

#include "../kept_slice.hpp"
#include "thresher/protocols/payload_limit.hpp"

namespace thresher::certified {
namespace {

enum Kind : std::uint8_t {
  kBatch,
  kPropose,
  kVote,
  kCertify,
  kWant,
  kWantRound,
  kGive,
  kCoinShare
};

// Payloads are cut from one body by their sizes.
struct BodyWriter {
  std::vector<std::byte> bytes;
  Bytes shared;  // the only payload, when there is just one: not copied
  std::size_t count = 0;

  void add(const Payload& p) {
    if (p.bytes.empty()) return;
    if (count++ == 0) {
      shared = p.bytes;
      return;
    }
    if (count == 2) append(shared);
    append(p.bytes);
  }
  void append(const Bytes& b) { bytes.insert(bytes.end(), b.view().begin(), b.view().end()); }
  Bytes take() { return count < 2 ? shared : Bytes::from(std::move(bytes)); }
};

struct Encoder {
  std::uint32_t n;
  Writer out;
  BodyWriter body;

  void operator()(const Batch& m) { body.add(m.payload); }
  void operator()(const Propose& m) { encode_proposal(*m.proposal, n, out); }
  void operator()(const Vote& m) {
    out.u64(m.round.value).bytes(m.digest.bytes).bytes(m.signature);
  }
  void operator()(const Certify& m) {
    out.u64(m.round.value).bytes(m.digest.bytes);
    encode_certificate(m.certificate, n, out);
  }
  void operator()(const Want& m) {
    out.u16(static_cast<std::uint16_t>(m.vertices.size()));
    for (const Ref& r : m.vertices) out.u16(r.author.value).u64(r.round.value);
    out.u16(static_cast<std::uint16_t>(m.batches.size()));
    for (const Digest& d : m.batches) out.bytes(d.bytes);
  }
  void operator()(const WantRound& m) {
    out.u64(m.round.value).u8(static_cast<std::uint8_t>(m.have.size()));
    for (const NodeSet& have : m.have) encode_set(have, n, out);
  }
  void operator()(const Give& m) {
    out.u16(static_cast<std::uint16_t>(m.vertices.size()));
    for (const VertexPtr& v : m.vertices) {
      out.u32(static_cast<std::uint32_t>(v->payload.bytes.size()));
      encode_vertex(*v, n, out);
      body.add(v->payload);
    }
    out.u16(static_cast<std::uint16_t>(m.batches.size()));
    for (const Payload& p : m.batches) {
      out.u32(static_cast<std::uint32_t>(p.bytes.size()));
      body.add(p);
    }
  }
  void operator()(const coin::Share& m) { coin::encode_share(m, out); }
};

class Decoder {
 public:
  Decoder(const WireParts& parts, const ChainContext& chain, const Shape& shape,
          const Limits& limits, const RootOf& root_of)
      : in_(parts.control.view()),
        parts_(parts),
        chain_(chain),
        shape_(shape),
        limits_(limits),
        root_of_(root_of) {}

  Result<Message> decode() {
    auto message = read(in_.u8());
    if (message && (!in_.done() || taken_ != parts_.payload.size())) return Errc::kMalformed;
    return message;
  }

 private:
  Result<Message> read(std::uint8_t kind) {
    switch (static_cast<Kind>(kind)) {
      case kBatch:
        return batch();
      case kPropose: {
        auto proposal = decode_proposal(in_, chain_, shape_);
        if (!proposal) return Errc::kMalformed;
        return Message(Propose{std::move(*proposal)});
      }
      case kVote: {
        Vote m{Round{in_.u64()}, in_.digest(), {}};
        const ByteView raw = in_.bytes(m.signature.size());
        if (!in_.ok()) return Errc::kMalformed;
        std::copy(raw.begin(), raw.end(), m.signature.begin());
        return Message(m);
      }
      case kCertify: {
        Certify m{Round{in_.u64()}, in_.digest(), {}};
        auto certificate = decode_certificate(in_, shape_);
        if (!certificate) return Errc::kMalformed;
        m.certificate = std::move(*certificate);
        return Message(std::move(m));
      }
      case kWant:
        return want();
      case kWantRound:
        return want_round();
      case kGive:
        return give();
      case kCoinShare:
        return coin_share();
    }
    return Errc::kMalformed;  // a byte that is no kind
  }

  Result<Message> batch() {
    auto payload = cut(parts_.payload.size());
    if (!payload || parts_.payload.empty()) return Errc::kMalformed;
    return Message(Batch{std::move(*payload)});
  }

  Result<Message> want_round() {
    WantRound m{Round{in_.u64()}, {}};
    const std::uint8_t rounds = in_.u8();
    if (rounds > kMostHave) return Errc::kTooLarge;
    for (std::uint8_t i = 0; i < rounds; ++i) {
      auto have = decode_set(in_, shape_.committee.size());
      if (!have) return Errc::kMalformed;
      m.have.push_back(std::move(*have));
    }
    return Message(std::move(m));
  }

  Result<Message> want() {
    Want m;
    const std::uint16_t vertices = in_.u16();
    if (vertices > limits_.give_vertices) return Errc::kTooLarge;
    for (std::uint32_t i = 0; i < vertices && in_.ok(); ++i) {
      const NodeId author{in_.u16()};
      m.vertices.push_back({author, Round{in_.u64()}});
    }
    const std::uint16_t batches = in_.u16();
    if (batches > limits_.give_vertices) return Errc::kTooLarge;
    for (std::uint32_t i = 0; i < batches && in_.ok(); ++i) m.batches.push_back(in_.digest());
    if (!in_.ok()) return Errc::kMalformed;
    return Message(std::move(m));
  }

  Result<Message> give() {
    Give m;
    const std::uint16_t vertices = in_.u16();
    if (vertices > limits_.give_vertices) return Errc::kTooLarge;
    for (std::uint32_t i = 0; i < vertices; ++i) {
      auto payload = cut(in_.u32());
      if (!payload) return Errc::kMalformed;
      auto vertex = decode_vertex(in_, *payload, chain_, shape_);
      if (!vertex) return Errc::kMalformed;
      m.vertices.push_back(std::move(*vertex));
    }
    const std::uint16_t batches = in_.u16();
    if (batches > limits_.give_vertices) return Errc::kTooLarge;
    for (std::uint32_t i = 0; i < batches; ++i) {
      auto payload = cut(in_.u32());
      if (!payload) return Errc::kMalformed;
      m.batches.push_back(std::move(*payload));
    }
    return Message(std::move(m));
  }

  Result<Message> coin_share() {
    const auto m = coin::decode_share(in_);
    if (!m) return Errc::kMalformed;
    return Message(*m);
  }

  // Of a batch, or of one vertex or batch of an answer.
  std::optional<Payload> cut(std::size_t size) {
    if (!in_.ok() || size > parts_.payload.size() - taken_) return std::nullopt;
    if (size > kMostPayloadBytes) return std::nullopt;
    Payload out;
    if (size == 0) return out;
    out.bytes = kept_slice(parts_, taken_, size);
    out.root = root_of_(out.bytes.view());
    taken_ += size;
    return out;
  }

  Reader in_;
  WireParts parts_;
  ChainContext chain_;
  Shape shape_;
  Limits limits_;
  const RootOf& root_of_;
  std::size_t taken_ = 0;
};

}  // namespace

WireParts encode(const Message& message, std::uint32_t n) {
  Encoder encoder{n, {}, {}};
  encoder.out.u8(static_cast<std::uint8_t>(message.index()));
  std::visit(encoder, message);
  return {Bytes::from(encoder.out.take()), encoder.body.take()};
}

Result<Message> decode(const WireParts& parts, const ChainContext& chain, const Shape& shape,
                       const Limits& limits, const RootOf& root_of) {
  return Decoder(parts, chain, shape, limits, root_of).decode();
}

}  // namespace thresher::certified
