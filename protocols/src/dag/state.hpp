// The state of one `Dag` node: the parts that its duties share (parts.hpp), the duties, and what
// goes on between them: admission, ordering, recovery, each a .cpp file of its own. This header is
// private to protocols/src/dag. A duty is a class that owns what it alone keeps, names in its
// constructor what it reads and changes of the rest, and is read, and tested, without this header.
// It sends effects, and where others have to follow it says so: what only several duties together
// can do is done here. Those parts that lie in chassis/ are also parts of nodes of the certified
// family.
#pragma once

#include <vector>

#include "asking.hpp"
#include "attachments.hpp"
#include "below_floor.hpp"
#include "committer.hpp"
#include "convictions.hpp"
#include "deliveries.hpp"
#include "derived.hpp"
#include "giving.hpp"
#include "own_blocks.hpp"
#include "pacemaker.hpp"
#include "parts.hpp"
#include "payload_room.hpp"
#include "proving.hpp"
#include "showing.hpp"
#include "unfolding.hpp"
#include "waves.hpp"
#include "whereabouts.hpp"
#include "work.hpp"

namespace thresher::dag {

struct Dag::State : Parts {
  explicit State(Config c) : State(Parts(std::move(c)), nullptr) {}
  State(const State& other) : State(Parts(other), &other) {}

  // admission.cpp: what peers send, until it is accepted
  void receive(NodeId from, const Push& message, Fx& fx);
  void receive(NodeId from, const Give& message, Fx& fx);
  void take_attached(NodeId from, const std::vector<BlockPtr>& attached, Fx& fx);
  void admit(NodeId from, const BlockPtr& block, Fx& fx, bool attached = false);
  void verdict(const Verified& verified, Fx& fx);
  void hold_packed(const BlockPtr& block, Fx& fx);
  bool unfold(const BlockPtr& block, Fx& fx);
  void unfold_after(Round round, Fx& fx);
  void hold(const BlockPtr& block, NodeId from, Fx& fx);
  bool place(const BlockPtr& block);
  bool acceptable(Entry& entry);
  bool has_payload(Entry& entry, Fx& fx);
  void take_payload(const BlockPtr& block, Fx& fx);
  void testify(const Awaited& header, Fx& fx);
  void wake_evidence(Round slot, std::vector<Edge>& ready);
  void settle(std::vector<Edge> ready, Fx& fx);
  void settle(const Edge& edge, std::vector<Edge>& ready, Fx& fx);

  // What else they send is a duty's alone.
  void receive(NodeId from, const Want& m, Fx& fx) { giving.receive(from, m, fx); }
  void receive(NodeId from, const WantRound& m, Fx& fx) { giving.receive(from, m, fx); }
  void receive(NodeId from, const WantEvidence& m, Fx& fx) { proving.receive(from, m, fx); }
  void receive(NodeId from, const Evidence& m, Fx& fx) { proving.receive(from, m, fx); }
  void receive(NodeId from, const Equivocation& m, Fx& fx) { convictions.receive(from, m, fx); }
  void receive(NodeId from, const coin::Share& m, Fx& fx) { waves.receive(from, m, fx); }

  // steps.cpp: after every event, and when a timer runs off
  void progress(Fx& fx);
  void bring_near(Fx& fx);
  void endorsed(const Endorsed& event, Fx& fx);
  void expired(TimerId id, Fx& fx);

  // order.cpp: decisions, delivery, garbage
  void order(Fx& fx);
  bool order_once(Fx& fx);
  void leaders_changed();
  void deliver(const Decision& commit, Round before, Fx& fx);
  void raise_floor(Round leader, Fx& fx);
  void forget_below(Round floor, Fx& fx);

  // recovery.cpp: records
  void restore(const Restored& record, Fx& fx);
  void adopt(Round slot, Reader& value, Fx& fx);
  void adopt_block(const RestoredBlock& one, std::vector<Edge>& ready, Fx& fx);
  void start(Fx& fx);

  // Views of several parts, for one look.
  Derived derived() const { return {config, store, slots}; }
  Deliveries deliveries() { return {config, store, undelivered}; }

  // The duties. Each refers to such as are above it.
  Whereabouts where;
  Waves waves;
  Work work;
  PayloadRoom payloads;
  Unfolding unfolding;
  Showing showing;
  BelowFloor below;
  Attachments attachments;
  Giving giving;
  Proving proving;
  Convictions convictions;
  Asking asking;
  Pacemaker pacemaker;
  OwnBlocks own_blocks;

 private:
  /// `like`: of which this one is a copy. A duty of the copy refers to the copy's parts, and begins
  /// with what that one's has of its own.
  State(Parts parts, const State* like);
  template <class D>
  static const D* its(const State* like, D State::*duty) {
    return like != nullptr ? &(like->*duty) : nullptr;
  }
};

}  // namespace thresher::dag
