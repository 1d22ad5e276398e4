// What clients submitted to this node: takes it, refuses it, and knows who waits for what. Private
// to net/.
//
//   const auto answers = submissions.submit({client, valid}, entries, ledger, link);
//   submissions.pool().take(block_bytes, packed);                       // for the next block
//   submissions.ordered(client, print, [&](const Submission& s) { answer(s, position); });
//   submissions.expire(ledger, [&](const Submission& s) { refuse(s, Refusal::kExpired); });
//
// Guarantees: everything submitted is answered once on each link that submitted it: by submit(), or
// later by ordered(), expire() or giving way to another client's submit(), whichever comes first;
// what is submitted again meanwhile waits for the same answer and takes no second place in the
// pool, and keeps the slots that it had at first. A refusal for kOverloaded, kTooLarge, kTooLate,
// kTooEarly, kRejected or kObserves means that no block of this node has it; kExpired that it is
// not in the log and never will be. A node that observes takes nothing, and still tells where what
// was ordered is. Shares of clients: pool.hpp, awaited.hpp.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ledger/ledger.hpp"
#include "service/awaited.hpp"
#include "service/pool.hpp"
#include "thresher/net/client.hpp"

namespace thresher::net {

/// An answer that a transaction has been ordered.
struct Placed {
  std::uint64_t sequence = 0;
  std::uint64_t position = 0;
};

class Submissions {
 public:
  struct Limits {
    std::uint64_t transaction_bytes = 0;
    std::uint64_t pool_bytes = 0;
    bool observes = false;  ///< the node proposes nothing
  };
  struct Answers {
    std::vector<Placed> placed{};                             ///< ordered before
    std::map<Refusal, std::vector<std::uint64_t>> refused{};  ///< sequences
    /// Sequences by what the application has against them.
    std::map<std::string, std::vector<std::uint64_t>> rejected{};
    /// Those of others that were awaited and are given up for this: no block has them.
    std::vector<Submission> gave_way{};
    /// Cost in the pool of those not taken: refused, ordered before, or awaited already.
    std::size_t not_taken = 0;
  };

  /// What the application has against a transaction; empty: nothing.
  using Check = std::function<std::optional<std::string>(const ClientId&, ByteView)>;

  /// `check` is asked last, of what would be taken. Null: everything is welcome.
  explicit Submissions(const Limits& limits, Check check = {})
      : limits_(limits), check_(std::move(check)), pool_(limits.pool_bytes) {}

  /// `from` gets the answers that come later. Pre: `entries` are well-formed; the validity spans at
  /// most kLongestLife.
  Answers submit(const RunHead& head, const Bytes& entries, const Ledger& ledger,
                 ConnectionId from);
  /// To be told of each transaction that is ordered; visits it for each link that waits for it.
  template <class F>
  void ordered(const ClientId& client, const Fingerprint& print, F visit) {
    if (awaited_.holds(client)) awaited_.take(print, visit);
  }
  /// Visits what can be ordered no more. Costs a look at everything awaited.
  template <class F>
  void expire(const Ledger& ledger, F visit) {
    awaited_.expire([&](const Validity& valid) { return !ledger.may_still_order(valid); }, visit);
  }
  Pool& pool() { return pool_; }
  const Pool& pool() const { return pool_; }
  /// Transactions without an answer yet.
  std::size_t awaited() const { return awaited_.size(); }

 private:
  std::optional<Refusal> judge(const RunHead& head, std::size_t size, bool fits,
                               const Ledger& ledger) const;
  bool rejects(const ClientId& client, std::uint64_t sequence, ByteView data, Answers& out) const;

  Limits limits_;
  Check check_;
  Pool pool_;
  Awaited awaited_;
  std::vector<Fingerprint> prints_;  // of the entries at hand
};

}  // namespace thresher::net
