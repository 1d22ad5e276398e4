// Tells clients where their transactions stand in the log: with the results that the application
// gave, to those that asked for them, and without to the others. Private to net/.
//
//   Replies replies(results, older_clients, {send, drop, queued});
//   replies.wants_results(link);                           // from now on
//   replies.placed(link, {sequence, position});            // ordered, now or before
//   replies.tell(ledger.slot());                           // behind each commit
//   if (const auto at = replies.tell_results(ledger.slot())) call_at(*at);   // until empty
//
// Guarantees: a link gets each answer once, in one frame with the others that are there, or is
// closed: it would wait for ever for an answer that is lost, and asks again on a new one. A result
// is told when the application has given it. A link that wants results and does not read may have
// kMostUntold waiting, of which kResultsFrame bytes are in its queue.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>

#include "ledger/kept_results.hpp"
#include "service/older_clients.hpp"
#include "service/submissions.hpp"
#include "thresher/core/transcript.hpp"

namespace thresher::net {

class Replies {
 public:
  struct Hooks {
    std::function<bool(ConnectionId, const Frame&)> send;  ///< false: it was not taken
    std::function<void(ConnectionId)> drop;  ///< it does not read its answers; may call leave()
    std::function<std::size_t(ConnectionId)> queued;  ///< bytes that its link did not take yet
    std::function<std::uint64_t()> now_us;            ///< monotonic
  };
  /// Results in one frame, and that may wait in a link's queue before more follow. Unit: bytes.
  static constexpr std::size_t kResultsFrame = 1u << 20;
  /// Answers with results that a link has not taken yet; with more it is closed.
  static constexpr std::size_t kMostUntold = 1u << 16;

  /// The references live longer than this.
  Replies(const KeptResults& results, OlderClients& older, Hooks hooks)
      : results_(results), older_(older), hooks_(std::move(hooks)) {}

  void wants_results(ConnectionId link) { untold_.try_emplace(link); }
  void leave(ConnectionId link);
  /// To be told by the next tell().
  void placed(ConnectionId link, const Placed& at);
  /// What goes without a result. `slot`: the last one of the log.
  void tell(Round slot);
  /// Some link wants results, so tell_results() may have something to do.
  bool owes_results() const { return !untold_.empty(); }
  /// What goes with one, as far as the links have room. When to call again; empty: nothing is
  /// left, or the application has not given it. Unit: microseconds.
  std::optional<std::uint64_t> tell_results(Round slot);

 private:
  /// A link that could not take more is tried again so much later. Unit: microseconds.
  static constexpr std::uint64_t kRetry = 10'000;

  bool tell_results(ConnectionId link, const Bytes& control);

  const KeptResults& results_;
  OlderClients& older_;
  Hooks hooks_;
  std::map<ConnectionId, Writer> acks_;                // (sequence, position) pairs, to be sent
  std::map<ConnectionId, std::deque<Placed>> untold_;  // of links that asked for results
};

}  // namespace thresher::net
