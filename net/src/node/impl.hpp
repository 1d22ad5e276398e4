// What a Node is made of, and how the parts meet. Private to net/.
//
// A part owns its data, says in its header what it guarantees, and knows nothing of the node: it is
// told what happened, and answers with a return value or by a hook. The functions here are what
// lies between them, the engine, the writer's thread and the application. Each duty is a .cpp file
// of its own (backend.cpp, clients.cpp, recovery.cpp).
#pragma once

#include <string>
#include <vector>

#include "engines/order_engine.hpp"
#include "host/app_calls.hpp"
#include "host/host_calls.hpp"
#include "host/host_log.hpp"
#include "host/run_end.hpp"
#include "http/gateway.hpp"
#include "http/metrics.hpp"
#include "http/page_queue.hpp"
#include "journal/recording_engine.hpp"
#include "ledger/evidence_gate.hpp"
#include "ledger/kept_results.hpp"
#include "ledger/ledger.hpp"
#include "ledger/log_reader.hpp"
#include "ledger/log_service.hpp"
#include "ledger/log_sync.hpp"
#include "ledger/missing_log.hpp"
#include "ledger/rot_mender.hpp"
#include "ledger/standing_check.hpp"
#include "life/checkpoints.hpp"
#include "life/divergence.hpp"
#include "life/kept_tree.hpp"
#include "life/log_window.hpp"
#include "life/out_of_reach.hpp"
#include "life/proof_service.hpp"
#include "life/pruner.hpp"
#include "life/retention.hpp"
#include "life/small_questions.hpp"
#include "life/snapshot_giver.hpp"
#include "life/snapshot_holds.hpp"
#include "life/snapshot_schedule.hpp"
#include "life/snapshot_spare.hpp"
#include "life/snapshot_writer.hpp"
#include "life/state_sync.hpp"
#include "life/tree_service.hpp"
#include "links/alarm.hpp"
#include "links/complaints.hpp"
#include "links/conduct.hpp"
#include "links/piece_work.hpp"
#include "node/bodiless.hpp"
#include "node/commit_tracer.hpp"
#include "node/durable_pledge.hpp"
#include "node/engine_timers.hpp"
#include "node/held_frames.hpp"
#include "node/known_peers.hpp"
#include "node/last_words.hpp"
#include "node/order_watch.hpp"
#include "node/own_start.hpp"
#include "node/stage_clock.hpp"
#include "node/start_level.hpp"
#include "node/start_question.hpp"
#include "node/verdicts.hpp"
#include "service/feeder.hpp"
#include "service/older_clients.hpp"
#include "service/own_client.hpp"
#include "service/own_questions.hpp"
#include "service/query_service.hpp"
#include "service/replies.hpp"
#include "service/submissions.hpp"
#include "service/subscribers.hpp"
#include "service/visitors.hpp"
#include "store/scrubber.hpp"
#include "store/sign_once.hpp"
#include "store/writer_thread.hpp"
#include "thresher/crypto/signing_key.hpp"
#include "thresher/net/genesis.hpp"
#include "thresher/net/node.hpp"
#include "wire/hashed_payloads.hpp"

namespace thresher::net {

struct Node::Impl final : EngineHost {
  Impl(NodeOptions o, App& a, Genesis g, const crypto::SigningKey& k, NodeId id, SharedKey shared,
       std::unique_ptr<NodeStore> s, std::unique_ptr<journal::JournalWriter> journal);

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

  Committee committee() const;
  TransportOptions transport_options() const;
  Submissions::Limits limits();
  void pump();
  crypto::Purpose purpose() const;
  Verdicts::Hooks verdict_hooks();
  void collect_verdicts();
  void feed();
  bool links_keep_up() const;
  Feeder::Hooks feeder_hooks();
  bool fill_in(OrderedBlockPtr& block) const;
  void note_stages(const Commit& commit);
  CommitTracer::Scope on(Duty duty) { return CommitTracer::on(tracer.get(), duty); }
  Result<Unit, Error> open_trace();
  void commit(Commit commit);
  void say(Level level, const std::string& line);
  /// Empty: nothing is wrong.
  void halt(std::optional<Error> why);
  /// How run() ends.
  Result<Unit, Error> ending() const;
  Sample sample() const;
  void frame(ConnectionId from, const Frame& f);
  void peer_frame(NodeId from, const Frame& f);
  void hear_log(NodeId from, const Frame& f, std::uint64_t now);

  // peers.cpp: what is known of the others, and what they get of the log
  std::string waits_for() const;
  std::string stands_still() const;
  std::vector<PeerStatus> peers() const;
  void false_answer(NodeId from, const std::string& how);

  // node.cpp: the life of a node
  Result<Unit, Error> begin();
  void durable(std::uint64_t barrier, std::uint64_t began_us, std::uint64_t ended_us);
  void live();
  void finish();

  // start.cpp: up to the first signature
  Result<Unit, Error> claim_store();
  void recall_peers(std::optional<Incarnation>& own);
  void meet(NodeId peer);
  void note_start(NodeId peer, const Frame& f);
  void say_started(NodeId to);
  Result<Unit, Error> check_window() const;
  void note_peers();
  void begin_start();
  void look_level();
  void ask(NodeId peer);
  void watch_start();
  void tell_known(NodeId to);
  std::string proof_against_self(NodeId from, const wire::Known& known) const;
  void hear_known(NodeId from, const Frame& f);
  void hear_other_process(NodeId from, const Frame& f);
  void weigh_answers();
  void start_engine();

  // recovery.cpp: from the own disk, and from peers
  Result<Unit, Error> recover();
  std::string began_words(LogEnd restored, std::uint64_t restoring_us,
                          std::uint64_t reading_us) const;
  Result<Unit, Error> read_log(std::optional<std::uint64_t> until_us);
  Result<Unit, Error> replay_entry(const LogEntry& entry);
  Result<Unit, Error> restore_record(Restored record);
  void save_snapshot();
  void watch_lag();
  void check_log();
  /// Nothing of the protocol is stepped, so nothing is signed, said or delivered.
  bool quiet() const {
    return starting || standing.suspects() || missing.has_gap() || checkpoints.difference() ||
           enters_anew;
  }
  void remind();

  // mending.cpp: holes in the log
  Result<Unit, Error> look_for_hole(const LogEntry& entry);
  Result<Unit, Error> lacks_log(Round until, std::optional<LogEntry> damaged,
                                const std::string& what);
  void note_lost_end();
  void mend_log(std::uint64_t now);
  void mend_with(Commit commit);
  void mend_payloads(const LogEntry& entry, const Commit& commit);
  void write_back(const LogEntry& entry, const Commit& commit, std::function<void()> done);
  void write_back(const Commit& commit);
  void write_again(Commit out);
  void note_gap(Commit commit);
  void fetch_unreadable(const Commit& commit, const OrderedBlock& block);
  void deliver_held();
  void adopt(Commit commit);

  // scrubbing.cpp: what the disk changed since it was written
  void start_scrubbing();
  void note_rot(LogEntry entry);
  void say_rot(const LogEntry& first, std::size_t entries);
  RotMender::Hooks rot_hooks();
  /// Nothing of the log is fetched or in doubt, so peers can be asked for what is damaged.
  bool log_settled() const {
    return !missing.has_hole() && !missing.unread() && !sync.active() && !standing.suspects();
  }

  // bodies.cpp: records that the protocol reads back with their bodies
  Result<Unit, Error> lacks_body(Restored record);
  void mend_bodies();
  void give_bodies(const Commit& commit);
  bool log_lacks() const { return missing.lacks(ledger.slot()); }
  bool log_whole() const { return missing.whole(ledger.slot()); }

  // life.cpp: checkpoints
  Checkpoints::Hooks checkpoint_hooks();
  void add_to_tree(const Transaction& t, const ApplyResult& result, const Digest* payload);
  std::vector<Persist> tree_records();
  void checkpoint_after(const LogEntry& entry);
  bool life_frame(NodeId from, const Frame& f);
  void watch_checkpoints(std::uint64_t now);
  void checkpoints_differ();
  // proofs.cpp: what is read of the log for others
  bool ask_small(NodeId from, const Frame& f);
  bool answer_small(NodeId from, const Frame& question);
  void ask_proof(ConnectionId from, const Frame& f);
  void tell_proof(const ProofQueue::Question& of, const Result<LogProof, Error>& proof);
  // snapshots.cpp
  void start_snapshots();
  bool catches_up() const;
  void take_snapshot(const Checkpoint& checkpoint, Round before);
  void recall_grids();
  void write_spare(std::uint64_t now);
  void write_snapshot(SnapshotWriter::Job taken);
  OwnState own_state() const;
  /// Whether snapshots of this node can be taken over by others.
  bool shares_state() const;
  std::optional<PortableLedger> portable_ledger(const Checkpoint& checkpoint) const;
  bool add_window(PortableLedger& ledger) const;
  // joining.cpp: the state from peers, where the log does not reach
  bool snapshot_frame(NodeId from, const Frame& f);
  SnapshotGiver::Hooks giver_hooks();
  bool can_join() const;
  void watch_joining(std::uint64_t now);
  void begin_window(std::uint64_t now);
  LogWindow::Hooks window_hooks();
  void enter();
  bool window_frame(NodeId from, const Frame& f, std::uint64_t now);
  // pruning.cpp
  void start_pruning();
  void prune_when_due();
  void look_at_holds();
  void note_log_question(NodeId from, Round slot);
  void begins(const LogBegin& begin);
  void pruned_there(NodeId peer, Round begins);
  Result<Unit, Error> restore_snapshot();
  enum class FromSnapshot : std::uint8_t { kYes, kNo, kWrong };
  std::optional<StartPoint> start_point_of(ByteView own) const;
  std::optional<StartPoint> start_point_of(const LoadedSnapshot& snapshot) const;
  FromSnapshot restore_from(StartPoint from, ByteView state, const Digest& digest);
  FromSnapshot restore_running(const SnapshotFolder& folder, Round slot);

  // application.cpp
  std::optional<ApplyResult> apply(const Transaction& t, NodeId author,
                                   const Digest* payload = nullptr);
  std::optional<std::string> check(const ClientId& client, ByteView data);
  void query(ConnectionId from, const Frame& f);
  void ask(const Queries::Query& query);
  void reply(const Queries::Query& query, bool failed, ByteView answer);
  QueryService::Hooks query_hooks();

  // evidence.cpp
  std::string keep_evidence(const Bytes& bytes);
  void order_evidence(NodeId who, const Bytes& bytes);
  ApplyResult apply_evidence(const Transaction& t, NodeId author);

  // gateway.cpp
  Result<Unit, Error> open_gateway();
  LogPage read_page(std::uint64_t from, std::size_t most);

  // clients.cpp
  void link(ConnectionId id, bool up);
  void client_frame(ConnectionId from, const Frame& f);
  void welcome(ConnectionId id);
  void take(ConnectionId from, const Frame& f);
  void trace_taken(const ClientId& client, ByteView entries);
  void submit_own(Bytes data, SubmitOptions how, OnOutcome done);
  void take_own();
  OwnClient::Hooks own_hooks();
  void close_own(const std::string& why);
  void refuse(ConnectionId to, Refusal why, const std::vector<std::uint64_t>& sequences,
              const std::string& text = {});
  void rest(ConnectionId from, std::size_t bytes);
  void answer(const Submission& s, const Transaction& t, const Commit& commit,
              const OrderedBlockPtr& block, const std::optional<ApplyResult>& result);
  void refuse_later(const std::vector<Submission>& waiting, Refusal why);
  void watch_submissions();
  std::optional<ConnectionId> gives_way();
  void subscribe(ConnectionId from, const Frame& f);
  Subscribers::Hooks subscriber_hooks();
  bool send_log(ConnectionId to, std::uint64_t end, std::uint32_t count,
                std::vector<std::byte> log);
  void tell_pruned(ConnectionId to);
  void cannot_serve(ConnectionId to, Round slot);
  void acknowledge();
  Replies::Hooks reply_hooks();
  NodeStatus status_now();

  // Who it is, and what it runs on.
  NodeOptions options;
  App& app;
  Genesis genesis;
  crypto::SigningKey key;
  NodeId self;
  ChainContext chain;
  LastWords words;
  std::unique_ptr<NodeStore> store;
  LogForm log_form;
  LogReader reader;
  Loop loop;

  // The protocol, and what it asks for.
  Verdicts verdicts;  // after the loop, which its accelerator wakes
  Alarm verdict_alarm{loop, [this] { pump(); }};
  std::unique_ptr<OrderEngine> engine;
  EngineTimers timers{loop, [this](TimerId id) {
                        (void)engine->push(Expired{id});
                        pump();
                      }};
  bool pumping = false;
  Transport transport;
  std::unique_ptr<CommitTracer> tracer;  // null: nothing is traced
  std::unique_ptr<Scrubber> scrubber;    // null: nothing is on a disk; tells the writer's thread
  std::unique_ptr<WriterThread> writer;

  // Its log, held against those of peers and mended from them.
  LogSync sync;
  RotMender rot;      // never fetches while `sync` does
  Bodiless bodiless;  // records of the protocol; it starts when peers have given the bodies
  MissingLog missing;
  bool lags = false;  ///< catching up, as watch_lag last saw
  StandingCheck standing;
  OrderWatch order_watch;
  LogService log_service;
  PieceWork serving_log{loop, [this] { return log_service.step(); }};
  Conduct conduct;

  // The program around it, and how its run ends.
  HostCalls calls;
  AppCalls app_calls{app, calls};
  bool app_lags = false;  // the application did not get all of the log
  RunEnd run_end;
  std::atomic<bool> begun{false};  // run() or start() was called
  std::exception_ptr thrown;       // by the node's thread
  std::optional<Error> stopped_because;
  std::function<void(const Result<Unit, Error>&)> on_stopped;  // of a node on the host's context
  std::unique_ptr<Metrics> metrics;                            // null: not asked for
  std::optional<Error> metrics_problem;                        // why its port could not be opened
  StageClock stages;                                           // only where there are metrics
  std::uint64_t ticks = 0;                                     // of watch_lag
  Complaints complaints;

  // From transactions that wait to the log.
  Submissions submissions;
  Feeder feeder;  // of the pool's transactions to the engine
  Alarm feed_again{loop, [this] { pump(); }};
  Ledger ledger;
  std::uint64_t payload_bytes = 0;

  // Checkpoints, and what is proved by them.
  std::uint64_t checkpoint_every;  // slots; 0: never
  HashedPayloads hashed;           // for the checkpoints' tree
  LogTree tree;
  Checkpoints checkpoints;
  std::vector<Persist> before_writer;  // made while the log was read
  KeptTree own_tree;                   // for the search of this node
  TreeService trees;                   // for those of peers
  PieceWork serving_trees{loop, [this] { return trees.step(); }};
  SmallQuestions small_questions;
  PieceWork answering_small{loop, [this] { return small_questions.step(); }};
  ProofService proofs;
  PieceWork proving{loop, [this] { return proofs.step(); }};
  std::optional<DivergenceSearch> divergence;
  bool transport_runs = false;

  // Snapshots, what is pruned behind them, and what is given to those who join.
  SnapshotSchedule schedule;
  SnapshotSpare spare;
  SnapshotHolds holds;                        // before who writes snapshots and asks it
  std::unique_ptr<SnapshotWriter> snapshots;  // null: none are taken
  std::vector<Persist> last_progress;         // that the protocol noted with the last commit
  std::uint64_t snapshot_length = 0;          // log length at the last one of a stop
  Retention retention;
  std::unique_ptr<Pruner> pruner;   // null: all of the log is kept
  std::uint64_t next_prune_us = 0;  // when it is looked at again
  OutOfReach out_of_reach;
  struct Joining {
    explicit Joining(StateSync s) : sync(std::move(s)) {}
    StateSync sync;
    std::optional<LogWindow> window{};  // for the protocol; set when the snapshot is here
    bool again = false;                 // the window is gone at the peers: from the beginning
  };
  std::optional<Joining> joining;  // takes its state from peers
  bool enters_anew = false;        // the state is on the disk: the node starts from there
  SnapshotGiver snapshot_giver;
  PieceWork giving_parts{loop, [this] { return snapshot_giver.step(); }};

  // Clients.
  Visitors visitors;
  OlderClients older_clients;
  std::uint64_t malformed = 0;  // frames of clients; those of nodes are in `conduct`
  KeptResults results;
  Replies replies;
  PieceWork telling{loop, [this] { return replies.tell_results(ledger.slot()); }};
  QueryService queries;
  PieceWork answering{loop, [this] { return queries.step(results.end(), start_level.reached()); }};
  EvidenceGate evidence_gate;
  std::unique_ptr<Gateway> gateway;  // null: not asked for
  PageQueue pages;
  PieceWork serving_pages{loop, [this] { return pages.serve(); }};
  Subscribers subscribers;
  PieceWork feeding_subscribers{loop, [this] { return subscribers.feed(ledger.slot()); }};

  // The process around it, as a client of its own.
  OwnClient own_client;
  PieceWork watching_own{loop, [this] { return own_client.end_late(Loop::now_us()); }};
  OwnQuestions own_questions;

  // Its start, and what keeps its key from signing twice.
  bool has_records = false;  // the store had some of the protocol at the start
  SignOnce sign_once;
  OwnStart own_start;
  struct Starting {
    StartQuestion question;
    HeldFrames held{};  // of the protocol
    std::uint64_t looks = 0;
  };
  std::optional<Starting> starting;  // nothing of the protocol runs before its end
  StartLevel start_level;
  KnownPeers known_peers;
  DurablePledge durable_pledge;
  std::uint64_t notes_due_us = 0;
};

}  // namespace thresher::net
