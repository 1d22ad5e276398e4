// Gives peers that search for a differing result parts of the tree over this node's log: in turns,
// piece by piece, and within a share of the node's thread. Private to net/.
//
//   TreeService trees(store, log, committee.size(), {send, result, &Loop::now_us});
//   trees.want(NodeId{2}, {Round{8}, 0, 4});
//   if (const auto at = trees.step()) call_at(*at);          // again and again until empty
//
// Guarantees: of each peer the newest question waits, and the one that was begun is ended; each is
// answered once, also when the part is not known here. All peers together get a ThreadShare: a part
// of the log is read for every answer. What is sent is not signed; who asks holds it against the
// root that this node signed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "life/divergence.hpp"
#include "life/kept_tree.hpp"
#include "life/peer_questions.hpp"

namespace thresher::net {

class TreeService {
 public:
  struct Hooks {
    std::function<void(NodeId, const TreePart&)> send;
    ResultAt result;
    std::function<std::uint64_t()> now_us;  ///< monotonic
  };

  /// The references live longer than this. `n`: members.
  TreeService(const NodeStore& store, const LogReader& log, std::uint32_t n, Hooks hooks)
      : tree_(store, log, n), hooks_(std::move(hooks)) {}

  void want(NodeId from, const WantTree& want) { questions_.ask(from, want); }
  /// The front of the log is about to go.
  void forget() { tree_.forget(); }
  /// What the share allows now. When to call again; empty: nobody waits. Unit: microseconds.
  std::optional<std::uint64_t> step() {
    for (std::uint64_t now = hooks_.now_us(); const auto q = questions_.take(now);) {
      TreeReader* of = tree_.at(q->want.slot);
      const bool known = of != nullptr && q->want.end <= of->leaves();
      const auto enough = [&, until = now + ThreadShare::kBurst] {
        return hooks_.now_us() >= until;
      };
      if (!known || of->read_for(q->want.begin, q->want.end, enough)) {
        hooks_.send(q->from, answer_of(q->want, of, hooks_.result));
        questions_.answered();
      }
      questions_.spent(now, hooks_.now_us());
      now = hooks_.now_us();
    }
    return questions_.next_us();
  }

 private:
  KeptTree tree_;
  PeerQuestions<WantTree, 1> questions_;
  Hooks hooks_;
};

}  // namespace thresher::net
