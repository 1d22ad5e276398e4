// Transactions that wait for a block, a queue a client. Private to net/.
//
//   if (!pool.has_room(client, bytes, count)) refuse();
//   pool.add({client, valid}, entries, count);
//   pool.take(block_bytes, packed);                  // runs, for the next block
//
// Guarantees: blocks are filled in turn (deficit round robin by bytes), so of k clients that always
// have something waiting each gets a k-th, and one with little waiting is served at once. A client
// holds no more than is left to others: alone half of the pool, with k greedy ones each a (k+1)-th,
// so there is always room for a newcomer. What a client submitted stays in order.
// Sources: Shreedhar, Varghese, Efficient Fair Queueing using Deficit Round Robin, SIGCOMM 1995;
// Choudhury, Hahne, Dynamic Queue Length Thresholds, Trans. Networking 1998.
#pragma once

#include <deque>
#include <map>

#include "transactions.hpp"

namespace thresher::net {

class Pool {
 public:
  /// `capacity`: of what waits, each transaction with kEntryCost. Unit: bytes.
  explicit Pool(std::size_t capacity) : capacity_(capacity) {}

  /// Whether a client may add so many bytes of entries.
  bool has_room(const ClientId& client, std::size_t bytes, std::size_t count) const;
  /// Pre: `entries` are well-formed, as many as `count`; none over what a block takes.
  void add(const Run& head, Bytes entries, std::size_t count);
  /// Appends runs of at most `room` bytes together. Nothing when the first in turn does not fit.
  void take(std::size_t room, std::vector<std::byte>& out);

  bool empty() const { return turns_.empty(); }
  /// Of entries that wait, without kEntryCost.
  std::size_t bytes() const { return bytes_; }

  /// What a transaction costs beside its bytes: tiny ones fill the pool by their number.
  static constexpr std::size_t kEntryCost = 64;

 private:
  struct Waiting {
    Validity valid;
    Bytes entries;
    std::size_t begin = 0;  // what was taken is before
  };
  struct Queue {
    std::deque<Waiting> waiting{};
    std::size_t cost = 0;
    std::size_t deficit = 0;   // bytes that it may still take in this turn
    bool interrupted = false;  // its turn, by the end of a block
  };
  using Queues = std::map<ClientId, Queue>;

  bool serve(Queues::value_type& entry, std::size_t limit, RunWriter& out);
  void take_front(Queue& queue, std::size_t size, std::size_t count);

  std::size_t capacity_;
  std::size_t cost_ = 0;
  std::size_t bytes_ = 0;
  Queues queues_;  // of clients with something waiting
  std::deque<Queues::iterator> turns_;
};

}  // namespace thresher::net
