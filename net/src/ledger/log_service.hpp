// Serves parts of the committed log to peers that were away: in turns, and within a share of this
// node's time. Private to net/.
//
//   LogService service(n, {read, send, &Loop::now_us});
//   service.want(NodeId{2}, question);
//   if (const auto at = service.step(now)) call_at(*at);        // again and again until empty
//
// Guarantees: one question of a peer is served at a time, a newer one takes its place; those who
// wait are served in turns, a part each, so that one who asks without end gets no more than its
// turn. Reading parts takes at most one kShare-th of the time, so that the order of new
// transactions does not wait for those who fetch old ones; a peer gets at most kRate. Nothing is
// read for a peer whose send queue did not take the part before.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "ledger/log_reader.hpp"
#include "thresher/core/ids.hpp"
#include "thresher/net/transport.hpp"
#include "thresher/net/wire.hpp"

namespace thresher::net {

class LogService {
 public:
  struct Hooks {
    std::function<LogAnswer(const wire::WantLog&)> read;  ///< one part of the log
    std::function<bool(NodeId, const Frame&)> send;       ///< false: it has no room
    std::function<std::uint64_t()> now_us;                ///< monotonic
  };
  static constexpr std::uint32_t kMostParts = 16;  ///< that one question brings
  static constexpr std::uint64_t kRate = 250;      ///< bytes per microsecond, of one peer
  static constexpr std::uint64_t kShare = 4;

  LogService(std::size_t peers, Hooks hooks) : peers_(peers), hooks_(std::move(hooks)) {}

  void want(NodeId from, const wire::WantLog& question);
  /// Serves at most one part. When to call again; empty: nobody waits.
  std::optional<std::uint64_t> step();
  /// Bytes of payload served to a peer since the start.
  std::uint64_t served(NodeId to) const { return peers_[to.value].bytes; }

 private:
  struct Peer {
    wire::WantLog question;
    std::uint32_t parts = 0;    // still to come
    std::uint64_t next_us = 0;  // the next one not before
    std::uint64_t bytes = 0;
  };
  void serve(std::size_t peer, std::uint64_t now);

  std::vector<Peer> peers_;
  Hooks hooks_;
  std::size_t turn_ = 0;       // who is looked at first
  std::uint64_t next_us_ = 0;  // of all
};

}  // namespace thresher::net
