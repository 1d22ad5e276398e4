// Questions of clients for the application, until they are answered. Private to net/.
//
//   if (!queries.add({link, id, length, question})) refuse();
//   while (const auto q = queries.take(applied, level, now)) {
//     answer(*q);
//     queries.spent(now, later);
//   }
//   if (const auto at = queries.next_us(applied, level)) call_at(*at);
//
// Guarantees: at most kMostOfOne wait of a link and kMostOfAll in all, of kMostBytes; who asks for
// what is not applied yet holds up nobody else. A link that names no length is not answered before
// the node is level (start_level.hpp); the program around it is, whose own question it is. Answers
// take a ThreadShare of the node's thread, so that questions do not hold up the order.
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
    std::function<void(Answer)> done{};  ///< of this process; null: the link gets the answer
  };

  /// False: too many wait.
  bool add(Query query) {
    std::size_t& held = held_[query.from];
    if (held >= kMostOfOne || waiting_.size() >= kMostOfAll ||
        bytes_ + query.question.size() > kMostBytes) {
      if (held == 0) held_.erase(query.from);
      return false;
    }
    ++held;
    bytes_ += query.question.size();
    waiting_.push_back(std::move(query));
    return true;
  }
  void leave(ConnectionId link) {
    for (auto it = waiting_.begin(); it != waiting_.end();) {
      it = it->from == link ? forget(it, Query(*it)) : std::next(it);
    }
  }
  /// Those that no link waits for: the node stops.
  std::vector<Query> take_own() {
    std::vector<Query> out;
    for (auto it = waiting_.begin(); it != waiting_.end();) {
      if (!it->done) {
        ++it;
        continue;
      }
      out.push_back(std::move(*it));
      it = forget(it, out.back());
    }
    return out;
  }
  /// The oldest one that can be answered now; empty: none, or it is not its turn yet. Unit:
  /// microseconds.
  std::optional<Query> take(std::uint64_t applied, bool level, std::uint64_t now_us) {
    if (!share_.free(now_us)) return std::nullopt;
    const auto at = std::find_if(waiting_.begin(), waiting_.end(),
                                 [&](const Query& q) { return is_due(q, applied, level); });
    if (at == waiting_.end()) return std::nullopt;
    Query query = std::move(*at);
    forget(at, query);
    return query;
  }
  /// An answer took the node's thread from one time to another. Unit: microseconds.
  void spent(std::uint64_t begin_us, std::uint64_t end_us) { share_.spent(begin_us, end_us); }
  /// When take() has something to give; empty: nothing waits for its turn.
  std::optional<std::uint64_t> next_us(std::uint64_t applied, bool level) const {
    const bool any = std::any_of(waiting_.begin(), waiting_.end(),
                                 [&](const Query& q) { return is_due(q, applied, level); });
    return any ? std::optional(share_.free_us()) : std::nullopt;
  }
  bool empty() const { return waiting_.empty(); }

 private:
  static bool is_due(const Query& q, std::uint64_t applied, bool level) {
    return q.length <= applied && (level || q.length > 0 || q.from == kOwnLink);
  }
  using At = std::deque<Query>::iterator;
  At forget(const At& it, const Query& query) {
    bytes_ -= query.question.size();
    if (--held_[query.from] == 0) held_.erase(query.from);
    return waiting_.erase(it);
  }

  std::deque<Query> waiting_;
  std::map<ConnectionId, std::size_t> held_;  // how many of each
  std::size_t bytes_ = 0;
  ThreadShare share_;
};

}  // namespace thresher::net
