// The state of one `Dag` node: the parts that it is made of, and what goes on between them, duty by
// duty: admission, pulls, evidence, pacemaker, ordering, recovery. Each duty is a .cpp file of its
// own; this header is private to protocols/src/dag. What has data of its own and a clear border is
// a part: a class with a header that is read, and tested, without this one; those of chassis/ are
// also parts of nodes of the certified family. A duty changes parts through what they promise,
// sends effects, and decides what only several parts together know.
#pragma once

#include <optional>
#include <vector>

#include "../chassis/answers.hpp"
#include "../chassis/latecomers.hpp"
#include "../chassis/patience.hpp"
#include "../chassis/round_timer.hpp"
#include "../chassis/service.hpp"
#include "attachments.hpp"
#include "below_floor.hpp"
#include "committer.hpp"
#include "composer.hpp"
#include "convictions.hpp"
#include "given_chains.hpp"
#include "giving.hpp"
#include "header_only.hpp"
#include "hosts_turn.hpp"
#include "kept_payload.hpp"
#include "kill_evidence.hpp"
#include "missing.hpp"
#include "pace.hpp"
#include "packed_blocks.hpp"
#include "parts.hpp"
#include "payload_room.hpp"
#include "proofs.hpp"
#include "proving.hpp"
#include "pull_clock.hpp"
#include "restored_records.hpp"
#include "search.hpp"
#include "showing.hpp"
#include "thresher/protocols/attic.hpp"
#include "thresher/protocols/dag/dag.hpp"
#include "thresher/protocols/dag/policy.hpp"
#include "timers.hpp"
#include "twins.hpp"
#include "unproved.hpp"
#include "vouched.hpp"
#include "waves.hpp"
#include "whereabouts.hpp"
#include "witnesses.hpp"

namespace thresher::dag {

struct Dag::State : Parts {
  explicit State(Config c) : State(Parts(std::move(c)), nullptr) {}
  State(const State& other) : State(Parts(other), &other) {}

  // admission.cpp: what peers send
  void receive(NodeId from, const Push& message, Fx& fx);
  void receive(NodeId from, const Give& message, Fx& fx);
  void take_attached(NodeId from, const std::vector<BlockPtr>& attached, Fx& fx);
  void verdict(const Verified& verified, Fx& fx);
  void admit(NodeId from, const BlockPtr& block, Fx& fx, bool attached = false);
  void hold(const BlockPtr& block, NodeId from, Fx& fx);
  bool place(const BlockPtr& block);
  void settle(std::vector<Edge> ready, Fx& fx);
  void settle(const Edge& edge, std::vector<Edge>& ready, Fx& fx);
  bool acceptable(Entry& entry);
  void testify(const Awaited& header, Fx& fx);
  void wake_evidence(Round slot, std::vector<Edge>& ready);
  bool has_payload(Entry& entry, Fx& fx);
  void take_payload(const BlockPtr& block, Fx& fx);
  void bring_near(Fx& fx);
  void hold_packed(const BlockPtr& block, Fx& fx);
  bool unfold(const BlockPtr& block, Fx& fx);
  void unfold_after(Round round, Fx& fx);
  void forget_packed(const Edge& edge);

  // pulls.cpp: asking for and handing out what is missing
  void need(const Edge& edge, const Edge& child, NodeId from, Fx& fx);
  std::optional<NodeId> payer_of(const Edge& edge) const;
  bool author_has_room(NodeId author) const;
  NodeSet not_wanted(Round round) const;
  void hurry(Fx& fx);
  void arm_pull(Fx& fx);
  void pull(Fx& fx);
  void ask_for_blocks(Fx& fx);
  void ask_for_rounds(Fx& fx);
  bool may_ask(NodeId peer);
  Round held_below(const Edge& edge) const;

  // pacemaker.cpp: when a round is left, and with which block
  bool may_leave(Round r) const;
  bool has_work() const;
  bool suspected(NodeId leader, Round r) const;
  /// The leader's block of the round is not waited for.
  bool hopeless(Round r) const;
  void note_wait(Round left);
  void note_missed(Round left);
  bool paced(Round r) const;
  void progress(Fx& fx);
  void watch_round(Fx& fx);
  void waited_a_step(Fx& fx);
  Round watched() const;
  Draft compose(Round r, Fx& fx);
  void endorsed(const Endorsed& event, Fx& fx);
  void expired(TimerId id, Fx& fx);
  void push_own(Fx& fx);
  BlockPtr outgoing() const;

  // order.cpp: decisions, delivery, garbage
  void order(Fx& fx);
  bool order_once(Fx& fx);
  void leaders_changed();
  void deliver(const Decision& commit, Round before, Fx& fx);
  std::vector<Place> collect(const Edge& leader);
  Committed take(Round slot, const Digest& leader, const std::vector<Place>& places);
  void raise_floor(Round leader, Fx& fx);
  void forget_below(Round floor, Fx& fx);

  void receive(NodeId from, const Want& m, Fx& fx) { giving.receive(from, m, fx); }
  void receive(NodeId from, const WantRound& m, Fx& fx) { giving.receive(from, m, fx); }
  void receive(NodeId from, const WantEvidence& m, Fx& fx) { proving.receive(from, m, fx); }
  void receive(NodeId from, const Evidence& m, Fx& fx) { proving.receive(from, m, fx); }
  void receive(NodeId from, const Equivocation& m, Fx& fx) { convictions.receive(from, m, fx); }
  void receive(NodeId from, const coin::Share& m, Fx& fx) { waves.receive(from, m, fx); }

  // recovery.cpp: records
  void restore(const Restored& record, Fx& fx);
  void adopt(Round slot, Reader& value, Fx& fx);
  void adopt_block(const RestoredBlock& one, std::vector<Edge>& ready, Fx& fx);
  void start(Fx& fx);

  const Policy& policy() const { return *config.rules.policy; }
  // Views of several parts, for one look.
  Derived derived() const { return {config, store, slots}; }

  // How far this node is and who leads.
  Whereabouts where;
  Waves waves;
  PayloadRoom payloads;
  Showing showing;
  BelowFloor below;
  Attachments attachments;
  Giving giving;
  Proving proving;
  Convictions convictions;

 private:
  /// `like`: of which this one is a copy. A duty refers to parts of its own node and copies what is
  /// its own.
  State(Parts parts, const State* like);
};

}  // namespace thresher::dag
