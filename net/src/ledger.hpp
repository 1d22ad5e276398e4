// The committed log of a node: order, de-duplication, positions and hashes. Private to net/.
//
//   LogEntry entry = ledger.append(commit, [&](const Transaction& t, const dag::BlockPtr& b) {});
//
// Guarantees: a function of the sequence of commits alone, so all nodes agree on positions and
// hashes; each (client, sequence) is visited once while its client is remembered. Memory is
// bounded: once more than kRemembered clients and sequences out of order are held, the clients that
// were not seen for longest are forgotten, so a resubmission counts once unless that many others
// came in between. A sequence more than kSequenceWindow above the lowest one missing is not
// ordered; one that kGapWindow higher ones of its client overtook is taken for lost, and never is.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "log_entry.hpp"
#include "thresher/net/node.hpp"
#include "thresher/protocols/dag/message.hpp"

namespace thresher::net {

/// Sequences a client may be ahead of its lowest one that is not ordered yet.
inline constexpr std::uint64_t kSequenceWindow = 1u << 20;

/// Sequences of a client that are held above a missing one before it is given up.
inline constexpr std::size_t kGapWindow = 1u << 16;
/// Clients, plus sequences ordered before a lower one, that are remembered.
inline constexpr std::size_t kRemembered = 1u << 18;

/// Bytes in front of a transaction's data: client u64, sequence u64, size u32.
inline constexpr std::size_t kTransactionHead = 20;

/// Visits the transactions of a payload; false when it is malformed (what came before was visited).
template <class F>
bool each_transaction(ByteView payload, F visit) {
  Reader in(payload);
  while (in.ok() && in.remaining() > 0) {
    const std::uint64_t client = in.u64();
    const std::uint64_t sequence = in.u64();
    const ByteView data = in.bytes(in.u32());
    if (!in.ok()) return false;
    visit(client, sequence, data);
  }
  return in.ok();
}

/// Visits the transactions of one logged block that were new when it was ordered; the first of them
/// has `position`. Returns the position after the last.
template <class F>
std::uint64_t each_ordered(const LoggedBlock& block, ByteView payload, std::uint64_t position,
                           F visit) {
  std::uint32_t index = 0;
  auto skip = block.skipped.begin();
  each_transaction(payload, [&](std::uint64_t client, std::uint64_t sequence, ByteView data) {
    if (skip != block.skipped.end() && *skip == index++) {
      ++skip;
      return;
    }
    visit(Transaction{position++, client, sequence, data});
  });
  return position;
}

class Ledger {
 public:
  /// Orders one commit; `visit` gets the transactions that are new, and their blocks. Pre:
  /// follows(commit); payloads are there.
  template <class F>
  LogEntry append(const dag::Committed& commit, F visit) {
    LogEntry entry{commit.slot, commit.leader, {}, length_, 0, {}, slot_};
    slot_ = commit.slot;
    entry.blocks.reserve(commit.blocks.size());
    for (const dag::BlockPtr& b : commit.blocks) {
      LoggedBlock& logged = entry.blocks.emplace_back(LoggedBlock{b, {}, {}});
      std::uint32_t index = 0;
      each_transaction(b->payload.bytes.view(),
                       [&](std::uint64_t client, std::uint64_t sequence, ByteView data) {
                         if (fresh(client, sequence)) {
                           visit(Transaction{length_++, client, sequence, data}, b);
                         } else {
                           logged.skipped.push_back(index);
                         }
                         ++index;
                       });
    }
    entry.count = length_ - entry.first;
    hash_ = chained(hash_, commit.slot, commit.leader, commit.blocks);
    entry.log_hash = hash_;
    forget();
    return entry;
  }
  /// False: commits are missing between the log and this one, or the log has it already.
  bool follows(const dag::Committed& commit) const {
    return commit.before == slot_ && commit.slot > slot_;
  }
  LogEnd end() const { return {slot_, length_}; }
  bool contains(std::uint64_t client, std::uint64_t sequence) const {
    const auto it = seen_.find(client);
    return it != seen_.end() && (sequence < it->second.next || it->second.above.contains(sequence));
  }
  std::uint64_t length() const { return length_; }
  /// What counts against kRemembered.
  std::size_t remembered() const { return seen_.size() + above_; }
  const Digest& log_hash() const { return hash_; }
  /// The last slot in the log; 0 before the first.
  Round slot() const { return slot_; }

  /// The whole state as bytes, for a snapshot; `restore` is its mirror.
  Bytes save() const;
  bool restore(ByteView bytes);

 private:
  struct Seen {
    std::uint64_t next = 0;           // every sequence below was seen
    std::set<std::uint64_t> above{};  // seen out of order
    Round last{0};                    // slot of the last commit with something of the client
  };
  bool fresh(std::uint64_t client, std::uint64_t sequence);
  Seen& look_up(std::uint64_t client, std::uint64_t sequence);
  void close_gap(Seen& seen);
  void forget();

  std::map<std::uint64_t, Seen> seen_;
  std::set<std::pair<Round, std::uint64_t>> by_age_;  // (last, client) of all in seen_
  std::size_t above_ = 0;                             // sum of the sizes of `above`
  std::uint64_t last_client_ = 0;
  Seen* last_ = nullptr;
  std::uint64_t length_ = 0;
  Digest hash_{};
  Round slot_{0};
};

}  // namespace thresher::net
