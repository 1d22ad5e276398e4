// Questions of peers for parts of the tree, until they are answered: in turns, and within a share
// of the node's thread. Private to net/.
//
//   questions.ask(from, want);
//   while (const auto q = questions.take(now)) {
//     if (answer_a_piece(*q)) questions.answered();
//     questions.spent(now, later);
//   }
//   if (const auto at = questions.next_us()) call_at(*at);
//
// Guarantees: of each peer the newest kMost questions wait, and the one that is being answered goes
// on to its end. A peer that asks again has its turn after all others. Answers take a ThreadShare.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "links/thread_share.hpp"
#include "thresher/core/ids.hpp"

namespace thresher::net {

template <class Want, std::size_t kMost>
class PeerQuestions {
 public:
  struct Question {
    NodeId from{};
    Want want;
  };

  void ask(NodeId from, Want want) {
    std::deque<Want>& mine = waiting_[from];
    mine.push_back(std::move(want));
    if (mine.size() > kMost) mine.pop_front();
  }
  /// The same one until it is answered(). Empty: nobody waits, or it is not the time. Unit:
  /// microseconds.
  std::optional<Question> take(std::uint64_t now_us) {
    if (!share_.free(now_us)) return std::nullopt;
    if (now_ || waiting_.empty()) return now_;
    auto at = waiting_.upper_bound(last_);
    if (at == waiting_.end()) at = waiting_.begin();
    last_ = at->first;
    now_ = Question{at->first, std::move(at->second.front())};
    at->second.pop_front();
    if (at->second.empty()) waiting_.erase(at);
    return now_;
  }
  void answered() { now_.reset(); }
  /// A piece of an answer took the node's thread from one time to another. Unit: microseconds.
  void spent(std::uint64_t begin_us, std::uint64_t end_us) { share_.spent(begin_us, end_us); }
  /// When take() has something to give; empty: nobody waits. Unit: microseconds.
  std::optional<std::uint64_t> next_us() const {
    return now_ || !waiting_.empty() ? std::optional(share_.free_us()) : std::nullopt;
  }

 private:
  std::map<NodeId, std::deque<Want>> waiting_;  // none of them is empty
  std::optional<Question> now_;                 // is being answered
  NodeId last_{};                               // who had a turn last
  ThreadShare share_;
};

}  // namespace thresher::net
