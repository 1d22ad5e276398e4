#include "thresher/protocols/order/raft_wire.hpp"

#include "../kept_slice.hpp"
#include "thresher/core/transcript.hpp"

namespace thresher {
namespace {

enum Kind : std::uint8_t { kRequestVote, kVote, kAppend, kAppended, kForward };
/// More entries than this are not read from one message.
constexpr std::uint32_t kMaxEntries = 65536;

WireParts parts_of(Writer& control, Bytes payload = {}) {
  return {Bytes::from(control.take()), std::move(payload)};
}

struct Encoder {
  WireParts operator()(const raft::RequestVote& m) const {
    Writer w;
    w.u8(kRequestVote).u64(m.term).u64(m.last_index).u64(m.last_term).u8(m.pre_vote ? 1 : 0);
    return parts_of(w);
  }
  WireParts operator()(const raft::RequestVoteReply& m) const {
    return parts_of(Writer().u8(kVote).u64(m.term).u8(m.granted ? 1 : 0).u8(m.pre_vote ? 1 : 0));
  }
  WireParts operator()(const raft::AppendEntries& m) const {
    Writer w;
    w.u8(kAppend).u64(m.term).u64(m.previous_index).u64(m.previous_term).u64(m.commit);
    w.u32(static_cast<std::uint32_t>(m.entries.size()));
    std::vector<std::byte> values;
    for (const raft::Entry& e : m.entries) {
      w.u64(e.term).u32(static_cast<std::uint32_t>(e.value.size()));
      if (m.entries.size() > 1) {
        values.insert(values.end(), e.value.view().begin(), e.value.view().end());
      }
    }
    // The usual message has one entry, and copies nothing.
    return parts_of(w, m.entries.size() == 1 ? m.entries[0].value : Bytes::from(std::move(values)));
  }
  WireParts operator()(const raft::AppendEntriesReply& m) const {
    return parts_of(Writer().u8(kAppended).u64(m.term).u64(m.index).u8(m.fits ? 1 : 0));
  }
  WireParts operator()(const raft::Forward& m) const {
    return parts_of(Writer().u8(kForward), m.value);
  }
};

std::optional<Raft::Message> decode_append(Reader& in, const WireParts& parts) {
  raft::AppendEntries m;
  m.term = in.u64();
  m.previous_index = in.u64();
  m.previous_term = in.u64();
  m.commit = in.u64();
  const std::uint32_t count = in.u32();
  if (count > kMaxEntries || in.remaining() != std::size_t{count} * 12) return std::nullopt;
  std::size_t offset = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t term = in.u64();
    const std::uint32_t size = in.u32();
    if (size > parts.payload.size() - offset) return std::nullopt;
    m.entries.push_back({term, kept_slice(parts, offset, size)});
    offset += size;
  }
  if (offset != parts.payload.size()) return std::nullopt;
  return m;
}

}  // namespace

WireParts encode(const Raft::Message& message) {
  return std::visit(Encoder{}, message);
}

std::optional<Raft::Message> decode_raft(const WireParts& parts) {
  Reader in(parts.control.view());
  const std::uint8_t kind = in.u8();
  std::optional<Raft::Message> out;
  bool truths = true;
  const auto truth = [&] {
    const std::uint8_t v = in.u8();
    truths &= v <= 1;
    return v == 1;
  };
  if (kind == kRequestVote && in.ok()) {
    raft::RequestVote m{in.u64(), in.u64(), in.u64(), truth()};
    out = m;
  }
  if (kind == kVote) {
    raft::RequestVoteReply m{in.u64(), truth(), truth()};
    out = m;
  }
  if (kind == kAppend) out = decode_append(in, parts);
  if (kind == kAppended) {
    raft::AppendEntriesReply m{in.u64(), in.u64(), truth()};
    out = m;
  }
  if (kind == kForward) out = raft::Forward{parts.payload};
  const bool carries = kind == kAppend || kind == kForward;
  if (!in.done() || !truths || (!carries && !parts.payload.empty())) return std::nullopt;
  return out;
}

}  // namespace thresher
