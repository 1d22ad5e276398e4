// The committed log of a node: order, de-duplication, positions and hashes. Private to net/.
//
//   ledger.append(payload, [&](const Transaction& t) { ... });   // each (client, sequence) once
//
// Guarantees: a function of the sequence of payloads alone, so all nodes agree on positions.
#pragma once

#include <map>
#include <set>

#include "thresher/core/transcript.hpp"
#include "thresher/net/node.hpp"

namespace thresher::net {

/// Table of the log: key slot (big-endian), value leader digest and body places.
inline constexpr std::uint32_t kLedgerTable = 16;

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

class Ledger {
 public:
  /// Orders one block's payload; `visit` gets the transactions that are new.
  template <class F>
  void append(const Digest& block, ByteView payload, F visit) {
    const std::uint64_t before = length_;
    each_transaction(payload, [&](std::uint64_t client, std::uint64_t sequence, ByteView data) {
      if (!fresh(client, sequence)) return;
      visit(Transaction{length_++, client, sequence, data});
    });
    Writer w;
    w.bytes(hash_.bytes).bytes(block.bytes).u64(length_ - before);
    hash_ = hash(w.view());
  }
  bool contains(std::uint64_t client, std::uint64_t sequence) const {
    const auto it = seen_.find(client);
    return it != seen_.end() && (sequence < it->second.next || it->second.above.contains(sequence));
  }
  std::uint64_t length() const { return length_; }
  const Digest& log_hash() const { return hash_; }

 private:
  struct Seen {
    std::uint64_t next = 0;           // every sequence below was seen
    std::set<std::uint64_t> above{};  // seen out of order
  };
  bool fresh(std::uint64_t client, std::uint64_t sequence) {
    Seen& seen = client == last_client_ && last_ != nullptr ? *last_ : seen_[client];
    last_client_ = client;
    last_ = &seen;
    if (sequence < seen.next || (sequence > seen.next && !seen.above.insert(sequence).second)) {
      return false;
    }
    if (sequence == seen.next) ++seen.next;
    while (!seen.above.empty() && *seen.above.begin() == seen.next) {
      seen.above.erase(seen.above.begin());
      ++seen.next;
    }
    return true;
  }

  std::map<std::uint64_t, Seen> seen_;
  std::uint64_t last_client_ = 0;
  Seen* last_ = nullptr;
  std::uint64_t length_ = 0;
  Digest hash_{};
};

}  // namespace thresher::net
