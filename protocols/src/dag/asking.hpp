// Asking for what is missing: blocks that held ones refer to, payloads, the lowest round that is
// not complete, and, by proving.hpp, evidence; when, whom, and on whose account. Rules G1 to G3, H1
// and B1 of docs/protocols/thresher.md.
//
//   Asking asking(config, store, slots, where, work, waits, packed, payloads, proving,
//                 attachments);
//   asking.need(edge, child, from, fx);           // `child`, which `from` sent, refers to it
//   asking.found(edge);                           // it came, from whomever
//   asking.arm(fx);                               // something may be missing now
//   asking.pull(fx);                              // kPullTimer ran off: the questions
//   if (asking.expects(peer)) asking.answered(peer), take(answer);
//
// Guarantees: while something is missing every other node is asked again and again (search.hpp),
// and the timer runs; else it does not. A peer that makes a node ask for much delays itself alone.
// What this node would not hold is not asked for. Takes no answer itself.
#pragma once

#include <cstdint>
#include <optional>

#include "../chassis/absence.hpp"
#include "../chassis/answers.hpp"
#include "../chassis/waits.hpp"
#include "attachments.hpp"
#include "missing.hpp"
#include "packed_blocks.hpp"
#include "payload_room.hpp"
#include "proving.hpp"
#include "pull_clock.hpp"
#include "search.hpp"
#include "work.hpp"

namespace thresher::dag {

class Asking {
 public:
  using Fx = Dag::Fx;

  /// `like`: of the node of which this one is a copy. Changes `payloads`, `proving` and
  /// `attachments`.
  Asking(const Config& config, const Store& store, const Slots& slots, const Whereabouts& where,
         const Work& work, const chassis::Waits<Edge>& waits, const PackedBlocks& packed,
         PayloadRoom& payloads, Proving& proving, Attachments& attachments,
         const Asking* like = nullptr);
  Asking(const Asking&) = delete;

  // What is missing.
  void need(const Edge& edge, const Edge& child, NodeId from, Fx& fx);
  /// H3. A block is held whose payload is lacking.
  void need_payload(const Edge& edge, Fx& fx);
  /// Its author sends it by itself.
  void pushed(const Edge& edge) { missing_.pushed(edge); }
  void found(const Edge& edge) {
    absence_.look(where_.round(), where_.frontier());
    if (absence_.covers(edge.round)) missing_.pushed(edge);  // B1: as good as that
    missing_.found(edge);
  }
  void forget(Round floor) { missing_.forget(floor); }
  /// Somebody needs it.
  bool wants(const Edge& edge) const { return missing_.contains(edge); }
  std::size_t missing() const { return missing_.size(); }

  // Who has room for more.
  /// H1. For a block that nothing held refers to.
  bool has_room(NodeId author) const {
    return payloads_.has_room(author) && missing_.of(author) < config_.limits.missing_per_peer;
  }
  /// The peer against whose quota an equivocator's further block counts: its own block rests on it.
  /// Empty: nobody has room.
  std::optional<NodeId> payer_of(const Edge& edge) const;

  // When.
  /// What is missing may be had soon, or can be taken now.
  void hurry() { clock_.hurry(); }
  void arm(Fx& fx);
  void pull(Fx& fx);

  // Answers.
  /// It was asked, and has not answered.
  bool expects(NodeId peer) const { return answers_.expects(peer); }
  void answered(NodeId peer) { answers_.came(peer); }

 private:
  void ask_for_blocks(Fx& fx);
  void ask_for_rounds(Fx& fx);
  bool may_ask(NodeId peer);
  Round held_below(const Edge& edge) const;
  NodeSet not_wanted(Round round) const;

  const Config& config_;
  const Store& store_;
  const Slots& slots_;
  const Whereabouts& where_;
  const Work& work_;
  const chassis::Waits<Edge>& waits_;
  const PackedBlocks& packed_;
  PayloadRoom& payloads_;
  Proving& proving_;
  Attachments& attachments_;
  MissingBlocks missing_;  // referenced but not held, or held by the header alone and asked for
  chassis::Absence absence_;
  PullClock clock_;
  chassis::Answers answers_;
  Search round_search_;
  Round round_asked_{0};  // that is incomplete
};

}  // namespace thresher::dag
