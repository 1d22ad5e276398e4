// Payloads of the application that wait for an own header, and which of them were sent ahead. Rule
// R1.
//
//   Backlog backlog(limits.pending_submits, limits.batches_per_peer);
//   if (!backlog.add(payload)) refuse();                 // as many wait as may
//   while (const Payload* p = backlog.next_ahead()) broadcast(*p);
//   Payload next = backlog.take();                       // for the next header; empty: none waits
//   backlog.again(vertex->payload);                      // no anchor took it in time
//
// Guarantees: first in, first out. Each payload is sent ahead once, and no more of them than half
// of what a receiver keeps. What the application was told is taken is never refused, so `again` is
// not limited: there are no more of those than own vertices above the floor.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "thresher/core/assert.hpp"
#include "thresher/protocols/certified/message.hpp"

namespace thresher::certified {

class Backlog {
 public:
  /// `kept`: so many payloads of a peer that no vertex carries yet are kept.
  Backlog(std::size_t most, std::uint32_t kept)
      : most_(most), most_ahead_(std::max<std::size_t>(1, kept / kAheadShare)) {}

  /// False: refused.
  bool add(const Payload& payload) {
    if (waiting_.size() >= most_) return false;
    waiting_.push_back(payload);
    return true;
  }
  /// What was taken before goes into another header, behind those that wait. A payload without
  /// bytes is none.
  void again(const Payload& payload) {
    if (!payload.bytes.empty()) waiting_.push_back(payload);
  }
  /// The next one to be sent ahead, which counts as sent then; null: there is none, or enough were.
  const Payload* next_ahead() {
    if (ahead_ >= std::min(waiting_.size(), most_ahead_)) return nullptr;
    return &waiting_[ahead_++];
  }
  /// Removes the next one, which was sent ahead; an empty payload when nothing waits.
  Payload take() {
    if (waiting_.empty()) return {};
    THRESHER_ASSERT(ahead_ > 0, "R1: payloads travel before the headers that name them");
    Payload next = std::move(waiting_.front());
    waiting_.pop_front();
    --ahead_;
    return next;
  }

  bool empty() const { return waiting_.empty(); }
  std::size_t size() const { return waiting_.size(); }
  /// Empty: none of this root waits.
  std::optional<Payload> find(const Digest& root) const {
    const auto it = std::find_if(waiting_.begin(), waiting_.end(), [&](const Payload& p) {
      return p.root == root && !p.bytes.empty();
    });
    return it == waiting_.end() ? std::nullopt : std::optional<Payload>(*it);
  }

 private:
  static constexpr std::uint32_t kAheadShare = 2;

  std::size_t most_;
  std::size_t most_ahead_;
  std::deque<Payload> waiting_;
  std::size_t ahead_ = 0;  // of those, from the front
};

}  // namespace thresher::certified
