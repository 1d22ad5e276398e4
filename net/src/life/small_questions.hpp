// Questions of peers that are a few bytes, and whose answers take a search in the index: for a log
// hash, or a certificate. In turns, and within a share of the node's thread. Private to net/.
//
//   SmallQuestions small({answer, malformed, &Loop::now_us});
//   if (!small.ask(peer, frame)) blame(peer);
//   if (const auto at = small.step()) call_at(*at);          // again and again until empty
//
// Guarantees: a peer that asks without end gets its turn and no more; of each the newest kMostOfOne
// wait. Keeps nothing of the frame that a question came in. What turns out to be malformed is named
// when it is its turn.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "life/peer_questions.hpp"
#include "thresher/net/transport.hpp"

namespace thresher::net {

class SmallQuestions {
 public:
  static constexpr std::size_t kMostOfOne = 64;
  /// Unit: bytes.
  static constexpr std::size_t kMostBytes = 64;

  struct Hooks {
    std::function<bool(NodeId, const Frame&)> answer;  ///< false: it is malformed
    std::function<void(NodeId)> malformed;
    std::function<std::uint64_t()> now_us;  ///< monotonic
  };

  explicit SmallQuestions(Hooks hooks) : hooks_(std::move(hooks)) {}

  /// False: it is too large to be one.
  bool ask(NodeId from, const Frame& frame) {
    if (frame.control.size() > kMostBytes) return false;
    questions_.ask(from, {frame.kind, Bytes::copy_of(frame.control.view()), {}});
    return true;
  }
  /// What the share allows now. When to call again; empty: nobody waits. Unit: microseconds.
  std::optional<std::uint64_t> step() {
    for (std::uint64_t now = hooks_.now_us(); const auto q = questions_.take(now);) {
      questions_.answered();
      if (!hooks_.answer(q->from, q->want)) hooks_.malformed(q->from);
      questions_.spent(now, hooks_.now_us());
      now = hooks_.now_us();
    }
    return questions_.next_us();
  }

 private:
  PeerQuestions<Frame, kMostOfOne> questions_;
  Hooks hooks_;
};

}  // namespace thresher::net
