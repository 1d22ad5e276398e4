// Clients that follow the log: each gets what it lacks, a frame at a time, at its own pace.
// Private to net/.
//
//   Subscribers subscribers({begins, read, queued, send, pruned, unreadable, start, now_us});
//   subscribers.begin(client, position);
//   if (const auto at = subscribers.feed(ledger.slot())) call_at(*at);     // until it is empty
//   subscribers.leave(client);                              // its link is down
//
// Guarantees: a client gets every transaction from its place on once, in order, and nothing that
// lies behind the end of the log. If a client does not read, one frame waits and the log is not
// looked at again before that is gone. A client that asks for what was pruned, or stands where the
// log cannot be read back, hears so; the others go on. Reading takes a ThreadShare, of all clients
// together, and a piece of kBurst at a time: a log that is full of duplicates has much to read and
// little to send. Clients have turns. Hooks may make a client leave while it is fed. Needs a timer
// of its owner, and none while nobody lacks anything.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "ledger/read_on.hpp"
#include "links/thread_share.hpp"

namespace thresher::net {

class Subscribers {
 public:
  struct Hooks {
    std::function<std::uint64_t()> begins;  ///< the first position of the log that is there
    std::function<ReadOn(const LogPlace&, const VisitTransaction&, const std::function<bool()>&)>
        read;
    std::function<std::size_t(ConnectionId)> queued;  ///< bytes that its link did not take yet
    /// `log`: `count` transactions up to `end`, as RunWriter wrote them. False: it took nothing.
    std::function<bool(ConnectionId, std::uint64_t end, std::uint32_t count,
                       std::vector<std::byte> log)>
        send;
    std::function<void(ConnectionId)> pruned;             ///< what it asks for; it left before
    std::function<void(ConnectionId, Round)> unreadable;  ///< this slot
    /// The slot after which an entry holds the position; empty: the log cannot be read.
    std::function<std::optional<Round>(std::uint64_t position)> start;
    std::function<std::uint64_t()> now_us;  ///< monotonic
  };
  /// Log sent in one frame: after so much not another entry, and of one entry not much more than
  /// the second, which is below what a frame may have. The rest of an entry means reading it again.
  /// Unit: bytes.
  static constexpr std::size_t kFrame = 1u << 20;
  static constexpr std::size_t kMost = 4u << 20;

  explicit Subscribers(Hooks hooks) : hooks_(std::move(hooks)) {}

  /// From this position on; one that followed before goes on from there.
  void begin(ConnectionId id, std::uint64_t position);
  void leave(ConnectionId id) { followers_.erase(id); }
  bool empty() const { return followers_.empty(); }
  /// A frame at most to each that lacks something up to `head`, as far as the share allows. When
  /// to call again; empty: nobody lacks more. Unit: microseconds.
  std::optional<std::uint64_t> feed(Round head);

 private:
  /// A link that took nothing is tried again so much later. Unit: microseconds.
  static constexpr std::uint64_t kRetry = 10'000;
  struct Follower {
    LogPlace place;
    bool found = false;  // the slot of the place was looked for
  };
  bool lacks(const Follower& f, Round head) const { return !f.found || f.place.after < head; }
  std::vector<ConnectionId> in_turn(Round head) const;
  bool feed_one(ConnectionId id, std::uint64_t now);

  Hooks hooks_;
  std::map<ConnectionId, Follower> followers_;
  ConnectionId last_ = 0;  // who had a turn last
  ThreadShare share_;
};

}  // namespace thresher::net
