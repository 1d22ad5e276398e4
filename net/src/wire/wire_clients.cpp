// Control parts between clients and nodes.
#include <algorithm>

#include "wire/wire_fields.hpp"

namespace thresher::net::wire {
namespace {

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

}  // namespace

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
  out.set_begins(m.begins);
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
  out.set_results(m.results);
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
  out.set_text(m.text.substr(0, kReasonBytes));
  return bytes_of(out);
}

Bytes encode(const Results& m) {
  pb::Results out;
  out.set_slot(m.slot.value);
  return bytes_of(out);
}

Bytes encode(const Query& m) {
  pb::Query out;
  out.set_id(m.id);
  out.set_length(m.length);
  return bytes_of(out);
}

Bytes encode(const QueryReply& m) {
  pb::QueryReply out;
  out.set_id(m.id);
  out.set_length(m.length);
  out.set_failed(m.failed);
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
  out.set_begins(m.begins);
  return bytes_of(out);
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
  out.begins = in.begins();
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
  if (!in.has_since()) return Submit{{}, in.results()};
  return Submit{std::pair(Round{in.since()}, Round{in.until()}), in.results()};
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
  if (in.reason() == 0 || in.reason() > static_cast<std::uint32_t>(Refusal::kObserves)) {
    return std::nullopt;
  }
  return Refused{static_cast<Refusal>(in.reason()), in.limit(), Round{in.slot()}, in.text()};
}

template <>
std::optional<Results> decode(ByteView control) {
  pb::Results in;
  if (!parse_small(control, in) || !in.has_slot()) return std::nullopt;
  return Results{Round{in.slot()}};
}

template <>
std::optional<Query> decode(ByteView control) {
  pb::Query in;
  if (!parse_small(control, in) || !in.has_id()) return std::nullopt;
  return Query{in.id(), in.length()};
}

template <>
std::optional<QueryReply> decode(ByteView control) {
  pb::QueryReply in;
  if (!parse_small(control, in) || !in.has_id()) return std::nullopt;
  return QueryReply{in.id(), in.length(), in.failed()};
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
  return Log{in.first(), in.count(), in.begins()};
}

}  // namespace thresher::net::wire
