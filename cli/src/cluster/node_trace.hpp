// What one node noted of the blocks and transactions that passed through it, by what one asks for.
//
//   NodeTrace trace;
//   trace.add(*net::read_commit_trace(file));           // of each of its starts, the first one
//   first if (const auto* block = trace.own(id)) ...
//
// Guarantees: of what a node saw twice the first time counts. Events that it did not note are not
// found, and a time that is missing is 0. Unit of all times: microseconds of the machine's clock.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "thresher/net/commit_trace.hpp"

namespace thresher::cli {

class NodeTrace {
 public:
  struct OwnBlock {
    std::uint64_t round = 0;
    std::uint64_t composed = 0, signed_at = 0, write_began = 0, synced = 0, woken = 0, sent = 0;
    bool whole() const { return composed != 0 && signed_at != 0 && synced != 0 && sent != 0; }
  };
  struct PeerBlock {
    std::uint16_t author = 0;
    std::uint64_t round = 0;
    std::uint64_t received = 0, verified = 0, accepted = 0;
    bool whole() const { return received != 0 && verified != 0 && accepted != 0; }
  };
  /// A block that counts here from then on.
  struct Accepted {
    std::uint64_t at = 0;
    std::uint64_t id = 0;
    std::uint64_t round = 0;
    bool own = false;
  };
  /// A block with transactions that was ordered, applied and answered here.
  struct Ordered {
    std::uint64_t id = 0;
    std::uint16_t author = 0;
    std::uint64_t at = 0, answered = 0;
  };
  struct Spent {
    std::uint64_t ns = 0, turns = 0;
  };
  using Duties = std::vector<Spent>;

  void add(const std::vector<net::TraceRecord>& records);

  const OwnBlock* own(std::uint64_t id) const;
  const PeerBlock* of_peer(std::uint64_t id) const;
  std::optional<std::uint64_t> taken(std::uint64_t client, std::uint64_t sequence) const;
  /// The first time from `at` on that waiting transactions went to the protocol.
  std::optional<std::uint64_t> packed_after(std::uint64_t at) const;
  /// By a transaction's place in the log.
  std::optional<Ordered> ordered(std::uint64_t position) const;
  /// The last block that was accepted up to `at`, of rounds from `least` on.
  std::optional<Accepted> accepted_before(std::uint64_t at, std::uint64_t least) const;
  /// The last time, in (after, until], that an own block was found durable.
  std::optional<std::uint64_t> woken_between(std::uint64_t after, std::uint64_t until) const;
  /// What the duties took between two times, as near as it was noted.
  Duties spent(std::uint64_t begin, std::uint64_t end) const;

 private:
  struct Taken {
    std::uint64_t client = 0, first = 0, last = 0, at = 0;
  };
  struct Answered {
    std::uint64_t first = 0, count = 0, id = 0, at = 0;
  };
  struct Sample {
    std::uint64_t at = 0;
    Duties duties;
  };
  void note_block(const net::TraceRecord& r);
  void note_transactions(const net::TraceRecord& r);
  void note_spent(const net::TraceRecord& r);

  std::map<std::uint64_t, OwnBlock> own_;
  std::map<std::uint64_t, PeerBlock> peers_;
  std::vector<Accepted> accepted_;  // by time
  std::vector<std::uint64_t> woken_;
  std::vector<std::uint64_t> packed_;
  std::vector<Taken> taken_;  // by client and sequence
  std::map<std::uint64_t, Ordered> ordered_;
  std::vector<Answered> answered_;  // by position
  std::vector<Sample> samples_;     // by time; of one start each counts on from the one before
  Duties before_;                   // of earlier starts together
};

}  // namespace thresher::cli
