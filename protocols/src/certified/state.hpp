// The state of one `Bullshark` node: the parts that it is made of, and what goes on between them,
// duty by duty: proposals and votes, certificates, pulls, pacemaker, ordering, recovery. Each duty
// is a .cpp file of its own; this header is private to protocols/src/certified. What has data of
// its own and a clear border is a part: a class with a header that is read, and tested, without
// this one; those of chassis/ are also parts of nodes of dag/. A duty changes parts through what
// they promise, sends effects, and decides what only several parts together know.
#pragma once

#include <vector>

#include "accusing.hpp"
#include "admission.hpp"
#include "asking.hpp"
#include "batches.hpp"
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
#include "restored_records.hpp"
#include "rounds.hpp"
#include "thresher/protocols/attic.hpp"
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

  // recovery.cpp: records
  void erase_record(const VertexPtr& vertex, Fx& fx) const;
  void falls_below(const VertexPtr& vertex, Fx& fx);
  void restore(const Restored& record, Fx& fx);
  void restore_signed(const Restored& record);
  void adopt(const chassis::RestoredCommit& commit, Fx& fx);
  void take_logged(const Logged& logged, std::vector<Ref>& ready, Fx& fx);
  Round needed_whole(Round slot) const;
  std::vector<Ref> rebuild(Fx& fx);
  void start(std::uint64_t seed, Fx& fx);

  std::uint32_t n() const { return config.committee.size(); }
  const Policy& policy() const { return *config.rules.policy; }

  Config config;
  Stats stats;
  Tickets tickets;  // of verdicts and own signatures

  // Parts that several duties work with.
  Store store;
  Attic<VertexPtr> attic;
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
  Giving giving;
  Parking parking;
  Asking asking;
  Voting voting;
  Admission admission;

  // A start.
  RestoredRecords restored;  // until Start, or the end of a commit
  bool started = false;
  Round began_at{0};  // the own round at the start
};

}  // namespace thresher::certified
