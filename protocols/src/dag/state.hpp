// The state of one `Dag` node and its duties: admission, pulls, pacemaker, ordering, recovery.
// Each duty is a .cpp file of its own; this header is private to protocols/src/dag.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <vector>

#include "committer.hpp"
#include "store.hpp"
#include "thresher/protocols/dag/dag.hpp"

namespace thresher::dag {

/// Timers of a node.
enum Timer : std::uint32_t { kRoundTimer = 1, kPullTimer = 2, kPushTimer = 3, kPaceTimer = 4 };

struct Dag::State {
  explicit State(Config c);

  // admission.cpp: what peers send
  void receive(NodeId from, const Push& message, Fx& fx);
  void receive(NodeId from, const Give& message, Fx& fx);
  void verdict(const Verified& verified, Fx& fx);
  void admit(NodeId from, const BlockPtr& block, bool solicited, Fx& fx);
  void hold(const BlockPtr& block, NodeId from, Fx& fx);
  bool place(const BlockPtr& block);
  void settle(std::vector<Edge> ready, Fx& fx);
  void settle(const Edge& edge, std::vector<Edge>& ready, Fx& fx);
  bool acceptable(Entry& entry);
  std::optional<Edge> derived_vote(const Entry& entry) const;
  std::optional<Edge> derived_claim(const Entry& entry) const;
  void wake_evidence(Round slot, std::vector<Edge>& ready);
  void accuse_self(const Block& block, Fx& fx);
  void note_equivocation(const Block& first, const Block& second, Fx& fx);
  void hold_packed(const BlockPtr& block, Fx& fx);
  bool unfold(const BlockPtr& block, Fx& fx);
  void unfold_after(Round round, Fx& fx);
  void forget_packed(const Edge& edge);

  // pulls.cpp: asking for and handing out what is missing
  void receive(NodeId from, const Want& message, Fx& fx);
  void receive(NodeId from, const WantRound& message, Fx& fx);
  void receive(NodeId from, const WantEvidence& message, Fx& fx);
  void need(const Edge& edge, NodeId who_needs_it);
  void arm_pull(Fx& fx);
  void pull(Fx& fx);
  void ask_round(NodeId peer, Fx& fx);
  bool may_ask(NodeId peer);
  void give(NodeId to, const std::vector<const Entry*>& entries, Fx& fx);

  // pacemaker.cpp: when a round is left, and with which block
  bool complete(Round r) const;
  bool may_leave(Round r) const;
  bool certification_impossible(Round slot) const;
  bool has_work() const;
  bool suspected(NodeId leader, Round r) const;
  bool paced(Round r) const;
  const Entry* leader_block(Round slot) const;
  void add_vote(Header& header) const;
  void add_claim(Header& header) const;
  void progress(Fx& fx);
  void watch_round(Fx& fx);
  Round next_round() const;
  Header compose(Round r);
  void add_references(Header& header);
  void endorsed(const Endorsed& event, Fx& fx);
  void expired(TimerId id, Fx& fx);
  void push_own(Fx& fx);
  BlockPtr outgoing() const;

  // order.cpp: decisions, delivery, garbage
  void order(Fx& fx);
  bool order_once(Fx& fx);
  void leaders_changed();
  void deliver(const Decision& commit, Fx& fx);
  std::vector<Place> collect(const Edge& leader);
  Committed take(Round slot, const Digest& leader, const std::vector<Place>& places);
  void raise_floor(Round leader, Fx& fx);
  void await_delivery(const Block& block);
  void awaits_no_more(const Block& block);

  // waves.cpp: leaders by a coin, and votes through what lies between
  void receive(NodeId from, const coin::Share& message, Fx& fx);
  void toss_ready(Fx& fx);
  template <class Input>
  void feed_coin(const Input& input, Fx& fx);
  void reveal(Round slot, NodeId leader);
  using Cone = std::map<Edge, std::optional<Edge>>;
  std::optional<Edge> seen(const Block& block, Round slot, Cone& known) const;
  void count_seen(Entry& entry);
  void forget_waves();
  void expired_of_coin(TimerId id, Fx& fx);

  // recovery.cpp: records
  void persist(Table table, const Block& block, Fx& fx) const;
  void restore(const Restored& record, Fx& fx);
  void persist_delivered(const Committed& commit, Fx& fx) const;
  void adopt(Round slot, Reader& value, Fx& fx);
  void adopt_block(const BlockPtr& block, std::vector<Edge>& ready, Fx& fx);
  void start(Fx& fx);

  Config config;
  Store store;
  Schedule schedule;
  Stats stats;

  /// Blocks that wait for the verdict on their signature, and the places of those gone. A ticket is
  /// a count above a place, so that no two are alike.
  struct Pending {
    BlockPtr block{};
    NodeId from{};
    std::uint64_t ticket = 0;  // 0: free
  };
  static constexpr unsigned kPlaceBits = 24;
  std::vector<Pending> pending;
  std::vector<std::uint32_t> free_pending;
  std::uint64_t next_ticket = 1;
  std::uint64_t keep_pending(const BlockPtr& block, NodeId from);
  bool foreign_own = false;  // a block with our name that we do not hold waits for its verdict

  struct Peer {
    std::uint32_t pending = 0;      // blocks it sent that wait for a verdict
    std::uint32_t waiting = 0;      // blocks it authored that are held but not accepted
    std::uint32_t outstanding = 0;  // answers it may still send
    Round seen{0};                  // highest round of a block it pushed
    Round accepted{0};              // highest round of an accepted block it authored
    bool muted = false;             // proven equivocator: never referenced again
  };
  std::vector<Peer> peers;
  std::vector<NodeId> muted;  // of the peers
  Round highest_seen{0};      // over all peers
  bool ahead(Round seen) const;
  bool lagging() const;
  Round frontier() const;

  struct Missing {
    NodeId needed_by;
    std::uint32_t ticks = 0;  // pull ticks since it is missing
  };
  std::map<Edge, Missing> missing;             // referenced but not held
  std::map<Edge, std::vector<Edge>> waiting;   // missing or unaccepted block -> who waits for it
  std::map<Edge, std::vector<Edge>> unproved;  // claimed leader without evidence -> claimers
  /// Packed blocks, verified, whose parents are not all known; by round and author.
  std::map<Round, std::map<NodeId, BlockPtr>> packed;
  bool pull_armed = false;
  std::uint32_t pulls = 0;  // pull ticks so far: whom to ask next

  std::deque<Payload> submits;
  BlockPtr own;                   // last own block; null before the first
  std::optional<Header> signing;  // composed, waiting for the signature
  Payload signing_payload;
  Round timer_for{0};         // the round whose timer was armed
  bool timed_out = false;     // E3 of the current round
  bool progressed = true;     // a direct commit since the last time-out
  std::uint64_t timeout = 0;  // T in 1/1000 Delta
  bool pushed_recently = false;
  bool pace_over = true;  // the own last block left long enough ago
  bool started = false;

  Round next{1};                      // first undecided slot
  Round last_commit{0};               // the committed slot before it
  std::uint64_t ordered_version = 0;  // the store when slots were last decided
  Round ordered_next{0};              // the first undecided slot after that
  std::uint64_t undelivered = 0;      // accepted blocks with a payload, not delivered
  std::uint64_t undelivered_bytes = 0;
  std::vector<std::pair<Round, BlockPtr>> restored;  // until Start, or the end of a commit
  struct RestoredCommit {
    Round before{0};  // slot of the commit before it
    Digest leader{};
  };
  std::map<Round, RestoredCommit> restored_commits;
  Schedule restored_schedule;  // after the last of them

  std::optional<coin::ThresholdCoin> coin;  // of rules that draw their leaders
  std::set<Round> tossed;                   // undecided slots whose coin was tossed
  /// By undecided slot with a known leader: the leader's block that an accepted block sees first.
  std::map<Round, Cone> cones;
};

}  // namespace thresher::dag
