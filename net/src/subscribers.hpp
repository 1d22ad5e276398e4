// Clients that follow the log: each gets what it lacks, a frame at a time, at its own pace.
// Private to net/.
//
//   Subscribers subscribers({begins, read, queued, send, pruned, unreadable});
//   subscribers.begin(client, place);
//   if (subscribers.feed(ledger.slot())) call_later();      // again and again until it is false
//   subscribers.leave(client);                              // its link is down
//
// Guarantees: a client gets every transaction from its place on once, in order, and nothing that
// lies behind the end of the log. Of who does not read, one frame waits and the log is not looked
// at again before that is gone. Who asks for what was pruned, or stands where the log cannot be
// read back, is told so; the others go on. Hooks may make a client leave while it is fed. Needs a
// timer of its owner, and none while nobody lacks anything.
#pragma once

#include <cstdint>
#include <functional>
#include <map>

#include "read_on.hpp"

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
  };
  /// Log sent in one frame: after so much not another entry, and of one entry not much more than
  /// the second, which is below what a frame may have. The rest of an entry means reading it again.
  /// Unit: bytes.
  static constexpr std::size_t kFrame = 1u << 20;
  static constexpr std::size_t kMost = 4u << 20;

  explicit Subscribers(Hooks hooks) : hooks_(std::move(hooks)) {}

  /// From this place on; one that followed before goes on from there.
  void begin(ConnectionId id, const LogPlace& from);
  void leave(ConnectionId id) { places_.erase(id); }
  bool empty() const { return places_.empty(); }
  /// One frame to each that lacks something up to `head`. True: somebody lacks more.
  bool feed(Round head);

 private:
  void feed_one(ConnectionId id);

  Hooks hooks_;
  std::map<ConnectionId, LogPlace> places_;
};

}  // namespace thresher::net
