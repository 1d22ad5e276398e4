#include "thresher/protocols/digraph/digraph_wire.hpp"

#include <algorithm>
#include <utility>

#include "../broadcast/certificate_bytes.hpp"

namespace thresher::digraph {
namespace {

using namespace async_auth;  // NOLINT(google-build-using-namespace): the messages of this file

/// Fixed parts of a message, generously. Unit: bytes.
constexpr std::size_t kHead = 64;
/// A value of a vector with whether it is there, and a signature of a list with its signer.
constexpr std::size_t kEntry = 9;
constexpr std::size_t kSigned = sizeof(Signature) + sizeof(std::uint16_t);

enum Tag : std::uint8_t { kValue, kSupport, kCertificate, kReport };

struct Encoder {
  Writer w;

  void operator()(const Proposal& m) {
    w.u8(kValue).u16(m.origin.value).u32(m.round).u64(as_bits(m.value)).bytes(m.signature);
  }
  void operator()(const Support& m) {
    w.u8(kSupport).u16(m.signer.value).u16(m.origin.value).u32(m.round).u64(as_bits(m.value));
    w.bytes(m.signature);
  }
  void operator()(const Certificate& m) {
    w.u8(kCertificate).u16(m.origin.value).u32(m.round).u64(as_bits(m.value));
    broadcast::write_list(w, *m.list);
  }
  void operator()(const Report& m) {
    w.u8(kReport).u16(m.signer.value).u32(m.round).u16(static_cast<std::uint16_t>(m.values.size()));
    for (const auto& value : m.values) w.u8(value ? 1 : 0).u64(as_bits(value.value_or(0)));
    w.bytes(m.signature);
  }
  static std::uint64_t as_bits(std::int64_t value) { return static_cast<std::uint64_t>(value); }
};

Signature read_signature(Reader& in) {
  Signature out{};
  const ByteView bytes = in.bytes(out.size());
  if (in.ok()) std::copy(bytes.begin(), bytes.end(), out.begin());
  return out;
}

std::int64_t read_value(Reader& in) {
  return static_cast<std::int64_t>(in.u64());
}

std::optional<AsyncAuth::Message> read_certificate(Reader& in, std::uint32_t nodes) {
  Certificate m;
  m.origin.value = in.u16();
  m.round = in.u32();
  m.value = read_value(in);
  auto list = broadcast::read_list(in, nodes);
  if (!list || !list->complete() || m.origin.value >= nodes) return std::nullopt;
  m.list = std::make_shared<const SignatureList>(*std::move(list));
  return m;
}

std::optional<AsyncAuth::Message> read_report(Reader& in, std::uint32_t nodes) {
  Report m;
  m.signer.value = in.u16();
  m.round = in.u32();
  if (in.u16() != nodes || m.signer.value >= nodes) return std::nullopt;
  m.values.resize(nodes);
  for (auto& value : m.values) {
    const std::uint8_t there = in.u8();
    const std::int64_t what = read_value(in);
    // One encoding each: what is not there is written as 0.
    if (there > 1 || (there == 0 && what != 0)) return std::nullopt;
    if (there == 1) value = what;
  }
  m.signature = read_signature(in);
  return m;
}

std::optional<AsyncAuth::Message> read_message(Reader& in, std::uint32_t nodes) {
  switch (static_cast<Tag>(in.u8())) {
    case kValue: {
      Proposal m;
      m.origin.value = in.u16();
      m.round = in.u32();
      m.value = read_value(in);
      m.signature = read_signature(in);
      return m.origin.value < nodes ? std::optional(AsyncAuth::Message(m)) : std::nullopt;
    }
    case kSupport: {
      Support m;
      m.signer.value = in.u16();
      m.origin.value = in.u16();
      m.round = in.u32();
      m.value = read_value(in);
      m.signature = read_signature(in);
      const bool known = m.signer.value < nodes && m.origin.value < nodes;
      return known ? std::optional(AsyncAuth::Message(m)) : std::nullopt;
    }
    case kCertificate:
      return read_certificate(in, nodes);
    case kReport:
      return read_report(in, nodes);
  }
  return std::nullopt;  // a byte that is no tag
}

}  // namespace

WireParts encode(const Relay& m) {
  Writer w;
  w.u8(static_cast<std::uint8_t>(m.phase)).u16(m.origin.value);
  w.u16(static_cast<std::uint16_t>(m.content.size())).bytes(m.content.view());
  broadcast::write_list(w, *m.list);
  return {Bytes::from(w.take()), {}};
}

WireParts encode(const AsyncAuth::Message& message) {
  Encoder encoder;
  std::visit(encoder, message);
  return {Bytes::from(encoder.w.take()), {}};
}

std::optional<Relay> decode_sync_auth(const WireParts& parts, std::uint32_t nodes) {
  if (!parts.payload.empty()) return std::nullopt;
  Reader in(parts.control.view());
  Relay m;
  const std::uint8_t phase = in.u8();
  m.phase = static_cast<Phase>(phase);
  m.origin.value = in.u16();
  m.content = Bytes::copy_of(in.bytes(in.u16()));
  auto list = broadcast::read_list(in, nodes);
  const bool known = phase <= static_cast<std::uint8_t>(Phase::kStatements);
  if (!list || !list->complete() || !in.done() || !known || m.origin.value >= nodes)
    return std::nullopt;
  m.list = std::make_shared<const SignatureList>(*std::move(list));
  return m;
}

std::optional<AsyncAuth::Message> decode_async_auth(const WireParts& parts, std::uint32_t nodes) {
  if (!parts.payload.empty()) return std::nullopt;
  Reader in(parts.control.view());
  auto message = read_message(in, nodes);
  return in.done() ? std::move(message) : std::nullopt;
}

std::size_t largest_message(std::uint32_t nodes) {
  return kHead + sizeof(Signature) + nodes * (kEntry + kSigned);
}

}  // namespace thresher::digraph
