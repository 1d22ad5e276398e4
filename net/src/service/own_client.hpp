// The process around a node as a client of it: its transactions from the call to their outcome.
// Private to net/.
//
//   OwnClient own(id, first_sequence, transaction_bytes, {submit, gave_way, taken, post});
//   if (own.add(submission)) post([&] { own.take(ledger.slot()); });     // from any thread
//   if (auto ask = own.ordered(sequence)) ask->done(outcome);
//   own.refused(sequence, Refusal::kExpired);
//   if (const auto at = own.end_late(now)) call_at(*at);                 // until empty
//   own.close("the node has stopped");                                   // from any thread
//
// Guarantees: everything added has one outcome, whatever comes first: a commit, a refusal in words,
// the end of its patience, its cancellation or close() (own_submissions.hpp). What the node did not
// take is refused; what it took and cannot answer for is unknown, with the slot after which it is
// in no log. Its sequences rise, and are its own: the id is the node's key's.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "service/own_submissions.hpp"
#include "service/submissions.hpp"

namespace thresher::net {

class OwnClient {
 public:
  struct Hooks {
    /// As Submissions::submit().
    std::function<Submissions::Answers(const RunHead&, const Bytes& entries)> submit;
    /// Those of others that gave way to one of these.
    std::function<void(const std::vector<Submission>&)> gave_way;
    std::function<void()> taken;  ///< one waits for a block from now on
    /// From any thread: has it called on the node's.
    std::function<void(std::function<void()>)> post;
  };

  OwnClient(const ClientId& id, std::uint64_t first_sequence, std::uint64_t transaction_bytes,
            Hooks hooks)
      : id_(id),
        next_(first_sequence),
        transaction_bytes_(transaction_bytes),
        hooks_(std::move(hooks)) {}

  /// From any thread. True: take() is due, and nobody else was told so.
  bool add(OwnSubmission ask) { return submissions_.add(std::move(ask)); }
  /// Submits what was added. `slot`: the last one of the log.
  void take(Round slot);
  /// It is in the log. Empty: it has its outcome already.
  std::optional<OwnSubmission> ordered(std::uint64_t sequence) {
    return submissions_.settle(sequence);
  }
  /// It is not, and never will be.
  void refused(std::uint64_t sequence, Refusal why);
  /// Ends those whose patience has ended. When to call again; empty: nobody's ends. Monotonic.
  /// Unit: microseconds.
  std::optional<std::uint64_t> end_late(std::uint64_t now_us);
  /// From any thread. The first reason stands.
  void close(const std::string& why) { submissions_.close(why); }

 private:
  void submit(OwnSubmission ask, Round slot);
  std::string in_words(Refusal why) const;

  ClientId id_;
  std::uint64_t next_;  // sequence
  std::uint64_t transaction_bytes_;
  Hooks hooks_;
  OwnSubmissions submissions_;
};

}  // namespace thresher::net
