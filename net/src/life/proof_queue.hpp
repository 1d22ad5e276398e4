// Questions of clients for proofs, until they are answered: in turns, and within a share of the
// node's thread. Private to net/.
//
//   if (!proofs.ask(from, position)) refuse();
//   while (const auto q = proofs.take(now)) {
//     if (answer_a_piece(*q)) proofs.answered();
//     proofs.spent(now, later);
//   }
//   if (const auto at = proofs.next_us()) call_at(*at);
//
// A proof reads one or two chunks of the log, with the payloads that they are in: a piece at a
// time. Many connections cost a client nothing, so the share is of them all, and not of each.
//
// Guarantees: at most kMostOfOne wait of a link, which has to ask again for what is beyond. A
// waiting link has its turn after all others; a turn goes on while the next position is in the
// chunk that was read for the one before, for as many as a chunk has. Answers take a ThreadShare.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "life/log_tree.hpp"
#include "links/thread_share.hpp"
#include "thresher/net/transport.hpp"

namespace thresher::net {

class ProofQueue {
 public:
  static constexpr std::size_t kMostOfOne = 1024;

  struct Question {
    ConnectionId from = 0;
    std::uint64_t position = 0;
  };

  /// False: too many of this link wait.
  bool ask(ConnectionId from, std::uint64_t position) {
    std::deque<std::uint64_t>& mine = waiting_[from];
    if (mine.size() >= kMostOfOne) return false;
    mine.push_back(position);
    return true;
  }
  /// True: the question that is being answered was its.
  bool leave(ConnectionId link) {
    waiting_.erase(link);
    if (!begun_ || last_.from != link) return false;
    begun_ = false;
    return true;
  }
  /// The same one until it is answered(). Empty: nobody waits, or it is not the time. Unit:
  /// microseconds.
  std::optional<Question> take(std::uint64_t now_us) {
    if (!share_.free(now_us)) return std::nullopt;
    if (begun_) return last_;
    if (waiting_.empty()) return std::nullopt;
    auto at = waiting_.find(last_.from);
    const bool goes_on = at != waiting_.end() && in_turn_ < LogTree::kChunk &&
                         at->second.front() / LogTree::kChunk == last_.position / LogTree::kChunk;
    if (!goes_on) {
      at = waiting_.upper_bound(last_.from);
      if (at == waiting_.end()) at = waiting_.begin();
      in_turn_ = 0;
    }
    ++in_turn_;
    begun_ = true;
    last_ = {at->first, at->second.front()};
    at->second.pop_front();
    if (at->second.empty()) waiting_.erase(at);
    return last_;
  }
  void answered() { begun_ = false; }
  /// A piece of an answer took the node's thread from one time to another. Unit: microseconds.
  void spent(std::uint64_t begin_us, std::uint64_t end_us) { share_.spent(begin_us, end_us); }
  /// When take() has something to give; empty: nobody waits. Unit: microseconds.
  std::optional<std::uint64_t> next_us() const {
    return begun_ || !waiting_.empty() ? std::optional(share_.free_us()) : std::nullopt;
  }

 private:
  std::map<ConnectionId, std::deque<std::uint64_t>> waiting_;  // none of them is empty
  Question last_;
  bool begun_ = false;  // that one is not answered yet
  std::uint64_t in_turn_ = 0;
  ThreadShare share_;
};

}  // namespace thresher::net
