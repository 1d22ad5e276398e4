// Reads the durable log: for restarts, for clients that subscribe, for nodes that were away.
// Private to net/.
//
//   LogReader reader(store, log_form_of(genesis));
//   auto read = reader.each(Round{0}, [&](const LogEntry& e) { ...; return true; });
//
// Guarantees: payloads are checked against the root that their author signed, but for those that
// part() hands on. Sees what the writer thread has written, which may be a little less than what
// was applied.
#pragma once

#include <functional>
#include <optional>

#include "ledger/log_entry.hpp"
#include "thresher/net/transport.hpp"
#include "thresher/net/wire.hpp"
#include "wire/hashed_payloads.hpp"

namespace thresher::net {

struct LogAnswer {
  Frame frame;
  wire::WantLog rest;  ///< what asks for the next part
  bool more = false;   ///< false: the part ends with the log
};

/// The payload of a logged block, held against what its author signed; `body` is what was read of
/// it. `hashed`, if it is given, keeps the hashes that this makes.
Result<Bytes> checked_payload(const LoggedBlock& block, Result<Bytes> body,
                              HashedPayloads* hashed = nullptr);

class LogReader {
 public:
  LogReader(const NodeStore& store, const LogForm& log)
      : store_(store), log_(log), begin_(load_begin(store)) {}

  /// What lies in front of the first entry. It is read from the store at first, and set by pruning
  /// later.
  const LogBegin& begin() const { return begin_; }
  void begins(const LogBegin& begin) { begin_ = begin; }

  /// Entries with a slot above `after`, oldest first, until `visit` says false.
  Result<Unit> each(Round after, const std::function<bool(const LogEntry&)>& visit) const;
  Result<Bytes> payload(const LoggedBlock& block) const;
  /// The same with the payload filled in.
  Result<Commit> whole(const LogEntry& entry) const;
  /// A slot after which the first entry holds `position`, or follows everything that is there. Pre:
  /// the position was not pruned.
  Result<Round> before(std::uint64_t position, Round last) const;

  /// Answers kWantLog with one part. `head` is the last slot of the log; what the store has behind
  /// it lies behind a hole, and is not served; who asks for what was pruned is told where the log
  /// begins. Payloads are not checked: the asker does, and asks another node when they are damaged.
  LogAnswer part(const wire::WantLog& want, Round head) const;
  /// The log hash after the last commit up to `slot`; empty: the log on the disk does not reach it,
  /// or begins behind it.
  std::optional<Digest> hash_at(Round slot) const;
  /// Answers kWantLogHash, up to the end of the log; nothing to a malformed question.
  std::optional<Frame> hash_after(const Frame& question, Round head) const;

 private:
  const NodeStore& store_;
  LogForm log_;
  LogBegin begin_;
};

}  // namespace thresher::net
