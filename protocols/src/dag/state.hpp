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
#include "../chassis/frontier.hpp"
#include "../chassis/latecomers.hpp"
#include "../chassis/patience.hpp"
#include "../chassis/round_timer.hpp"
#include "../chassis/service.hpp"
#include "../chassis/waits.hpp"
#include "../chassis/wave_coin.hpp"
#include "arrivals.hpp"
#include "awaited_verdicts.hpp"
#include "backlog.hpp"
#include "committer.hpp"
#include "composer.hpp"
#include "cones.hpp"
#include "culprits.hpp"
#include "given_chains.hpp"
#include "header_only.hpp"
#include "hosts_turn.hpp"
#include "kept_payload.hpp"
#include "kill_evidence.hpp"
#include "missing.hpp"
#include "pace.hpp"
#include "packed_blocks.hpp"
#include "proofs.hpp"
#include "pull_clock.hpp"
#include "records.hpp"
#include "restored_records.hpp"
#include "rounds.hpp"
#include "search.hpp"
#include "slots.hpp"
#include "store.hpp"
#include "thresher/protocols/attic.hpp"
#include "thresher/protocols/dag/dag.hpp"
#include "thresher/protocols/dag/policy.hpp"
#include "twins.hpp"
#include "undelivered.hpp"
#include "unproved.hpp"
#include "vouched.hpp"
#include "witnesses.hpp"

namespace thresher::dag {

/// Timers of a node.
enum Timer : std::uint32_t {
  kRoundTimer = 1,
  kPullTimer = 2,
  kPushTimer = 3,
  kPaceTimer = 4,
  kServeTimer = 5,
  kTurnTimer = 6
};

struct Dag::State {
  explicit State(Config c);

  // admission.cpp: what peers send
  void receive(NodeId from, const Push& message, Fx& fx);
  void receive(NodeId from, const Give& message, Fx& fx);
  void verdict(const Verified& verified, Fx& fx);
  void admit(NodeId from, const BlockPtr& block, Fx& fx, bool attached = false);
  void hold(const BlockPtr& block, NodeId from, Fx& fx);
  bool place(const BlockPtr& block);
  void settle(std::vector<Edge> ready, Fx& fx);
  void settle(const Edge& edge, std::vector<Edge>& ready, Fx& fx);
  bool acceptable(Entry& entry);
  std::optional<Edge> derived_vote(const Entry& entry) const;
  std::optional<Edge> derived_claim(const Entry& entry) const;
  std::optional<Edge> unproved_part(const Entry& entry) const;
  void wake_evidence(Round slot, std::vector<Edge>& ready);
  void accuse_self(const Block& block, Fx& fx);
  void hold_packed(const BlockPtr& block, Fx& fx);
  bool unfold(const BlockPtr& block, Fx& fx);
  void unfold_after(Round round, Fx& fx);
  void forget_packed(const Edge& edge);

  // lean.cpp: blocks held by their header alone, where an author's payloads are too much
  bool is_far(Round round) const;
  void was_accepted(const Block& block);
  bool too_much(const Entry& entry) const;
  void drop_payload(Entry& entry);
  void drop_if_too_much(const Edge& edge);
  bool has_payload(Entry& entry, Fx& fx);
  void take_payload(const BlockPtr& block, Fx& fx);
  void bring_near(Fx& fx);

  // held_back.cpp: payloads of equivocators' further blocks, for their own sake and for others'
  bool charge(const Edge& edge, NodeId payer, std::uint64_t bytes);
  std::optional<NodeId> charge_one_of(const NodeSet& authors, const Edge& edge, NodeSet& had_more);
  bool is_held_back(Entry& entry);
  void want_held_back(Fx& fx);
  void charge_restored(const Entry& entry);

  // pulls.cpp: asking for and handing out what is missing
  void receive(NodeId from, const Want& message, Fx& fx);
  void receive(NodeId from, const WantRound& message, Fx& fx);
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
  /// A peer has written a block, of this round, that this node cannot follow with what it holds.
  bool ahead(Round seen) const;
  bool lagging() const;
  void served(NodeId to, std::uint64_t bytes, Fx& fx);
  Round held_below(const Edge& edge) const;
  void add_chain(NodeId to, BlockPtr block, Round held, std::vector<BlockPtr>& found, Fx& fx);
  void give(NodeId to, const std::vector<BlockPtr>& blocks, Fx& fx);

  // evidence.cpp: proving what was accepted
  void receive(NodeId from, const WantEvidence& message, Fx& fx);
  void receive(NodeId from, const Evidence& message, Fx& fx);
  void ask_for_evidence(Fx& fx);
  void testify(const Awaited& header, Fx& fx);
  void keep_evidence(Round slot, const Digest& leader, Fx& fx);
  void keep_headers(const Edge& leader, Fx& fx);
  void restore_evidence(const Restored& record);
  void count_restored_evidence(Fx& fx);
  void forget_evidence(Round bottom, Fx& fx);

  // kills.cpp: the same for KILLs
  bool testify_kill(Round round);
  void keep_kill_evidence(Round round, Fx& fx);

  // equivocation.cpp: proofs against who signed two blocks of a round
  void receive(NodeId from, const Equivocation& message, Fx& fx);
  void note_equivocation(const BlockPtr& first, const BlockPtr& second, Fx& fx);
  void check_next(const Awaited& checked, bool ok, Fx& fx);
  void convict(Equivocation proof, Fx& fx);
  void remind(const Block& block, Fx& fx);
  void restore_equivocation(const Restored& record);

  // attachments.cpp: blocks that bring what they name
  void missed_by(const Edge& edge, NodeId asker);
  bool brings(const Place& place) const;
  void add_unnamed(Round round, std::vector<Edge>& from) const;
  std::vector<BlockPtr> attachments(const Header& header, Fx& fx);
  void take_attached(NodeId from, const std::vector<BlockPtr>& attached, Fx& fx);

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
  struct Draft {
    Header header;
    Payload payload;
    std::vector<BlockPtr> attached;  // that will go along with it
  };
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

  // attic.cpp: what lies below the floor
  void falls_below(const Entry& entry);
  void raise_attic(Round floor, Fx& fx);
  bool restore_below(const BlockPtr& block, Fx& fx);
  void erase_record(const BlockPtr& block, Fx& fx) const;
  BlockPtr servable(const Edge& edge) const;

  // vouched.cpp: what came with the log of peers
  bool may_show(const BlockPtr& block, Fx& fx);

  // waves.cpp: leaders by a coin, and votes through what lies between
  void receive(NodeId from, const coin::Share& message, Fx& fx);
  void toss_ready(Fx& fx);
  template <class Input>
  void feed_coin(const Input& input, Fx& fx);
  void reveal(Round slot, NodeId leader);
  void count_seen(Entry& entry);
  void forget_waves();
  void expired_of_coin(TimerId id, Fx& fx);

  // recovery.cpp: records
  void restore(const Restored& record, Fx& fx);
  void adopt(Round slot, Reader& value, Fx& fx);
  void adopt_block(const RestoredBlock& one, std::vector<Edge>& ready, Fx& fx);
  void start(Fx& fx);

  const Policy& policy() const { return *config.rules.policy; }
  Round own_round() const { return own ? own->round() : Round{0}; }
  Round next_round() const { return rounds().after(own_round()); }
  // Views of several parts, for one look.
  Rounds rounds() const { return {config, store, culprits, slots}; }
  Witnesses witnesses() const { return {config, store, attic, proofs}; }

  Config config;
  Stats stats;

  // What is held and decided.
  Store store;
  Attic<BlockPtr> attic;
  Slots slots;
  Undelivered undelivered;

  // What is counted of peers, and known of them.
  AwaitedVerdicts awaited;
  bool foreign_own = false;  // a block with our name that we do not hold waits for its verdict
  Arrivals arrivals;
  chassis::Answers answers;
  chassis::Service service;
  GivenChains given;
  Culprits culprits;
  chassis::Latecomers latecomers;
  chassis::Frontier frontier;

  // What a held block waits for before it is accepted, and on whose account it does.
  MissingBlocks missing;  // referenced but not held, or of `lean` and asked for
  chassis::Waits<Edge> waits;
  Unproved unproved;
  PackedBlocks packed;
  KeptPayload kept_payload;
  HeaderOnly lean;
  Twins twins;

  // When what is missing is asked for, and what may be shown to others that ask.
  PullClock pull_clock;
  Round round_asked{0};  // that is incomplete
  Search round_search;
  Proofs proofs;  // durable once a claim that they prove was accepted
  Vouched vouched;

  // The own blocks: what goes into the next one, and when it is made.
  Backlog backlog;
  BlockPtr own;                // last own block; null before the first
  std::optional<Draft> draft;  // waiting for the signature
  chassis::RoundTimer round_timer;
  chassis::Patience patience;
  Pace pace;
  HostsTurn hosts_turn;
  bool pushed_recently = false;

  // What a disk or the log of peers brings.
  Records records;
  RestoredRecords restored;  // until Start, or the end of a commit
  bool started = false;
  Round began_at{0};  // the own round at the start

  // Rules that draw their leaders.
  chassis::WaveCoin coin;
  Cones cones;
};

}  // namespace thresher::dag
