// Containers that a peer can fill, with the limit as part of the type.
//
//   PerPeerMap<Round, Block, 64> waiting(committee.size());    // 64 entries a peer
//   if (!waiting.insert(from, round, std::move(block))) drop();   // that peer is over its quota
//
// Guarantees: an owner never holds more than its quota, whatever it sends, and a full quota of one
// owner takes no room from another; what was refused changed nothing. Iteration is in key order, so
// equal calls give equal states. The limit counts entries, not bytes: an entry's size is bounded
// where it is decoded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "thresher/core/ids.hpp"
#include "thresher/core/result.hpp"

namespace thresher {

/// How much each of n peers holds of something, at most `Limit` units each.
template <std::size_t Limit>
class PeerQuota {
  static_assert(Limit > 0, "a quota of nothing refuses everything");

 public:
  static constexpr std::size_t kLimit = Limit;

  explicit PeerQuota(std::uint32_t peers) : used_(peers) {}

  /// Takes one unit. kUnknownSender when `peer` is not one of the n, kQuotaExceeded when it is
  /// full.
  Result<Unit> take(NodeId peer) {
    if (peer.value >= used_.size()) return Errc::kUnknownSender;
    if (used_[peer.value] == Limit) return Errc::kQuotaExceeded;
    ++used_[peer.value];
    return Unit{};
  }
  /// Gives one unit back; nothing happens when `peer` holds none.
  void give(NodeId peer) {
    if (used(peer) > 0) --used_[peer.value];
  }
  std::size_t used(NodeId peer) const {
    return peer.value < used_.size() ? used_[peer.value] : std::size_t{0};
  }
  std::uint32_t peers() const { return static_cast<std::uint32_t>(used_.size()); }

 private:
  std::vector<std::size_t> used_;
};

/// An ordered map in which every entry is charged to the peer that caused it.
template <class K, class V, std::size_t Limit>
class PerPeerMap {
 public:
  explicit PerPeerMap(std::uint32_t peers) : quota_(peers) {}

  /// True when the entry is new, false when the key is there already (the first owner keeps it and
  /// is the only one charged). Errors: as PeerQuota::take.
  Result<bool> insert(NodeId owner, K key, V value) {
    if (owner.value >= quota_.peers()) return Errc::kUnknownSender;
    if (entries_.contains(key)) return false;
    if (auto taken = quota_.take(owner); !taken) return taken.error();
    entries_.emplace(std::move(key), Entry{owner, std::move(value)});
    return true;
  }
  /// Null when the key is absent.
  V* find(const K& key) {
    const auto at = entries_.find(key);
    return at == entries_.end() ? nullptr : &at->second.value;
  }
  const V* find(const K& key) const { return const_cast<PerPeerMap*>(this)->find(key); }
  /// Removes the entry and frees its owner's unit. Empty when the key is absent.
  std::optional<V> take(const K& key) {
    const auto at = entries_.find(key);
    if (at == entries_.end()) return std::nullopt;
    std::optional<V> out(std::move(at->second.value));
    quota_.give(at->second.owner);
    entries_.erase(at);
    return out;
  }
  /// Removes every key below `bound`: garbage collection by round.
  void erase_below(const K& bound) {
    const auto end = entries_.lower_bound(bound);
    for (auto at = entries_.begin(); at != end; at = entries_.erase(at)) {
      quota_.give(at->second.owner);
    }
  }
  /// Calls `visit(key, value)` in key order.
  template <class F>
  void for_each(F visit) const {
    for (const auto& [key, entry] : entries_) visit(key, entry.value);
  }
  std::size_t size() const { return entries_.size(); }
  std::size_t held_by(NodeId owner) const { return quota_.used(owner); }

 private:
  struct Entry {
    NodeId owner;
    V value;
  };
  std::map<K, Entry> entries_;
  PeerQuota<Limit> quota_;
};

}  // namespace thresher
