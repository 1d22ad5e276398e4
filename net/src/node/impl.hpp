// What a Node is made of, and how the parts meet. Private to net/.
//
// A part owns its data, says in its header what it guarantees, and knows nothing of the node: it is
// told what happened, and answers with a return value or by a hook. The functions here are what
// lies between them, the engine, the writer's thread and the application. Duties are classes
// (clientele.hpp, safe_start.hpp, checkpointing.hpp, snapshotting.hpp, joining.hpp, log_care.hpp,
// standing.hpp) over what all stand on (base.hpp), and reach each other by the hooks that are made
// here.
#pragma once

#include <string>
#include <vector>

#include "host/host_log.hpp"
#include "host/run_end.hpp"
#include "ledger/evidence_gate.hpp"
#include "ledger/log_service.hpp"
#include "links/alarm.hpp"
#include "links/piece_work.hpp"
#include "node/base.hpp"
#include "node/checkpointing.hpp"
#include "node/clientele.hpp"
#include "node/engine_timers.hpp"
#include "node/joining.hpp"
#include "node/log_care.hpp"
#include "node/safe_start.hpp"
#include "node/snapshotting.hpp"
#include "node/standing.hpp"
#include "node/verdicts.hpp"
#include "service/feeder.hpp"
#include "thresher/net/node.hpp"

namespace thresher::net {

struct Node::Impl final : EngineHost, NodeBase {
  explicit Impl(NodeParts parts);
  ~Impl() override;

  // backend.cpp: what the engine asks for
  void send(NodeId to, const Frame& f) override;
  void broadcast(const Frame& f) override;
  void deliver(Commit commit) override;
  void arm(TimerId id, Delay d) override;
  void cancel(TimerId id) override;
  void persist(std::vector<Persist> records, std::uint64_t barrier) override;
  void verify(const Verify& v, std::optional<NodeId> from) override;
  void verify(const VerifyAll& v, std::optional<NodeId> from) override;
  void endorse(const Endorse& e) override;
  void accuse(const Accuse& a) override;
  void broken(const std::string& what) override;
  void refused(NodeId from, std::uint64_t messages) override;
  Digest root_of(ByteView payload) override { return hashed.root_of(payload); }
  std::optional<Bytes> payload_of(const RecordName& record, const Digest& root) const override;

  /// Nothing of the protocol is stepped, so nothing is signed, said or delivered.
  bool quiet() const {
    return start.under_way() || standing.suspects() || log_care.has_gap() ||
           checkpointing.differs() || joining.enters_anew();
  }
  void pump() override;
  void link(ConnectionId id, bool up);
  SafeStart::Hooks start_hooks();
  Clientele::Hooks clientele_hooks();
  Checkpointing::Hooks checkpointing_hooks();
  Snapshotting::Hooks snapshotting_hooks();
  Standing::Hooks standing_hooks();
  LogCare::Hooks log_care_hooks();
  Joining::Hooks joining_hooks();
  crypto::Purpose purpose() const;
  Verdicts::Hooks verdict_hooks();
  void collect_verdicts();
  void feed();
  bool links_keep_up() const;
  Feeder::Hooks feeder_hooks();
  bool fill_in(OrderedBlockPtr& block) const;
  void note_stages(const Commit& commit);
  Result<Unit, Error> open_trace();
  void commit(Commit commit);
  void halt(std::optional<Error> why) override;
  /// How run() ends.
  Result<Unit, Error> ending() const;
  void frame(ConnectionId from, const Frame& f);
  void peer_frame(NodeId from, const Frame& f);

  // status.cpp: what it says of itself and of its peers
  std::string waits_for() const;
  std::vector<PeerStatus> peers() const;
  NodeStatus status_now();
  Sample sample() const;

  // node.cpp: the life of a node
  Result<Unit, Error> begin();
  void durable(std::uint64_t barrier, std::uint64_t began_us, std::uint64_t ended_us);
  void live();
  void watch();
  void finish();

  // recovery.cpp: from the own disk
  Result<Unit, Error> recover();
  std::string began_words(LogEnd restored, std::uint64_t restoring_us,
                          std::uint64_t reading_us) const;

  // application.cpp
  std::optional<ApplyResult> apply(const Transaction& t, NodeId author,
                                   const Digest* payload = nullptr);

  // evidence.cpp
  std::string keep_evidence(const Bytes& bytes);
  void order_evidence(NodeId who, const Bytes& bytes);
  ApplyResult apply_evidence(const Transaction& t, NodeId author);

  // The protocol, and what it asks for.
  Verdicts verdicts;  // after the loop, which its accelerator wakes
  Alarm verdict_alarm{loop, [this] { pump(); }};
  EngineTimers timers{loop, [this](TimerId id) {
                        (void)engine->push(Expired{id});
                        pump();
                      }};
  bool pumping = false;

  // Its log, for nodes that were away.
  LogService log_service;
  PieceWork serving_log{loop, [this] { return log_service.step(); }};

  // The program around it, and how its run ends.
  RunEnd run_end;
  std::atomic<bool> begun{false};                              // run() or start() was called
  std::exception_ptr thrown;                                   // by the node's thread
  std::function<void(const Result<Unit, Error>&)> on_stopped;  // of a node on the host's context
  std::optional<Error> metrics_problem;                        // why its port could not be opened
  std::uint64_t ticks = 0;                                     // of watch()

  // From transactions that wait to the log.
  Clientele clients;
  Feeder feeder;  // of the pool's transactions to the engine
  Alarm feed_again{loop, [this] { pump(); }};
  std::uint64_t payload_bytes = 0;

  Checkpointing checkpointing;

  Snapshotting snapshots;
  Standing standing;
  LogCare log_care;
  Joining joining;

  EvidenceGate evidence_gate;

  bool has_records = false;  // the store had some of the protocol at the start
  SafeStart start;
};

}  // namespace thresher::net
