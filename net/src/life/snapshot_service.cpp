#include "life/snapshot_service.hpp"

#include <utility>

#include "thresher/net/codec.hpp"

namespace thresher::net {
namespace {

const ReadFile& file_of(const StoredSnapshot& of, const SnapshotPart& part) {
  return part.file == SnapshotFileName::kLedger ? of.ledger : of.state;
}

const std::vector<Digest>& hashes_of(const StoredSnapshot& of, const SnapshotPart& part) {
  return part.file == SnapshotFileName::kLedger ? of.manifest.ledger_chunks : of.manifest.chunks;
}

/// For parts other than a manifest.
bool has(const StoredSnapshot& of, const SnapshotPart& part) {
  return part.index < hashes_of(of, part).size();
}

}  // namespace

bool SnapshotService::may_ask(NodeId from, bool takes_one) {
  std::uint64_t& next_us = peers_[from.value].next_offers_us[takes_one ? 1 : 0];
  const std::uint64_t now = hooks_.now_us();
  if (now < next_us) return false;
  next_us = now + kOffersEach;
  return true;
}

const StoredSnapshot* SnapshotService::stored(Round slot) {
  auto it = open_.find(slot);
  if (it == open_.end()) {
    while (open_.size() >= kMostOffers) open_.erase(open_.begin());
    auto found = folder_.stored(slot);
    if (!found) return nullptr;
    it = open_.emplace(slot, std::move(found)).first;
  }
  return &*it->second;
}

void SnapshotService::want(NodeId from, const SnapshotPart& part) {
  Peer& p = peers_[from.value];
  if (p.asked.size() < kMostAsked) p.asked.push_back(part);
}

// Empty: there is no such part, or the disk does not give it as it was written.
Bytes SnapshotService::read(const SnapshotPart& part) {
  const StoredSnapshot* of = stored(part.slot);
  if (of == nullptr) return {};
  if (part.file == SnapshotFileName::kManifest) return part.index == 0 ? of->encoded : Bytes{};
  if (!has(*of, part)) return {};
  Bytes bytes = chunk_of(file_of(*of, part), part.index);
  if (!bytes.empty() && hash(bytes.view()) == hashes_of(*of, part)[part.index]) return bytes;
  hooks_.damaged(part);
  return {};
}

std::optional<std::uint64_t> SnapshotService::step() {
  const std::uint64_t now = hooks_.now_us();
  bool waits = false;
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    const std::size_t peer = (turn_ + i) % peers_.size();
    Peer& p = peers_[peer];
    if (p.asked.empty()) continue;
    waits = true;
    if (now < next_us_) break;
    const SnapshotPart part = p.asked.front();
    p.asked.pop_front();
    turn_ = peer + 1;
    const Bytes bytes = read(part);
    const GivenPart head{part, !bytes.empty()};
    // What does not fit its queue is asked for again.
    const NodeId to{static_cast<std::uint16_t>(peer)};
    if (hooks_.send(to, {kPart, encode(head), bytes}) && head.found) {
      p.bytes += bytes.size();
      hooks_.gave(to, part);
    }
    // While this thread does other things, the system reads what the peer asked for next.
    const StoredSnapshot* of = p.asked.empty() ? nullptr : stored(p.asked.front().slot);
    if (of != nullptr && p.asked.front().file != SnapshotFileName::kManifest &&
        has(*of, p.asked.front()))
      file_of(*of, p.asked.front())
          .soon(p.asked.front().index * Manifest::kChunk, Manifest::kChunk);
    next_us_ = now + (hooks_.now_us() - now) * kShare;
    break;
  }
  if (!waits) {
    close();
    return std::nullopt;
  }
  return std::max(next_us_, now);
}

}  // namespace thresher::net
