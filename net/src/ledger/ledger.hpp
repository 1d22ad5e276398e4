// The committed log of a node: order, de-duplication, positions and hashes. Private to net/.
//
//   LogEntry entry = ledger.append(commit, hashed,
//                                  [&](const Transaction& t, const NewTransaction& of) {});
//
// Guarantees: a function of the sequence of commits alone, so all nodes agree on positions and
// hashes. A transaction is (client, sequence, data): each is visited once, while it is valid; two
// that share client and sequence and differ in data are two transactions, so what a Byzantine
// member writes in a client's name displaces nothing of that client. Memory is bounded
// (remembered.hpp). Each commit has an agreed time (agreed_time.hpp).
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "ledger/agreed_time.hpp"
#include "ledger/commit.hpp"
#include "ledger/log_entry.hpp"
#include "ledger/remembered.hpp"
#include "thresher/net/node.hpp"
#include "wire/hashed_payloads.hpp"

namespace thresher::net {

/// Visits the transactions of one logged block that were new when it was ordered; the first of them
/// has `position`. Returns the position after the last.
template <class F>
std::uint64_t each_ordered(const LoggedBlock& block, ByteView payload, std::uint64_t position,
                           F visit) {
  std::uint32_t index = 0;
  auto skip = block.skipped.begin();
  each_transaction(payload, [&](const RunHead& run, std::uint64_t sequence, ByteView data) {
    if (skip != block.skipped.end() && *skip == index++) {
      ++skip;
      return;
    }
    visit(Transaction{position++, run.client, sequence, data, 0, 0}, run.valid);
  });
  return position;
}

/// What the ledger knows of a transaction that it has just ordered.
struct NewTransaction {
  const OrderedBlockPtr& block;  ///< where it stood
  const Fingerprint& print;
  const Digest* payload;  ///< payload_hash() of its data; null: not known yet
};

class Ledger {
 public:
  /// `time`: before the first commit.
  explicit Ledger(AgreedTime time = AgreedTime()) : time_(std::move(time)) {}

  /// Orders one commit; `visit` gets the transactions that are new. `hashed` may know hashes of the
  /// payloads, and forgets them. Pre: follows(commit); payloads are there.
  template <class F>
  LogEntry append(const Commit& commit, HashedPayloads& hashed, F visit) {
    LogEntry entry{commit.slot, commit.id, {}, length_, 0, {}, slot_};
    slot_ = commit.slot;
    const std::uint64_t time_us = time_of(commit);
    entry.blocks.reserve(commit.blocks.size());
    for (const OrderedBlockPtr& b : commit.blocks) {
      append_block(entry.blocks.emplace_back(LoggedBlock{b, {}, {}}), time_us,
                   HashCursor(b->payload.view(), hashed.take(b->payload_root)), visit);
    }
    remembered_.end_slot(slot_);
    entry.count = length_ - entry.first;
    hash_ = chained(hash_, commit);
    entry.log_hash = hash_;
    return entry;
  }
  /// The same where no hash is known before.
  template <class F>
  LogEntry append(const Commit& commit, F visit) {
    HashedPayloads none(false);
    return append(commit, none, visit);
  }
  /// False: commits are missing between the log and this one, or the log has it already.
  bool follows(const Commit& commit) const { return commit.before == slot_ && commit.slot > slot_; }
  LogEnd end() const { return {slot_, length_}; }
  Fingerprint print_of(const ClientId& client, std::uint64_t sequence, ByteView data) const {
    return remembered_.print_of(client, sequence, data);
  }
  /// Where it was ordered, if that is remembered.
  std::optional<std::uint64_t> position_of(const Remembered::Key& key, ByteView data) const {
    return remembered_.position_of(key, data, nullptr);
  }
  /// Whether what is not ordered yet may still be. Once false it stays false, and what was not
  /// ordered by then never is.
  bool may_still_order(const Validity& valid) const {
    return valid.until > slot_ && valid.since >= remembered_.since() &&
           valid.until.value - valid.since.value <= kLongestLife;
  }
  /// Whether the next commit is in its slots or behind their beginning. What is not begun must not
  /// go into a block: committed too early it is skipped, and nobody would say so.
  bool has_begun(const Validity& valid) const { return valid.since <= slot_; }
  std::uint64_t length() const { return length_; }
  std::size_t remembered() const { return remembered_.size(); }
  const Remembered& memory() const { return remembered_; }
  const AgreedTime& time() const { return time_; }
  const Digest& log_hash() const { return hash_; }
  /// The last slot in the log; 0 before the first.
  Round slot() const { return slot_; }

  /// The whole state at one moment, for a snapshot of this node alone: its secret is in it. Any
  /// thread may write it out.
  struct Frozen {
    Round slot{0};
    std::uint64_t length = 0;
    Digest log_hash{};
    Bytes time{};  ///< AgreedTime::save()
    Remembered::Frozen remembered{};

    /// Bytes that save() writes.
    std::size_t size() const;
    void save(Writer& out) const;
  };
  /// Costs next to nothing.
  Frozen freeze() const;
  Bytes save() const;
  /// Mirror of save().
  bool restore(ByteView bytes);
  /// For a node that takes over where others are: the log ends with `slot` there.
  struct Inherited {
    Round slot{0};
    std::uint64_t length = 0;
    Digest log_hash{};
    ByteView time;  ///< AgreedTime::save()
    Round since{0};
    std::span<const Remembered::Slot> slots{};
    RecentTransactions::View ordered{};  ///< of `slots`
  };
  /// False: it contradicts itself.
  bool inherit(const Inherited& from);

 private:
  std::uint64_t time_of(const Commit& commit);
  template <class F>
  void append_block(LoggedBlock& logged, std::uint64_t time_us, HashCursor hashes, F& visit) {
    std::uint32_t index = 0;
    each_transaction(logged.block->payload.view(), [&](const RunHead& run, std::uint64_t sequence,
                                                       ByteView data) {
      const Remembered::Key key{run.client, sequence, print_of(run.client, sequence, data)};
      const Digest* const payload = hashes.of(data);
      if (remembered_.may_order(run.valid, slot_) && !remembered_.position_of(key, data, payload)) {
        remembered_.add(key);
        visit(Transaction{length_++, run.client, sequence, data, slot_.value, time_us},
              NewTransaction{logged.block, key.print, payload});
      } else {
        logged.skipped.push_back(index);
      }
      ++index;
    });
  }

  AgreedTime time_;
  Remembered remembered_;
  std::uint64_t length_ = 0;
  Digest hash_{};
  Round slot_{0};
};

}  // namespace thresher::net
