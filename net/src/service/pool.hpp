// Transactions that wait for a block, a queue a client. Private to net/.
//
//   if (!pool.has_room(client, bytes, count)) refuse();
//   pool.make_room(bytes, count, [&](const RunHead&, std::uint64_t sequence, ByteView data) {});
//   pool.add({client, valid}, entries, count);
//   pool.take(block_bytes, packed);                       // runs, for the next block
//
// Guarantees, of k clients with something waiting, however many of them are one stranger's:
// A client with at most 1/(k+1) of the pool waiting is always accepted: if there is no room, the
// largest drop their newest transactions until each is at most a transaction's part above 1/(k+1).
// Above that a client gets no more than it leaves to others: alone half of the pool. Every block
// has the next transaction of each client, if that has no more than a 2k-th of the block (at least
// kLeastShare) with its heads, and k is at most a 2*kLeastShare-th of the block. So small clients
// wait for no other. The rest is filled in turn (deficit round robin by bytes): of clients that
// always have something waiting each gets a k-th.
// A client's transactions stay in order.
// Sources: Shreedhar, Varghese, Efficient Fair Queueing using Deficit Round Robin, SIGCOMM 1995;
// Choudhury, Hahne, Dynamic Queue Length Thresholds, Trans. Networking 1998 (what is left to
// others); McKenney, Stochastic Fairness Queueing, INFOCOM 1990 (the longest queue gives way).
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <utility>

#include "wire/transactions.hpp"

namespace thresher::net {

class Pool {
 public:
  /// `capacity`: of what waits, each transaction with kEntryCost. Unit: bytes.
  explicit Pool(std::size_t capacity) : capacity_(capacity) {}

  /// Whether a client may add so many bytes of entries, after make_room().
  bool has_room(const ClientId& client, std::size_t bytes, std::size_t count) const;
  /// Whether somebody else has more waiting than the client would have with this.
  bool others_have_more(const ClientId& client, std::size_t bytes, std::size_t count) const;
  /// Takes out what gives way to so much, and visits it. Pre: has_room() for it.
  template <class F>
  void make_room(std::size_t bytes, std::size_t count, F visit) {
    const std::size_t cost = cost_of(bytes, count);
    while (cost_ + cost > capacity_) give_way(cost_ + cost - capacity_, visit);
  }
  /// The client with most gives up its newest transaction at least. Pre: others_have_more().
  template <class F>
  void give_way(std::size_t cost, F visit) {
    const Waiting out = cut_heaviest(cost);
    each_entry(out.entries.view(),
               [&](std::uint64_t sequence, ByteView data) { visit(out.head, sequence, data); });
  }
  /// Pre: `entries` are well-formed, as many as `count`; none over what a block takes; there is
  /// room by make_room().
  void add(const RunHead& head, Bytes entries, std::size_t count);
  /// Appends runs of at most `room` bytes together. Nothing when the first in turn does not fit.
  void take(std::size_t room, std::vector<std::byte>& out);

  bool empty() const { return turns_.empty(); }
  /// With something waiting.
  std::size_t clients() const { return queues_.size(); }
  /// Bytes of entries that wait, without kEntryCost.
  std::size_t bytes() const { return bytes_; }

  /// What a transaction costs beside its bytes: tiny ones fill the pool by their number.
  static constexpr std::size_t kEntryCost = 64;
  /// Part of a block for each client that waits. Unit: bytes, with the heads of run and entry.
  static constexpr std::size_t kLeastShare = 128;

 private:
  struct Waiting {
    RunHead head{};
    Bytes entries{};
    std::size_t count = 0;  // that still wait
    std::size_t begin = 0;  // what was taken is before
    std::size_t bytes() const { return entries.size() - begin; }
  };
  struct Queue {
    std::deque<Waiting> waiting{};
    std::size_t cost = 0;
    std::ptrdiff_t deficit = 0;  // bytes that it may still take in this turn
    bool interrupted = false;    // its turn, by the end of a block
  };
  using Queues = std::map<ClientId, Queue>;
  /// What may go into a block at a time.
  struct Allowance {
    std::size_t bytes = 0;  // of entries and, `head` each, their runs
    std::size_t head = 0;
    std::size_t limit = 0;  // of the block
  };
  enum class End : std::uint8_t { kNothingLeft, kSpent, kFull };

  static std::size_t cost_of(std::size_t bytes, std::size_t count) {
    return bytes + count * kEntryCost;
  }
  std::size_t held(const ClientId& client) const;
  std::size_t share(std::size_t clients) const { return capacity_ / (clients + 1); }
  void recost(Queues::value_type& entry, std::size_t cost);
  void leave(Queues::iterator at);
  Waiting cut_heaviest(std::size_t cost);
  Waiting cut(Waiting& waiting, std::size_t cost);
  End serve(Queues::value_type& entry, Allowance allowance, RunWriter& out);
  void serve_small(std::size_t room, std::size_t limit, RunWriter& out);
  void serve_in_turn(std::size_t quantum, std::size_t limit, RunWriter& out);

  std::size_t capacity_;
  std::size_t cost_ = 0;
  std::size_t bytes_ = 0;
  Queues queues_;  // of clients with something waiting
  std::deque<Queues::iterator> turns_;
  std::set<std::pair<std::size_t, ClientId>> by_cost_;
};

}  // namespace thresher::net
