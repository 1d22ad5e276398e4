#include "records.hpp"

#include <utility>

#include "../chassis/commit_records.hpp"

namespace thresher::dag {
namespace {

void append(std::uint64_t number, std::vector<std::byte>& key) {
  for (int shift = 56; shift >= 0; shift -= 8)
    key.push_back(static_cast<std::byte>(number >> shift));
}

Bytes evidence_key(Round slot, const Digest& leader) {
  std::vector<std::byte> key;
  append(slot.value, key);
  key.insert(key.end(), leader.bytes.begin(), leader.bytes.end());
  return Bytes::from(std::move(key));
}

Bytes culprit_key(NodeId id) {
  return Bytes::from({static_cast<std::byte>(id.value >> 8), static_cast<std::byte>(id.value)});
}

}  // namespace

Bytes block_key(const Edge& edge) {
  std::vector<std::byte> key;
  key.reserve(sizeof(std::uint64_t) + sizeof(std::uint16_t) + edge.digest.bytes.size());
  append(edge.round.value, key);
  key.push_back(static_cast<std::byte>(edge.author.value >> 8));
  key.push_back(static_cast<std::byte>(edge.author.value));
  key.insert(key.end(), edge.digest.bytes.begin(), edge.digest.bytes.end());
  return Bytes::from(std::move(key));
}

void Records::put(Table table, const Block& block, Fx& fx) const {
  if (!kept_) return;
  Writer value;
  encode_header(block, value);
  fx.push(Persist{table, block_key(block.edge()), Bytes::from(value.take()), block.payload.bytes,
                  table != kOwn});
}

void Records::erase(Table table, const Block& block, Fx& fx) const {
  if (kept_) fx.push(Persist{table, block_key(block.edge()), {}, {}, true});
}

void Records::put_delivered(const Committed& commit, const Schedule& after, Fx& fx) const {
  if (kept_) fx.push(chassis::commit_record(kDelivered, commit, after));
}

void Records::erase_delivered(Round slot, Fx& fx) const {
  if (kept_) fx.push(chassis::no_commit_record(kDelivered, slot));
}

void Records::put_evidence(Round slot, const Digest& leader, std::span<const BlockPtr> headers,
                           Fx& fx) const {
  if (!kept_) return;
  Writer value;
  for (const BlockPtr& header : headers) encode_header(*header, value);
  fx.push(Persist{kEvidence, evidence_key(slot, leader), Bytes::from(value.take()), Bytes(), true});
}

void Records::erase_evidence(Round slot, const Digest& leader, Fx& fx) const {
  if (kept_) fx.push(Persist{kEvidence, evidence_key(slot, leader), {}, {}, true});
}

void Records::put_equivocation(NodeId culprit, const Bytes& proof, Fx& fx) const {
  if (kept_) fx.push(Persist{kEquivocation, culprit_key(culprit), proof, {}});
}

Bytes Records::encode(const Equivocation& proof) {
  Writer out;
  encode_header(*proof.first, out);
  encode_header(*proof.second, out);
  return Bytes::from(out.take());
}

std::optional<RestoredBlock> Records::read_block(const Restored& record) const {
  Reader in(record.value.view());
  auto block = decode_slim(in, chain_, committee_.size());
  if (!block) return std::nullopt;
  if (!record.body.empty()) {
    // The root is what the header says: the host's storage checks its own checksums.
    auto whole = std::make_shared<Block>(**block);
    whole->payload.bytes = record.body;
    *block = std::move(whole);
  }
  const bool came_with_log = !in.done() && in.u8() == kCameWithLog;
  return RestoredBlock{std::move(*block), came_with_log};
}

std::optional<Records::Evidence> Records::read_evidence(const Restored& record) const {
  Reader key(record.key.view());
  Evidence out;
  for (int i = 0; i < 8; ++i) out.slot.value = out.slot.value << 8 | key.u8();
  out.leader = key.digest();
  if (!key.done()) return std::nullopt;
  Reader in(record.value.view());
  while (in.ok() && !in.done()) {
    auto header = decode_slim(in, chain_, committee_.size());
    if (!header) break;
    out.headers.push_back(std::move(*header));
  }
  return out;
}

std::optional<Equivocation> Records::read_equivocation(const Restored& record) const {
  Reader in(record.value.view());
  const auto first = decode_slim(in, chain_, committee_.size());
  const auto second = first ? decode_slim(in, chain_, committee_.size()) : std::nullopt;
  if (!second || !in.done() || !committee_.contains((*first)->author())) return std::nullopt;
  return Equivocation{*first, *second};
}

}  // namespace thresher::dag
