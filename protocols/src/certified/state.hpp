// The state of one `Bullshark` node: its parts and its duties, and what goes on between them. A
// part keeps data that several duties work with. A duty (voting, asking, composing, recovery, ...)
// owns its data, and its constructor names the parts and the duties that it looks at or changes.
// Each is a class with a header that is read, and tested, without this one; those of chassis/ are
// also parts of nodes of dag/. What is left here is what follows for one duty from what another
// did: an input is given to whom it is for, certified vertices go from the check to their
// acceptance, and anchors are ordered, which raises the floor for all. Private to
// protocols/src/certified.
//
// Duties know no state, and none that is below theirs in it: where something follows for those,
// they return it.
#pragma once

#include <vector>

#include "accusing.hpp"
#include "admission.hpp"
#include "asking.hpp"
#include "batches.hpp"
#include "below_floor.hpp"
#include "bringing.hpp"
#include "checking.hpp"
#include "composing.hpp"
#include "giving.hpp"
#include "log_vertices.hpp"
#include "ordered.hpp"
#include "own.hpp"
#include "pacemaker.hpp"
#include "parking.hpp"
#include "peer_headers.hpp"
#include "publishing.hpp"
#include "records.hpp"
#include "recovery.hpp"
#include "rounds.hpp"
#include "thresher/protocols/certified/bullshark.hpp"
#include "thresher/protocols/certified/committer.hpp"
#include "thresher/protocols/certified/policy.hpp"
#include "thresher/protocols/certified/store.hpp"
#include "tickets.hpp"
#include "undelivered.hpp"
#include "voting.hpp"
#include "waves.hpp"

namespace thresher::certified {

struct Bullshark::State {
  explicit State(Config c);
  State(const State& other) : State(other.config) { *this = other; }
  State& operator=(const State&) = default;

  // Messages: what is not for one duty alone is in admitting.cpp.
  void receive(NodeId from, const Batch& message, Fx& fx) { voting.hear(from, message, fx); }
  void receive(NodeId from, const Propose& message, Fx& fx) { voting.hear(from, message, fx); }
  void receive(NodeId from, const Vote& message, Fx& fx) {
    hold_own(publishing.hear(from, message, fx), fx);
  }
  void receive(NodeId from, const Certify& message, Fx& fx);
  void receive(NodeId from, const Want& message, Fx& fx) { giving.answer(from, message, fx); }
  void receive(NodeId from, const WantRound& message, Fx& fx) { giving.answer(from, message, fx); }
  void receive(NodeId from, const Give& message, Fx& fx);
  void receive(NodeId from, const coin::Share& message, Fx& fx) {
    if (waves.hear(from, message, fx)) voting.consider_all(fx);
  }

  // admitting.cpp: certified vertices, from their coming to their acceptance
  bool fits(const Vertex& vertex) const;
  void park(const VertexPtr& vertex, Fx& fx);
  void check_parked(bool all, Fx& fx);
  void check_vertex(const VertexPtr& vertex, NodeId from, Fx& fx, bool answer = false);
  bool verdict(const Verified& verified, Fx& fx);
  void conclude(const Checks::Concluded& done, Fx& fx);
  bool hold(const VertexPtr& vertex, NodeId from, Fx& fx);
  void hold_own(const VertexPtr& vertex, Fx& fx);
  void settle(std::vector<Ref> ready, Fx& fx);

  // state.cpp: what an input leads to
  void restore(const Restored& record, Fx& fx);
  void start(std::uint64_t seed, Fx& fx);
  bool has_work() const;
  void progress(Fx& fx);
  void endorsed(const Endorsed& event, Fx& fx);
  void expired(TimerId id, Fx& fx);
  void push(Fx& fx);

  // order.cpp: commits, delivery, garbage
  void order(Fx& fx);
  bool order_once(Fx& fx);
  std::vector<VertexPtr> collect(const Ref& anchor);
  bool deliver(const Anchor& anchor, Fx& fx);
  void raise_floor(Round anchor, Fx& fx);
  void forget(const Cell& cell, Fx& fx);

  std::uint32_t n() const { return config.committee.size(); }
  const Policy& policy() const { return *config.rules.policy; }

  Config config;
  Stats stats;
  Tickets tickets;  // of verdicts and own signatures

  // Parts that several duties work with.
  Store store;
  Ordered ordered;
  Undelivered undelivered;
  Own own;
  Rounds rounds;
  PeerHeaders headers;
  Batches batches;
  Records records;
  LogVertices from_log;

  // Duties. Each works with parts above it, and with duties above it.
  Checking checking;
  Accusing accusing;
  Waves waves;
  Pacemaker pacemaker;
  Bringing bringing;
  Composing composing;
  Publishing publishing;
  BelowFloor below;
  Giving giving;
  Parking parking;
  Asking asking;
  Voting voting;
  Admission admission;
  Recovery recovery;

  bool started = false;
  Round began_at{0};  // the own round at the start
};

}  // namespace thresher::certified
