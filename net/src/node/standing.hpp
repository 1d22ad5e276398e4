// Whether a node's log is still that of its peers, asked all the time while it runs: how the
// comparison of standing_check.hpp meets the node. Private to net/.
//
//   Standing standing(node, {in_doubt});
//   standing.watch(now);                        // again and again
//   standing.hear(peer, answer, now);           // a peer's log hash
//   if (standing.suspects()) ...                // nothing of the protocol is stepped
//
// Guarantees: those of standing_check.hpp. From the moment that one correct peer's log differs the
// node says and signs nothing more, and stops by itself when it can name the slot. Does not mend a
// log: one that differs stays as it is, for whoever looks into what happened.
#pragma once

#include <cstdint>
#include <functional>

#include "ledger/standing_check.hpp"
#include "node/base.hpp"

namespace thresher::net {

class Standing {
 public:
  struct Hooks {
    std::function<void()> in_doubt;  ///< those who look on are told so while it suspects
  };
  Standing(NodeBase& node, Hooks hooks);

  /// Asks when it is time to, and stops the node for what was found.
  void watch(std::uint64_t now);
  /// Asks when it is time to, ahead of what a start asks its peers.
  void compare(std::uint64_t now);
  /// Asks one peer, whose link has just come up, what all were asked last.
  void ask(NodeId peer) const { check_.ask(peer); }
  void hear(NodeId from, const wire::LogHash& answer, std::uint64_t now) {
    check_.hash(from, answer, now);
  }
  /// Stops the node when the log differs from that of peers of whom one at least is correct.
  void judge();
  /// It seems to differ: where is being searched for.
  bool suspects() const { return check_.suspects(); }

 private:
  NodeBase& node_;
  Hooks hooks_;
  StandingCheck check_;
};

}  // namespace thresher::net
