#include "thresher/net/wire.hpp"

#include <google/protobuf/io/coded_stream.h>

#include <algorithm>

#include "thresher.pb.h"
#include "thresher/core/transcript.hpp"

namespace thresher::net::wire {
namespace {

namespace pb = ::thresher::wire::v3;

/// Lists come in frames, which the transport bounds; this bounds them again. Unit: bytes.
constexpr std::size_t kLargeBytes = 8u << 20;
/// Fields of a message without a list, unknown ones included.
constexpr std::size_t kSmallFields = 64;
constexpr std::size_t kLargeFields = kMaxItems + kSmallFields;
/// What a status says of one peer; its longest text in it.
constexpr std::size_t kPeerBytes = 512;
constexpr std::size_t kProblemBytes = 256;
/// Of a text that names where a process is.
constexpr std::size_t kAddressBytes = 64;
/// Messages within messages.
constexpr int kDepth = 4;

std::optional<std::uint64_t> varint(ByteView& in) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(in.size(), 10); ++i) {
    const auto byte = std::to_integer<std::uint64_t>(in[i]);
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      in = in.subspan(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

// Walks over the outermost fields before Protobuf takes memory for them: a list of empty messages
// costs two bytes an element on the wire and fifty times that in memory.
bool few_fields(ByteView in, std::size_t limit) {
  for (std::size_t count = 0; !in.empty(); ++count) {
    const auto tag = varint(in);
    if (!tag || *tag >> 3 == 0 || *tag > ~std::uint32_t{0} || count == limit) return false;
    std::uint64_t size = 0;
    switch (*tag & 7) {
      case 0:
        if (!varint(in)) return false;
        break;
      case 1:
        size = 8;
        break;
      case 2: {
        const auto length = varint(in);
        if (!length) return false;
        size = *length;
        break;
      }
      case 5:
        size = 4;
        break;
      default:
        return false;  // groups: no message has any
    }
    if (size > in.size()) return false;
    in = in.subspan(static_cast<std::size_t>(size));
  }
  return true;
}

template <class M>
bool parse(ByteView in, M& out, std::size_t max_bytes, std::size_t max_fields) {
  if (in.size() > max_bytes || !few_fields(in, max_fields)) return false;
  google::protobuf::io::CodedInputStream coded(reinterpret_cast<const std::uint8_t*>(in.data()),
                                               static_cast<int>(in.size()));
  coded.SetRecursionLimit(kDepth);
  return out.ParseFromCodedStream(&coded) && coded.ConsumedEntireMessage();
}
template <class M>
bool parse_small(ByteView in, M& out) {
  return parse(in, out, kSmallBytes, kSmallFields);
}
template <class M>
bool parse_large(ByteView in, M& out) {
  return parse(in, out, kLargeBytes, kLargeFields);
}

Bytes bytes_of(const google::protobuf::MessageLite& m) {
  std::vector<std::byte> out(m.ByteSizeLong());
  if (!out.empty()) m.SerializeWithCachedSizesToArray(reinterpret_cast<std::uint8_t*>(out.data()));
  return Bytes::from(std::move(out));
}

std::string text(ByteView view) {
  return std::string(as_text(view));
}
std::string text(const Digest& digest) {
  return text(ByteView(digest.bytes));
}
bool is_digest(const std::string& field) {
  return field.size() == Digest{}.bytes.size();
}
// Pre: is_digest(field).
Digest digest(const std::string& field) {
  Digest out;
  std::copy_n(as_view(field).begin(), out.bytes.size(), out.bytes.begin());
  return out;
}

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
  return bytes_of(out);
}

Bytes encode(const dag::Want& m) {
  pb::Want out;
  for (const dag::Edge& e : m.blocks) {
    pb::Edge& edge = *out.add_blocks();
    edge.set_author(e.author.value);
    edge.set_round(e.round.value);
    edge.set_digest(text(e.digest));
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
  for (const LogBlock& b : m.blocks) {
    pb::LogBlock& block = *out.add_blocks();
    block.set_slot(b.slot.value);
    block.set_leader(text(b.leader));
    block.set_total(b.total);
    block.set_index(b.index);
    put(b.block, block);
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

void put(const PeerStatus& m, pb::PeerStatus& out) {
  out.set_id(m.id.value);
  out.set_up(m.up);
  out.set_address(m.address);
  out.set_problem(m.problem.substr(0, kProblemBytes));
  out.set_round(m.round);
  out.set_lag(m.lag);
  out.set_links(m.links);
  out.set_bytes_sent(m.bytes_sent);
  out.set_bytes_received(m.bytes_received);
  out.set_log_bytes(m.log_bytes);
  out.set_malformed(m.malformed);
  out.set_refused(m.refused);
  out.set_bad_signatures(m.bad_signatures);
  out.set_false_answers(m.false_answers);
  out.set_suspicion(m.suspicion);
}

Bytes encode(const Known& m) {
  pb::Known out;
  if (m.incarnation) put(*m.incarnation, *out.mutable_incarnation());
  out.set_round(m.round);
  out.set_vote(m.vote);
  out.set_last_signed(text(m.last_signed.view()));
  return bytes_of(out);
}

Bytes encode(const OtherProcess& m) {
  pb::OtherProcess out;
  put(m.incarnation, *out.mutable_incarnation());
  out.set_address(m.address);
  out.set_speaks(m.speaks);
  return bytes_of(out);
}

Bytes encode(const NodeStatus& m) {
  pb::StatusReply out;
  out.set_length(m.length);
  out.set_round(m.round);
  out.set_slot(m.slot);
  out.set_node_bytes(m.node_bytes);
  out.set_syncs(m.syncs);
  out.set_payload_bytes(m.payload_bytes);
  out.set_log_hash(text(m.log_hash));
  out.set_state(text(m.state));
  out.set_links(m.links);
  out.set_signatures(m.signatures);
  out.set_verify_calls(m.verify_calls);
  out.set_certificate_calls(m.certificate_calls);
  out.set_waits_for(m.waits_for);
  for (const PeerStatus& peer : m.peers) put(peer, *out.add_peers());
  return bytes_of(out);
}

Bytes encode(const Welcome& m) {
  pb::Welcome out;
  out.set_slot(m.slot.value);
  out.set_client(text(m.client.bytes));
  out.set_longest_life(m.longest_life);
  out.set_limit(m.limit);
  return bytes_of(out);
}

Bytes encode(const Submit& m) {
  pb::Submit out;
  if (m.valid) {
    out.set_since(m.valid->first.value);
    out.set_until(m.valid->second.value);
  }
  return bytes_of(out);
}

Bytes encode(const Ack& m) {
  pb::Ack out;
  out.set_slot(m.slot.value);
  return bytes_of(out);
}

Bytes encode(const Refused& m) {
  pb::Refused out;
  out.set_reason(static_cast<std::uint32_t>(m.reason));
  out.set_limit(m.limit);
  out.set_slot(m.slot.value);
  return bytes_of(out);
}

Bytes encode(const Subscribe& m) {
  pb::Subscribe out;
  out.set_position(m.position);
  return bytes_of(out);
}

Bytes encode(const Log& m) {
  pb::Log out;
  out.set_first(m.first);
  out.set_count(m.count);
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
  Hello out{in.version(), digest(in.chain()), {}};
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
  for (const pb::Edge& e : in.blocks()) {
    if (e.author() > 0xffff || !is_digest(e.digest())) return std::nullopt;
    const NodeId author{static_cast<std::uint16_t>(e.author())};
    out.blocks.push_back({author, Round{e.round()}, digest(e.digest())});
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
  LogPart out{Round{in.head()}, {}};
  for (const pb::LogBlock& b : in.blocks()) {
    if (!is_digest(b.leader())) return std::nullopt;
    out.blocks.push_back({Round{b.slot()}, digest(b.leader()), b.total(), b.index(), carried(b)});
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
  Known out{{}, in.round(), in.vote(), Bytes::copy_of(as_view(in.last_signed()))};
  if (!in.has_incarnation()) return out;
  out.incarnation = incarnation(in.incarnation());
  if (!out.incarnation) return std::nullopt;
  return out;
}

template <>
std::optional<OtherProcess> decode(ByteView control) {
  pb::OtherProcess in;
  if (!parse_small(control, in) || !in.has_incarnation()) return std::nullopt;
  const auto other = incarnation(in.incarnation());
  if (!other || in.address().size() > kAddressBytes) return std::nullopt;
  return OtherProcess{*other, in.address(), in.speaks()};
}

template <>
std::optional<NodeStatus> decode(ByteView control) {
  pb::StatusReply in;
  if (!parse_large(control, in) || !is_digest(in.log_hash()) || !is_digest(in.state())) {
    return std::nullopt;
  }
  // Small, but for what it says of each peer.
  const auto peers = static_cast<std::size_t>(in.peers_size());
  if (control.size() > kSmallBytes + peers * kPeerBytes ||
      !few_fields(control, kSmallFields + peers)) {
    return std::nullopt;
  }
  NodeStatus out{in.length(),           in.round(),         in.slot(),
                 in.node_bytes(),       in.syncs(),         in.payload_bytes(),
                 digest(in.log_hash()), digest(in.state()), in.links(),
                 in.signatures(),       in.verify_calls(),  in.certificate_calls()};
  out.waits_for = in.waits_for();
  out.peers.reserve(peers);
  for (const pb::PeerStatus& p : in.peers()) {
    if (p.id() > 0xffff) return std::nullopt;
    out.peers.push_back({NodeId{static_cast<std::uint16_t>(p.id())}, p.up(), p.address(),
                         p.problem(), p.round(), p.lag(), p.links(), p.bytes_sent(),
                         p.bytes_received(), p.log_bytes(), p.malformed(), p.refused(),
                         p.bad_signatures(), p.false_answers(), p.suspicion()});
  }
  return out;
}

template <>
std::optional<Welcome> decode(ByteView control) {
  pb::Welcome in;
  Welcome out;
  if (!parse_small(control, in) || !in.has_slot() ||
      in.client().size() != out.client.bytes.size()) {
    return std::nullopt;
  }
  out = {Round{in.slot()}, {}, in.longest_life(), in.limit()};
  std::copy_n(as_view(in.client()).begin(), out.client.bytes.size(), out.client.bytes.begin());
  return out;
}

template <>
std::optional<Submit> decode(ByteView control) {
  pb::Submit in;
  if (!parse_small(control, in) || in.has_since() != in.has_until()) return std::nullopt;
  if (!in.has_since()) return Submit{};
  return Submit{std::pair(Round{in.since()}, Round{in.until()})};
}

template <>
std::optional<Ack> decode(ByteView control) {
  pb::Ack in;
  if (!parse_small(control, in) || !in.has_slot()) return std::nullopt;
  return Ack{Round{in.slot()}};
}

template <>
std::optional<Refused> decode(ByteView control) {
  pb::Refused in;
  if (!parse_small(control, in) || !in.has_reason() || !in.has_slot()) return std::nullopt;
  if (in.reason() == 0 || in.reason() > static_cast<std::uint32_t>(Refusal::kTooEarly)) {
    return std::nullopt;
  }
  return Refused{static_cast<Refusal>(in.reason()), in.limit(), Round{in.slot()}};
}

template <>
std::optional<Subscribe> decode(ByteView control) {
  pb::Subscribe in;
  if (!parse_small(control, in) || !in.has_position()) return std::nullopt;
  return Subscribe{in.position()};
}

template <>
std::optional<Log> decode(ByteView control) {
  pb::Log in;
  if (!parse_small(control, in) || !in.has_first() || !in.has_count()) return std::nullopt;
  return Log{in.first(), in.count()};
}

}  // namespace thresher::net::wire
