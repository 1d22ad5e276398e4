// A node that is behind what its peers keep of the log: it takes the state of a certified snapshot
// from them, and the part of the log that its protocol needs to go on from there. When all is on
// its disk it starts from there, as after any stop. Private to net/.
//
//   Joining joining(node, {settled, stop_fetching, is_pruning, heard_hash});
//   joining.pruned_there(peer, begins);          // a peer's log begins later than is asked for
//   joining.watch(now);                          // again and again
//   if (joining.window_frame(peer, f, now)) return;
//   if (joining.enters_anew()) ...               // the node has to be opened again
//
// Guarantees: those of state_sync.hpp and log_window.hpp, whose peers may lie, stall and prune. The
// old log, or the new beginning with all that belongs to it, is on the disk at any moment.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "life/log_window.hpp"
#include "life/out_of_reach.hpp"
#include "life/state_sync.hpp"
#include "node/base.hpp"

namespace thresher::net {

class Joining {
 public:
  struct Hooks {
    /// Neither the log nor the application's state is in doubt.
    std::function<bool()> settled;
    std::function<void()> stop_fetching;  ///< of the log
    /// Something about the old log's beginning is being written.
    std::function<bool()> is_pruning;
    std::function<void(NodeId, const wire::LogHash&, std::uint64_t now)> heard_hash;
  };
  Joining(NodeBase& node, Hooks hooks)
      : node_(node), hooks_(std::move(hooks)), out_of_reach_(node.committee()) {}

  /// A peer's log begins there.
  void pruned_there(NodeId peer, Round begins);
  void watch(std::uint64_t now);
  /// An answer of a peer about its snapshots. False: malformed.
  bool frame(NodeId from, const Frame& f);
  /// True: it was about the part of the log that goes with the state.
  bool window_frame(NodeId from, const Frame& f, std::uint64_t now);

  bool runs() const { return taking_.has_value(); }
  /// The state is on the disk: the node starts from there.
  bool enters_anew() const { return enters_anew_; }
  /// What the node needs is gone at its peers: where the first of their logs begins.
  std::optional<Round> beyond() const { return out_of_reach_.beyond(node_.ledger.slot()); }
  /// What it does, for the operator. Pre: runs().
  std::string words() const;
  /// Of the state that it takes, and of those the ones that are here; 0: it takes none.
  std::uint64_t parts() const { return taking_ ? taking_->sync.parts() : 0; }
  std::uint64_t parts_here() const { return taking_ ? taking_->sync.parts_here() : 0; }

 private:
  bool can_join() const;
  bool begin(std::uint64_t now);
  void begin_window(std::uint64_t now);
  LogWindow::Hooks window_hooks();
  void enter();

  NodeBase& node_;
  Hooks hooks_;
  OutOfReach out_of_reach_;
  struct Taking {
    explicit Taking(StateSync s) : sync(std::move(s)) {}
    StateSync sync;
    std::optional<LogWindow> window{};  // for the protocol; set when the snapshot is here
    bool again = false;                 // the window is gone at the peers: from the beginning
  };
  std::optional<Taking> taking_;
  bool enters_anew_ = false;
};

}  // namespace thresher::net
