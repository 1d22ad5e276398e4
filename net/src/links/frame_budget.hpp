// What half-received frames of clients may take together, and which client gives way when it is too
// much. Private to net/.
//
//   FrameBudget budget(32u << 20, 256);
//   if (const auto out = budget.hold(connection, 200'000)) close(*out);
//   budget.release(connection);                   // the frame is whole, or the connection gone
//
// Guarantees: what is held is within the budget once hold() returned and the holder it names was
// released. A holder of no more than an equal share is never named, so that many small frames do
// not end a small one. Of the others it is the one whose frame began first: a client that means its
// frame finishes it, and one that keeps it half-sent gets old. Small frames need not be told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace thresher::net {

class FrameBudget {
 public:
  using Holder = std::uint64_t;

  /// `holders`: how many may hold something at a time. Pre: at least 1.
  FrameBudget(std::size_t bytes, std::size_t holders) : most_(bytes), share_(bytes / holders) {}

  /// The unfinished frame of `who` takes `bytes` now. Returns the holder that must be closed and
  /// released, if any: perhaps `who`. To be repeated with the same values until it names nobody.
  std::optional<Holder> hold(Holder who, std::size_t bytes) {
    Held& held = held_[who];
    if (held.bytes == 0) held.since = next_++;
    total_ = total_ - held.bytes + bytes;
    held.bytes = bytes;
    if (total_ <= most_) return std::nullopt;
    std::optional<Holder> oldest;
    for (const auto& [holder, other] : held_) {
      if (other.bytes <= share_) continue;
      if (!oldest || other.since < held_.at(*oldest).since) oldest = holder;
    }
    return oldest;
  }

  /// Does nothing when `who` holds nothing.
  void release(Holder who) {
    const auto it = held_.find(who);
    if (it == held_.end()) return;
    total_ -= it->second.bytes;
    held_.erase(it);
  }

  std::size_t total() const { return total_; }

 private:
  struct Held {
    std::size_t bytes = 0;
    std::uint64_t since = 0;
  };
  std::size_t most_;
  std::size_t share_;
  std::size_t total_ = 0;
  std::uint64_t next_ = 0;
  std::map<Holder, Held> held_;
};

}  // namespace thresher::net
