#include "thresher/protocols/order/requests.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace thresher::order {

Queued& Requests::hold(const Bytes& value, const Digest& digest, std::uint64_t now) {
  Queued& request = known_.try_emplace(digest, Queued{value, digest, now, 0}).first->second;
  ++request.holders;
  return request;
}

void Requests::release(const Digest& digest) {
  const auto at = known_.find(digest);
  if (--at->second.holders == 0) known_.erase(at);
}

Result<bool> Requests::add(NodeId from, const Bytes& value, const Digest& digest,
                           std::uint64_t now) {
  Peer& peer = peers_[from];
  if (std::find(peer.queue.begin(), peer.queue.end(), digest) != peer.queue.end()) return false;
  if (peer.queue.size() >= limits_.entries || peer.bytes + value.size() > limits_.bytes)
    return Errc::kQuotaExceeded;
  hold(value, digest, now);
  peer.queue.push_back(digest);
  peer.bytes += value.size();
  ++queued_;
  return true;
}

bool Requests::urge(NodeId from, const Bytes& value, const Digest& digest, std::uint64_t now) {
  Peer& peer = peers_[from];
  if (peer.urgent == digest) return false;
  hold(value, digest, now);
  if (const auto last = std::exchange(peer.urgent, digest)) release(*last);
  return true;
}

Result<bool> Requests::take(NodeId from, const Offer& m, std::uint64_t now) {
  const Queued* known = find(m.digest);
  if (known == nullptr) return false;
  const Bytes value = known->value;
  if (!m.urgent) return add(from, value, m.digest, now);
  return urge(from, value, m.digest, now);
}

void Requests::remove(const Digest& digest) {
  const auto known = known_.find(digest);
  if (known == known_.end()) return;
  const std::size_t size = known->second.value.size();
  std::uint32_t holders = known->second.holders;
  for (auto entry = peers_.begin(); entry != peers_.end() && holders > 0;) {
    Peer& peer = entry->second;
    if (peer.urgent == digest) {
      peer.urgent.reset();
      --holders;
    }
    const auto at = std::find(peer.queue.begin(), peer.queue.end(), digest);
    if (at != peer.queue.end()) {
      peer.queue.erase(at);
      peer.bytes -= size;
      --queued_;
      --holders;
    }
    const bool empty = peer.queue.empty() && !peer.urgent;
    entry = empty ? peers_.erase(entry) : std::next(entry);
  }
  known_.erase(known);
}

const Queued* Requests::first_of(NodeId peer) const {
  const auto at = peers_.find(peer);
  const bool none = at == peers_.end() || at->second.queue.empty();
  return none ? nullptr : &known_.at(at->second.queue.front());
}

const Queued* Requests::find(const Digest& digest) const {
  const auto at = known_.find(digest);
  return at == known_.end() ? nullptr : &at->second;
}

std::size_t Requests::bytes() const {
  std::size_t out = 0;
  for (const auto& [digest, request] : known_) out += request.value.size();
  return out;
}

}  // namespace thresher::order
