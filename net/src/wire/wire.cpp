#include "thresher/net/wire.hpp"

#include <algorithm>

#include "thresher/core/transcript.hpp"
#include "wire/wire_fields.hpp"

namespace thresher::net::wire {
namespace {

template <class Pb>
void put(const CarriedBlock& from, Pb& to) {
  to.set_payload_bytes(from.payload_bytes);
  to.set_header(text(from.header.view()));
}
template <class Pb>
CarriedBlock carried(const Pb& from) {
  return {from.payload_bytes(), Bytes::copy_of(as_view(from.header()))};
}

void put(const Incarnation& from, pb::Incarnation& to) {
  to.set_count(from.count);
  to.set_nonce(text(ByteView(from.nonce)));
  to.set_signature(text(ByteView(from.signature)));
}
std::optional<Incarnation> incarnation(const pb::Incarnation& from) {
  Incarnation out;
  out.count = from.count();
  const ByteView nonce = as_view(from.nonce());
  const ByteView signature = as_view(from.signature());
  if (nonce.size() != out.nonce.size() || signature.size() != out.signature.size()) {
    return std::nullopt;
  }
  std::copy(nonce.begin(), nonce.end(), out.nonce.begin());
  std::copy(signature.begin(), signature.end(), out.signature.begin());
  return out;
}

// Version 1 wrote version u32 and the chain; as Protobuf its first byte is never right.
std::optional<Hello> decode_first_hello(ByteView control) {
  Reader in(control);
  Hello out;
  out.version = in.u32();
  out.chain = in.digest();
  if (!in.done() || out.version != 1) return std::nullopt;
  return out;
}

}  // namespace

Bytes encode(const Hello& m) {
  pb::Hello out;
  out.set_version(m.version);
  out.set_chain(text(m.chain));
  if (m.incarnation) put(*m.incarnation, *out.mutable_incarnation());
  if (m.gc_rounds > 0) out.set_gc_rounds(m.gc_rounds);
  return bytes_of(out);
}

Bytes encode(const dag::Want& m) {
  pb::Want out;
  for (std::size_t i = 0; i < m.blocks.size(); ++i) {
    pb::WantedBlock& block = *out.add_blocks();
    block.set_author(m.blocks[i].author.value);
    block.set_round(m.blocks[i].round.value);
    block.set_digest(text(m.blocks[i].digest));
    if (i < m.held.size()) block.set_held(m.held[i].value);
  }
  return bytes_of(out);
}

Bytes encode(const dag::WantRound& m) {
  pb::WantRound out;
  out.set_round(m.round.value);
  m.have.for_each([&](NodeId id) { out.add_have(id.value); });
  return bytes_of(out);
}

Bytes encode(const dag::WantEvidence& m) {
  pb::WantEvidence out;
  out.set_slot(m.slot.value);
  out.set_leader(text(m.leader));
  return bytes_of(out);
}

Bytes encode(const Give& m) {
  pb::Give out;
  for (const CarriedBlock& b : m.blocks) put(b, *out.add_blocks());
  return bytes_of(out);
}

Bytes encode(const Evidence& m) {
  pb::Evidence out;
  out.set_slot(m.slot.value);
  out.set_leader(text(m.leader));
  for (const Bytes& header : m.headers) out.add_headers(text(header.view()));
  return bytes_of(out);
}

Bytes encode(const Equivocation& m) {
  pb::Equivocation out;
  out.set_first(text(m.first.view()));
  out.set_second(text(m.second.view()));
  return bytes_of(out);
}

Bytes encode(const WantLog& m) {
  pb::WantLog out;
  out.set_after(m.after.value);
  out.set_leave_out(m.leave_out);
  out.set_parts(m.parts);
  return bytes_of(out);
}

Bytes encode(const LogPart& m) {
  pb::LogPart out;
  out.set_head(m.head.value);
  out.set_begins(m.begins.value);
  if (m.from) {
    out.set_after(m.from->after.value);
    out.set_leave_out(m.from->leave_out);
  }
  for (const LogBlock& b : m.blocks) {
    pb::LogBlock& block = *out.add_blocks();
    block.set_slot(b.slot.value);
    block.set_commit(text(b.commit));
    block.set_total(b.total);
    block.set_index(b.index);
    block.set_payload_bytes(b.payload_bytes);
    block.set_block(text(b.block.view()));
  }
  return bytes_of(out);
}

Bytes encode(const WantLogHash& m) {
  pb::WantLogHash out;
  out.set_slot(m.slot.value);
  return bytes_of(out);
}

Bytes encode(const LogHash& m) {
  pb::LogHash out;
  out.set_slot(m.slot.value);
  out.set_hash(text(m.hash));
  out.set_known(m.known);
  return bytes_of(out);
}

Bytes encode(const Known& m) {
  pb::Known out;
  if (m.incarnation) put(*m.incarnation, *out.mutable_incarnation());
  out.set_round(m.round);
  out.set_vote(m.vote);
  out.set_last_signed(text(m.last_signed.view()));
  out.set_end(m.end.value);
  return bytes_of(out);
}

Bytes encode(const Started& m) {
  pb::Started out;
  put(m.incarnation, *out.mutable_incarnation());
  return bytes_of(out);
}

Bytes encode(const OtherProcess& m) {
  pb::OtherProcess out;
  put(m.incarnation, *out.mutable_incarnation());
  out.set_address(m.address);
  out.set_speaks(m.speaks);
  return bytes_of(out);
}

template <>
std::optional<Empty> decode(ByteView control) {
  if (control.size() > kSmallBytes || !few_fields(control, kSmallFields)) return std::nullopt;
  return Empty{};
}

template <>
std::optional<Hello> decode(ByteView control) {
  if (const auto first = decode_first_hello(control)) return first;
  pb::Hello in;
  if (!parse_small(control, in) || !in.has_version() || !is_digest(in.chain())) return std::nullopt;
  Hello out{in.version(), digest(in.chain()), {}, in.gc_rounds()};
  if (!in.has_incarnation()) return out;
  out.incarnation = incarnation(in.incarnation());
  if (!out.incarnation) return std::nullopt;
  return out;
}

template <>
std::optional<dag::Want> decode(ByteView control) {
  pb::Want in;
  if (!parse_large(control, in) || std::size_t(in.blocks_size()) > kMaxItems) return std::nullopt;
  dag::Want out;
  for (const pb::WantedBlock& e : in.blocks()) {
    if (e.author() > 0xffff || !is_digest(e.digest())) return std::nullopt;
    const NodeId author{static_cast<std::uint16_t>(e.author())};
    out.blocks.push_back({author, Round{e.round()}, digest(e.digest())});
    out.held.push_back(Round{e.held()});
  }
  return out;
}

std::optional<dag::WantRound> decode_want_round(ByteView control, std::uint32_t n) {
  pb::WantRound in;
  // A varint takes up to ten bytes.
  const std::size_t limit = kSmallBytes + 10 * std::size_t{n};
  if (!parse(control, in, limit, n + kSmallFields) || !in.has_round()) return std::nullopt;
  dag::WantRound out{Round{in.round()}, NodeSet(n)};
  std::uint32_t least = 0;
  for (const std::uint32_t id : in.have()) {
    if (id < least || id >= n) return std::nullopt;
    out.have.insert(NodeId{static_cast<std::uint16_t>(id)});
    least = id + 1;
  }
  return out;
}

template <>
std::optional<dag::WantEvidence> decode(ByteView control) {
  pb::WantEvidence in;
  if (!parse_small(control, in) || !in.has_slot() || !is_digest(in.leader())) return std::nullopt;
  return dag::WantEvidence{Round{in.slot()}, digest(in.leader())};
}

template <>
std::optional<Give> decode(ByteView control) {
  pb::Give in;
  if (!parse_large(control, in) || std::size_t(in.blocks_size()) > kMaxItems) return std::nullopt;
  Give out;
  for (const pb::CarriedBlock& b : in.blocks()) out.blocks.push_back(carried(b));
  return out;
}

template <>
std::optional<Evidence> decode(ByteView control) {
  pb::Evidence in;
  if (!parse_large(control, in) || !in.has_slot() || !is_digest(in.leader()) ||
      std::size_t(in.headers_size()) > kMaxItems) {
    return std::nullopt;
  }
  Evidence out{Round{in.slot()}, digest(in.leader()), {}};
  for (const std::string& header : in.headers()) {
    out.headers.push_back(Bytes::copy_of(as_view(header)));
  }
  return out;
}

template <>
std::optional<Equivocation> decode(ByteView control) {
  pb::Equivocation in;
  if (!parse(control, in, kLargeBytes, kSmallFields)) return std::nullopt;
  if (in.first().empty() || in.second().empty()) return std::nullopt;
  return Equivocation{Bytes::copy_of(as_view(in.first())), Bytes::copy_of(as_view(in.second()))};
}

template <>
std::optional<WantLog> decode(ByteView control) {
  pb::WantLog in;
  if (!parse_small(control, in) || !in.has_after()) return std::nullopt;
  return WantLog{Round{in.after()}, in.leave_out(), in.parts()};
}

template <>
std::optional<LogPart> decode(ByteView control) {
  pb::LogPart in;
  if (!parse_large(control, in) || !in.has_head() || std::size_t(in.blocks_size()) > kMaxItems) {
    return std::nullopt;
  }
  LogPart out{Round{in.head()}, {}, Round{in.begins()}, {}};
  if (in.has_after()) out.from = LogPlace{Round{in.after()}, in.leave_out()};
  for (const pb::LogBlock& b : in.blocks()) {
    if (!is_digest(b.commit())) return std::nullopt;
    out.blocks.push_back({Round{b.slot()}, digest(b.commit()), b.total(), b.index(),
                          b.payload_bytes(), Bytes::copy_of(as_view(b.block()))});
  }
  return out;
}

template <>
std::optional<WantLogHash> decode(ByteView control) {
  pb::WantLogHash in;
  if (!parse_small(control, in) || !in.has_slot()) return std::nullopt;
  return WantLogHash{Round{in.slot()}};
}

template <>
std::optional<LogHash> decode(ByteView control) {
  pb::LogHash in;
  if (!parse_small(control, in) || !in.has_slot() || !is_digest(in.hash())) return std::nullopt;
  return LogHash{Round{in.slot()}, digest(in.hash()), in.known()};
}

template <>
std::optional<Known> decode(ByteView control) {
  pb::Known in;
  if (!parse(control, in, kLargeBytes, kSmallFields) || !in.has_round()) return std::nullopt;
  Known out{{}, in.round(), in.vote(), Bytes::copy_of(as_view(in.last_signed())), Round{in.end()}};
  if (!in.has_incarnation()) return out;
  out.incarnation = incarnation(in.incarnation());
  if (!out.incarnation) return std::nullopt;
  return out;
}

template <>
std::optional<Started> decode(ByteView control) {
  pb::Started in;
  if (!parse_small(control, in) || !in.has_incarnation()) return std::nullopt;
  const auto start = incarnation(in.incarnation());
  return start ? std::optional(Started{*start}) : std::nullopt;
}

template <>
std::optional<OtherProcess> decode(ByteView control) {
  pb::OtherProcess in;
  if (!parse_small(control, in) || !in.has_incarnation()) return std::nullopt;
  const auto other = incarnation(in.incarnation());
  if (!other || in.address().size() > kAddressBytes) return std::nullopt;
  return OtherProcess{*other, in.address(), in.speaks()};
}

}  // namespace thresher::net::wire
