// A node's start up to its first signature, and what keeps its key from signing twice: whose the
// store is, whether its data are the newest, what peers know of it, and which other process has its
// key. Private to net/.
//
//   SafeStart start(node, {...});
//   start.claim_store(has_records);     // before anything is sent
//   start.begin();                      // asks all peers; starts the protocol when it is safe
//   if (start.frame(peer, f)) return;   // one of its own, or held until the protocol runs
//   start.watch(now);                   // again and again: notes what was signed since
//
// Guarantees: the protocol gets its Start once, after a quorum has answered that it knows of
// nothing that the disk does not, all were waited for a bounded time (start_question.hpp), and the
// log is whole; what peers send of the protocol until then is held (held_frames.hpp). What lies
// beside the key says no more than the disk has (durable_pledge.hpp). docs/threat-model.md says
// what a quorum's answers do not show.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "node/base.hpp"
#include "node/durable_pledge.hpp"
#include "node/held_frames.hpp"
#include "node/known_peers.hpp"
#include "node/own_start.hpp"
#include "node/start_level.hpp"
#include "node/start_question.hpp"
#include "store/sign_once.hpp"

namespace thresher::net {

class SafeStart {
 public:
  struct Hooks {
    /// The peer is asked for its log, ahead of the question about the start.
    std::function<void(NodeId)> ask_log;
    std::function<void()> compare_logs;
    std::function<bool()> log_differs;  ///< or may: peers' words about it are in doubt
    std::function<bool()> has_all;      ///< the log, and the records of the protocol
    std::function<void()> signs;        ///< from here on
    std::function<void()> level;        ///< with what peers had when it started
  };
  SafeStart(NodeBase& node, Hooks hooks);

  // Before the node runs.
  /// Errors: the data are another key's, old or lost; the disk.
  Result<Unit, Error> claim_store(bool has_records);

  // While it runs.
  void begin();
  /// Nothing of the protocol runs before its end.
  bool under_way() const { return asking_.has_value(); }
  /// A link to the peer is up.
  void meet(NodeId peer);
  /// False: it is none of the start, and may go to the protocol.
  bool frame(NodeId from, const Frame& f);
  /// Its answers may be enough now.
  void weigh_answers();
  /// Notes what was signed, here and by peers, now and then.
  void watch(std::uint64_t now);
  /// Whether the node has come to the end that the log had at its peers when it started.
  const StartLevel& level() const { return level_; }
  void look_level();

  // What goes to the disk, and comes from it.
  void handed(std::uint64_t barrier) { durable_pledge_.handed(barrier); }
  void durable(std::uint64_t barrier) { durable_pledge_.durable(barrier); }

  // At the end.
  void note_peers();
  /// Pre: the disk has all that was signed.
  void note_pledge() { sign_once_.note(node_.engine->pledge()); }

 private:
  Result<Unit, Error> check_window() const;
  void recall_peers(std::optional<Incarnation>& own);
  void note_start(NodeId peer, const Frame& f);
  void say_started(NodeId to);
  void ask(NodeId peer);
  void watch_answers();
  void tell_known(NodeId to);
  std::string proof_against_self(NodeId from, const wire::Known& known) const;
  void hear_known(NodeId from, const Frame& f);
  void hear_other_process(NodeId from, const Frame& f);
  void start_engine();

  NodeBase& node_;
  Hooks hooks_;
  SignOnce sign_once_;
  OwnStart own_start_;
  struct Asking {
    StartQuestion question;
    HeldFrames held{};  // of the protocol
    std::uint64_t looks = 0;
  };
  std::optional<Asking> asking_;
  StartLevel level_;
  KnownPeers known_peers_;
  DurablePledge durable_pledge_;
  std::uint64_t notes_due_us_ = 0;
};

}  // namespace thresher::net
