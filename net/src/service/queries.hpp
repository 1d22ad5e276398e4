// Questions of clients for the application, until they are answered. Private to net/.
//
//   std::vector<Queries::Query> gave_way;
//   if (!queries.add({link, id, length, question, deadline}, gave_way)) refuse();
//   for (const auto& q : queries.take_late(now)) say_so(q);
//   while (const auto q = queries.take(applied, level, now)) {
//     answer(*q);
//     queries.spent(now, later);
//   }
//   if (const auto at = queries.next_us(applied, level)) call_at(*at);
//
// Guarantees: at most kMostOfOne wait of a link and kMostOfAll in all, of kMostBytes, and each
// until its deadline. When all is taken, the link that has most of it gives way to those that have
// less: who asks for what is not applied yet holds up nobody else. A link that names no length is
// not answered before the node is level (start_level.hpp); the program around it is, whose own
// question it is. Answers take a ThreadShare of the node's thread, so that questions do not hold up
// the order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "links/thread_share.hpp"
#include "thresher/core/bytes.hpp"
#include "thresher/net/commit_status.hpp"
#include "thresher/net/transport.hpp"

namespace thresher::net {

/// Where questions of the HTTP gateway, and of the program around the node, come from: no
/// connection of a client has these numbers.
inline constexpr ConnectionId kGatewayLink = 0;
inline constexpr ConnectionId kOwnLink = 1;
/// Of what this node submits and waits for no answer to.
inline constexpr ConnectionId kNobody = 2;

class Queries {
 public:
  static constexpr std::size_t kMostOfOne = 64;
  static constexpr std::size_t kMostOfAll = 4096;
  static constexpr std::size_t kMostBytes = 16u << 20;

  struct Query {
    ConnectionId from = 0;
    std::uint64_t id = 0;
    std::uint64_t length = 0;  ///< that have to be applied before
    Bytes question;
    std::uint64_t deadline_us = 0;       ///< monotonic; 0: it may wait for ever
    std::function<void(Answer)> done{};  ///< of this process; null: the link gets the answer
  };

  /// False: too many of this link wait, or of all and it has as much as any other. `gave_way` gets
  /// those of others that wait no more.
  bool add(Query query, std::vector<Query>& gave_way) {
    const std::size_t size = query.question.size();
    const auto own = held_.find(query.from);
    Held then = own == held_.end() ? Held{} : own->second;
    ++then.count;
    then.bytes += size;
    if (then.count > kMostOfOne) return false;
    while (waiting_.size() >= kMostOfAll || bytes_ + size > kMostBytes) {
      const auto part = waiting_.size() >= kMostOfAll ? &Held::count : &Held::bytes;
      const auto most =
          std::ranges::max_element(held_, {}, [part](const auto& of) { return of.second.*part; });
      if (most == held_.end() || most->second.*part <= then.*part) return false;
      gave_way.push_back(take_newest(most->first));
    }
    held_[query.from] = then;
    bytes_ += size;
    waiting_.push_back(std::move(query));
    return true;
  }
  /// Those whose deadline has come.
  std::vector<Query> take_late(std::uint64_t now_us) {
    return take_all(
        [now_us](const Query& q) { return q.deadline_us != 0 && q.deadline_us <= now_us; });
  }
  void leave(ConnectionId link) {
    (void)take_all([link](const Query& q) { return q.from == link; });
  }
  /// Those that no link waits for: the node stops.
  std::vector<Query> take_own() {
    return take_all([](const Query& q) { return q.done != nullptr; });
  }
  /// The oldest one that can be answered now; empty: none, or it is not its turn yet. Unit:
  /// microseconds.
  std::optional<Query> take(std::uint64_t applied, bool level, std::uint64_t now_us) {
    if (!share_.free(now_us)) return std::nullopt;
    auto at = std::find_if(waiting_.begin(), waiting_.end(),
                           [&](const Query& q) { return is_due(q, applied, level); });
    if (at == waiting_.end()) return std::nullopt;
    return take_at(at);
  }
  /// An answer took the node's thread from one time to another. Unit: microseconds.
  void spent(std::uint64_t begin_us, std::uint64_t end_us) { share_.spent(begin_us, end_us); }
  /// When take() or take_late() has something to give, if nothing happens; empty: never.
  std::optional<std::uint64_t> next_us(std::uint64_t applied, bool level) const {
    std::optional<std::uint64_t> next;
    for (const Query& q : waiting_) {
      const bool due = is_due(q, applied, level);
      if (!due && q.deadline_us == 0) continue;
      const std::uint64_t at = due ? share_.free_us() : q.deadline_us;
      next = std::min(next.value_or(at), at);
    }
    return next;
  }
  bool empty() const { return waiting_.empty(); }

 private:
  static bool is_due(const Query& q, std::uint64_t applied, bool level) {
    return q.length <= applied && (level || q.length > 0 || q.from == kOwnLink);
  }
  struct Held {
    std::size_t count = 0;
    std::size_t bytes = 0;
  };
  using At = std::deque<Query>::iterator;
  /// `size`: of its question, which may have been moved away.
  At forget(const At& it, ConnectionId from, std::size_t size) {
    Held& held = held_[from];
    held.bytes -= size;
    bytes_ -= size;
    if (--held.count == 0) held_.erase(from);
    return waiting_.erase(it);
  }
  Query take_at(At& it) {
    Query out = std::move(*it);
    it = forget(it, out.from, out.question.size());
    return out;
  }
  template <class Which>
  std::vector<Query> take_all(Which which) {
    std::vector<Query> out;
    for (auto it = waiting_.begin(); it != waiting_.end();) {
      if (which(*it)) {
        out.push_back(take_at(it));
      } else {
        ++it;
      }
    }
    return out;
  }
  /// Pre: the link has one.
  Query take_newest(ConnectionId link) {
    const auto behind = std::find_if(waiting_.rbegin(), waiting_.rend(),
                                     [link](const Query& q) { return q.from == link; });
    auto at = std::prev(behind.base());
    return take_at(at);
  }

  std::deque<Query> waiting_;
  std::map<ConnectionId, Held> held_;  // of each link that has some
  std::size_t bytes_ = 0;
  ThreadShare share_;
};

}  // namespace thresher::net
