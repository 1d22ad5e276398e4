// What protocols that order slots are asked for, forward and tell each other; and what was asked
// and is not ordered yet, by whom this node heard it from.
//
//   Requests waiting(n, {.entries = 32, .bytes = 1 << 20, .value_bytes = 65536});
//   auto news = waiting.take(from, forward, now, [&](const Digest& d) { return log.repeats(d); });
//   for (const Queued* r = waiting.next(turn, untaken); r != nullptr; ...) propose(r->value);
//   waiting.remove(digest);                       // it was ordered
//
// Guarantees: each peer fills its own queue and no other, up to its limits; `next` goes round the
// peers' queues and their urgent requests, so that a peer that submits much delays another's
// request by a turn at most. A value that several peers have is held once and charged to each.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "thresher/core/bytes.hpp"
#include "thresher/core/hash.hpp"
#include "thresher/core/ids.hpp"
#include "thresher/core/result.hpp"

namespace thresher::order {

struct Submit {
  Bytes value;
};
struct Delivery {
  std::uint64_t slot = 0;
  Bytes value;
};
/// A payload to be ordered. `urgent`: the sender has waited for it, and for no other like that.
struct Forward {
  Bytes value;
  bool urgent = false;
};
/// A request of that name waits at the sender; `urgent` as in Forward. Requests may be lost, and
/// are too large to be said again for nothing.
struct Offer {
  Digest digest{};
  bool urgent = false;
};
/// Asks for the request that was offered; a Forward is the answer.
struct Ask {
  Digest digest{};
  bool urgent = false;  ///< as it was offered
};
/// The sender delivered a value of this name in this slot.
struct Ordered {
  std::uint64_t slot = 0;
  Digest digest{};
};
/// Asks for the value of that name, which the receiver spoke of for that slot.
struct Fetch {
  std::uint64_t slot = 0;
  Digest digest{};
};
/// The sender delivered this value in this slot.
struct Decided {
  std::uint64_t slot = 0;
  Bytes value;
};

struct Queued {
  Bytes value;
  Digest digest{};
  std::uint64_t since = 0;  ///< when it was heard of first, in the caller's ticks
  std::uint32_t holders = 0;
};

class Requests {
 public:
  /// Limits for one peer.
  struct Limits {
    std::size_t entries = 0;
    std::size_t bytes = 0;
    std::size_t value_bytes = 0;  ///< of the largest request
  };
  Requests(std::uint32_t n, Limits limits) : limits_(limits), n_(n) {}

  /// Adds or urges what `from` forwards. False when that is not new: it said so before, or the
  /// request was ordered (`ordered(digest)`). kMalformed: it is empty. kTooLarge. kQuotaExceeded.
  template <class F>
  Result<bool> take(NodeId from, const Forward& m, std::uint64_t now, F ordered) {
    if (m.value.empty()) return Errc::kMalformed;
    if (m.value.size() > limits_.value_bytes) return Errc::kTooLarge;
    const Digest digest = hash(m.value.view());
    if (ordered(digest)) return false;
    if (!m.urgent) return add(from, m.value, digest, now);
    return urge(from, m.value, digest, now);
  }
  /// The same for what `from` offers, if it is held here. Nothing is hashed: an offer has 40 bytes,
  /// whatever the size of the request. Pre: it was not ordered.
  Result<bool> take(NodeId from, const Offer& m, std::uint64_t now);
  /// False when `from` said it before. kQuotaExceeded when its queue is full.
  Result<bool> add(NodeId from, const Bytes& value, const Digest& digest, std::uint64_t now);
  /// The request that `from` wants next, in place of the last one that it wanted next. False when
  /// it was that already.
  bool urge(NodeId from, const Bytes& value, const Digest& digest, std::uint64_t now);
  void remove(const Digest& digest);

  /// No queue holds anything.
  bool empty() const { return queued_ == 0; }
  std::uint32_t peers() const { return n_; }
  /// The request of the queue's front, or null.
  const Queued* first_of(NodeId peer) const;
  /// The next peer behind `after`, in a circle, whose queue has a front for which `wanted(Queued)`.
  template <class F>
  std::optional<NodeId> whose_front(NodeId after, F wanted) const {
    for (const bool behind : {true, false}) {
      for (const auto& [id, peer] : peers_) {
        if ((id > after) != behind || peer.queue.empty()) continue;
        if (wanted(known_.at(peer.queue.front()))) return id;
      }
    }
    return std::nullopt;
  }
  const Queued* find(const Digest& digest) const;
  /// What an offer or a question names, as it is said in full; empty: nobody said it here.
  template <class OfferOrAsk>
  std::optional<Forward> forward_of(const OfferOrAsk& m) const {
    const Queued* request = find(m.digest);
    return request == nullptr ? std::nullopt : std::optional(Forward{request->value, m.urgent});
  }
  /// Calls `visit(Queued)` for a peer's queue, oldest first, until it returns false.
  template <class F>
  void each_of(NodeId peer, F visit) const {
    const auto at = peers_.find(peer);
    if (at == peers_.end()) return;
    for (const Digest& digest : at->second.queue) {
      if (!visit(known_.at(digest))) return;
    }
  }
  /// The first request for which `wanted(digest)`, beginning with the queue whose turn it is. There
  /// are two queues a peer. Null: none.
  template <class F>
  const Queued* next(std::uint64_t turn, F wanted) const {
    const std::uint64_t begin = turn % (2 * std::uint64_t{n_});
    for (const bool before : {false, true}) {  // the queue whose turn it is
      for (const auto& [id, peer] : peers_) {
        const std::uint64_t place = 2 * std::uint64_t{id.value};
        if ((place < begin) == before) {
          for (const Digest& digest : peer.queue) {
            if (wanted(digest)) return &known_.at(digest);
          }
        }
        const bool urgent = (place + 1 < begin) == before && peer.urgent;
        if (urgent && wanted(*peer.urgent)) return &known_.at(*peer.urgent);
      }
    }
    return nullptr;
  }
  std::size_t bytes() const;  ///< of all values held

 private:
  struct Peer {
    std::vector<Digest> queue;  // oldest first
    std::size_t bytes = 0;
    std::optional<Digest> urgent;
  };
  Queued& hold(const Bytes& value, const Digest& digest, std::uint64_t now);
  void release(const Digest& digest);

  Limits limits_;
  std::uint32_t n_;
  std::map<NodeId, Peer> peers_;  // those that have something: most have nothing, in many nodes
  std::map<Digest, Queued> known_;
  std::size_t queued_ = 0;
};

}  // namespace thresher::order
