#include "records.hpp"

#include <algorithm>
#include <utility>

#include "../chassis/commit_records.hpp"
#include "thresher/protocols/dag/dag.hpp"

namespace thresher::certified {
namespace {

Payload with_body(const Header& h, const Bytes& body) {
  // The root is what the header says: the host's storage checks its own checksums.
  return h.payload_bytes == 0 ? Payload{} : Payload{body, h.payload_root};
}

Bytes vertex_key(const Vertex& vertex) {
  return dag::block_key({vertex.author(), vertex.round(), vertex.digest});
}

}  // namespace

Records::Records(const Config& config)
    : kept_(config.records),
      chain_(config.chain),
      shape_{config.committee, config.rules.stragglers, config.rules.one_signature} {}

void Records::put_own(const Proposal& proposal, const Payload& payload, Fx& fx) const {
  if (!kept_) return;
  Writer value;
  encode_proposal(proposal, shape_.committee.size(), value);
  value.bytes(payload.bytes.view());
  fx.push(Persist{kOwn, Bytes::copy_of(as_view("own")), Bytes::from(value.take())});
}

void Records::put_vote(const Proposal& proposal, const Signature& vote, Fx& fx) const {
  if (!kept_) return;
  Writer key;
  key.u16(proposal.header.author.value);
  Writer value;
  encode_proposal(proposal, shape_.committee.size(), value);
  value.bytes(vote);
  fx.push(Persist{kVoted, Bytes::from(key.take()), Bytes::from(value.take())});
}

void Records::put_vertex(const Vertex& vertex, Round of_log, Fx& fx) const {
  if (!kept_) return;
  Writer value;
  encode_vertex(vertex, shape_.committee.size(), value);
  if (of_log.value > 0) value.u64(of_log.value);
  fx.push(
      Persist{kVertex, vertex_key(vertex), Bytes::from(value.take()), vertex.payload.bytes, true});
}

void Records::erase_vertex(const Vertex& vertex, Fx& fx) const {
  if (kept_) fx.push(Persist{kVertex, vertex_key(vertex), {}, {}, true});
}

void Records::put_delivered(const Committed& commit, const Leaders& after, Fx& fx) const {
  if (kept_) fx.push(chassis::commit_record(kDelivered, commit, after));
}

void Records::erase_delivered(Round slot, Fx& fx) const {
  if (kept_) fx.push(chassis::no_commit_record(kDelivered, slot));
}

std::optional<Records::OwnHeader> Records::read_own(const Restored& record) const {
  Reader in(record.value.view());
  auto proposal = decode_proposal(in, chain_, shape_);
  if (!proposal) return std::nullopt;
  Payload payload = with_body((*proposal)->header, Bytes::copy_of(in.bytes(in.remaining())));
  return OwnHeader{std::move(*proposal), std::move(payload)};
}

std::optional<Records::Voted> Records::read_vote(const Restored& record) const {
  Reader in(record.value.view());
  auto proposal = decode_proposal(in, chain_, shape_);
  if (!proposal) return std::nullopt;
  Voted out{std::move(*proposal), {}};
  const ByteView raw = in.bytes(out.vote.size());
  if (!in.ok()) return std::nullopt;
  std::copy(raw.begin(), raw.end(), out.vote.begin());
  return out;
}

std::optional<Logged> Records::read_vertex(const Restored& record) const {
  Reader in(record.value.view());
  const auto v = decode_vertex(in, {}, chain_, shape_);
  if (!v) return std::nullopt;
  auto whole = std::make_shared<Vertex>(**v);
  whole->payload = with_body(whole->header, record.body);
  if (whole->certificate.signatures.empty()) {
    // From the log, without references: what it was certified as stands in its key.
    Reader key(record.key.view());
    (void)key.bytes(sizeof(std::uint64_t) + sizeof(std::uint16_t));
    whole->digest = key.digest();
  }
  const Round slot{in.remaining() > 0 ? in.u64() : 0};
  return Logged{std::move(whole), slot};
}

}  // namespace thresher::certified
