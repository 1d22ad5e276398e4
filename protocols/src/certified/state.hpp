// The state of one `Bullshark` node and its duties: proposals and votes, certificates, pulls,
// pacemaker, ordering, recovery. Each duty is a .cpp file of its own; this header is private.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "../chassis/latecomers.hpp"
#include "../chassis/patience.hpp"
#include "thresher/protocols/attic.hpp"
#include "thresher/protocols/certified/bullshark.hpp"
#include "thresher/protocols/certified/committer.hpp"
#include "thresher/protocols/certified/leaders.hpp"
#include "thresher/protocols/certified/policy.hpp"
#include "thresher/protocols/certified/store.hpp"

namespace thresher::certified {

/// Timers of a node.
enum Timer : std::uint32_t {
  kRoundTimer = 1,
  kPullTimer = 2,
  kPushTimer = 3,
  kGatherTimer = 4,
  kServeTimer = 5
};

/// The certificates of an author without an accepted vertex in so many rounds are not gathered.
inline constexpr std::uint64_t kSuspectRounds = 8;

/// No version of a store: what depends on it must be looked at again.
inline constexpr std::uint64_t kNothingOrdered = ~std::uint64_t{0};

struct Bullshark::State {
  explicit State(Config c);

  struct Peer;
  struct Check;
  struct Missing;

  // proposals.cpp: headers of others, and votes on them
  void receive(NodeId from, const Batch& message, Fx& fx);
  void receive(NodeId from, const Propose& message, Fx& fx);
  void keep_proposal(Peer& peer, const ProposalPtr& proposal);
  void suspect_two(const ProposalPtr& first, const ProposalPtr& second, Fx& fx);
  void accuse_two(const Check& check, Fx& fx);
  void consider(NodeId author, Fx& fx);
  void consider_all(Fx& fx);
  bool gate_open(Round r) const;
  bool parents_settled(const Header& h);
  template <class F>
  void each_unsettled(const Header& h, F visit) const;
  void insist(const Header& h);
  void reached(Peer& peer, Round round);
  void block(NodeId author, const Ref& on);
  void unblock(NodeId author);
  void lack_batch(Peer& peer, bool lacks);
  bool sample_follows_the_rules(const Header& h) const;
  std::optional<Payload> payload_of(const Header& h) const;
  void voted(const ProposalPtr& proposal, const Signature& signature, Fx& fx);
  void answer_straggler(NodeId to, Fx& fx) const;

  // certificates.cpp: votes on the own header, certificates, acceptance
  void receive(NodeId from, const Vote& message, Fx& fx);
  void receive(NodeId from, const Certify& message, Fx& fx);
  void check_votes(Fx& fx);
  void try_certify(Fx& fx);
  bool start_check(Check check, Fx& fx);
  bool verdict(const Verified& verified, Fx& fx);
  void conclude(Check& check, Fx& fx);
  void check_vertex(const VertexPtr& vertex, NodeId from, Fx& fx, bool answer = false);
  void park(const VertexPtr& vertex, Fx& fx);
  bool is_parked(const Ref& ref) const;
  bool worth_checking(Round r, const std::map<NodeId, VertexPtr>& unchecked) const;
  bool gathers(Round r, const std::map<NodeId, VertexPtr>& unchecked, Fx& fx);
  void check_parked(bool all, Fx& fx);
  bool hold(const VertexPtr& vertex, NodeId from, Fx& fx);
  void settle(std::vector<Ref> ready, Fx& fx);
  static Certify certify(const VertexPtr& vertex);
  bool acceptable(const Ref& ref, NodeId from);
  bool refs_settled(const Header& h) const;
  void wake(bool completed, Fx& fx);
  void accuse_self(const Vertex& vertex, Fx& fx);

  // pulls.cpp: asking for and handing out what is missing
  void receive(NodeId from, const Want& message, Fx& fx);
  void receive(NodeId from, const WantRound& message, Fx& fx);
  void receive(NodeId from, const Give& message, Fx& fx);
  void need(const Ref& ref, NodeId who_needs_it, bool certified);
  void note_namer(const Ref& ref, Missing& known, NodeId who) const;
  void ask_namer(const Ref& ref, Missing& miss, std::vector<Want>& asks);
  void found(const Ref& ref);
  void arm_pull(Fx& fx);
  void pull(Fx& fx);
  void ask_vertices(std::vector<Want>& asks);
  void ask_batches(std::vector<Want>& asks);
  void ask_round(Fx& fx);
  bool may_ask(NodeId peer);
  bool may_serve(NodeId peer) const;
  void serve(NodeId peer, Give answer, std::uint64_t bytes, Fx& fx);
  std::optional<Payload> batch(const Digest& root) const;
  VertexPtr vertex(const Ref& ref) const;
  VertexPtr accepted_vertex(const Ref& ref) const;
  bool ahead(Round seen, Round here) const;
  bool lagging() const;
  Round frontier() const;

  // bringing.cpp: what goes along with an anchor
  void missed_by(const Ref& ref, NodeId asker);
  bool is_late(NodeId author) const;
  bool brings(const Header& h) const;
  std::vector<VertexPtr> brought_with(const Header& h, const std::vector<VertexPtr>& entered) const;
  bool may_bring(const Peer& peer, const Give& message) const;

  // pacemaker.cpp: when a round is left, and with which header
  bool complete(Round r) const;
  Round current() const;
  bool may_leave(Round r) const;
  bool has_work() const;
  bool suspected(Round r) const;
  NodeId awaited(Round r) const;
  NodeId leader(Round r) const { return leaders.leader(r); }
  bool composes_dense(const Ref& vertex) const;
  bool overdue(Round r) const { return timed_out && timer_for == r; }
  void note_left(Round r);
  void progress(Fx& fx);
  void watch_round(Fx& fx);
  void waited_a_step(Fx& fx);
  void announce(Fx& fx);
  Header compose(Round r) const;
  void load(Header& h, Fx& fx);
  void choose_parents(Header& h) const;
  void add_stragglers(Header& h) const;
  std::vector<VertexPtr> mark_history(const Header& h);
  Digest unique_value(const NodeSet& authors, Round r) const;
  void endorsed(const Endorsed& event, Fx& fx);
  void expired(TimerId id, Fx& fx);
  void push_own(Fx& fx);

  // order.cpp: commits, delivery, garbage
  void order(Fx& fx);
  bool order_once(Fx& fx);
  std::vector<VertexPtr> collect(const Ref& anchor);
  bool deliver(const Anchor& anchor, Fx& fx);
  void raise_floor(Round anchor, Fx& fx);
  void forget(const Cell& cell, Fx& fx);
  void propose_again(const Payload& payload);

  // waves.cpp: coins of the asynchronous rules
  void receive(NodeId from, const coin::Share& message, Fx& fx);
  void toss_ready(Fx& fx);
  template <class Input>
  void feed_coin(const Input& input, Fx& fx);
  CoinOf coin_of() const;
  std::optional<bool> expected_fallback(const Header& h) const;

  // recovery.cpp: records
  void persist_vertex(const Vertex& vertex, Round of_log, Fx& fx) const;
  void persist_delivered(const Committed& commit, Fx& fx) const;
  void erase_record(const VertexPtr& vertex, Fx& fx) const;
  void falls_below(const VertexPtr& vertex, Fx& fx);
  void restore(const Restored& record, Fx& fx);
  void restore_signed(const Restored& record);
  struct RestoredCommit;
  void adopt(Round slot, const RestoredCommit& commit, Fx& fx);
  struct Logged;
  void take_logged(const Logged& logged, std::vector<Ref>& ready, Fx& fx);
  Round needed_whole(Round slot) const;
  std::vector<Ref> rebuild(Fx& fx);
  void start(std::uint64_t seed, Fx& fx);

  Shape shape() const {
    return {config.committee, config.rules.stragglers, config.rules.one_signature};
  }
  std::uint32_t n() const { return config.committee.size(); }
  std::uint32_t votes_for_anchor(Round r) const { return store.votes({leader(r), r}); }
  Round own_round() const { return own ? own->proposal->header.round : Round{0}; }

  const Policy& policy() const { return *config.rules.policy; }

  Config config;
  Store store;
  Attic<VertexPtr> attic;
  Stats stats;

  // The fields that every header and certificate looks at come first, in one line of the cache:
  // with many peers each message finds theirs cold.
  struct alignas(64) Peer {
    ProposalPtr voted_for;               // the highest one; its vote below is durable
    std::vector<ProposalPtr> proposals;  // by round, none with a certificate
    Round voted{0};                      // of voted_for, or of a vote that waits for its signature
    Round seen{0};                       // highest round of a header it proposed
    Round accepted{0};                   // highest round of an accepted vertex it authored

    std::vector<Payload> batches;  // oldest first, none in a vertex
    bool lacks_batch = false;      // the last proposal waits for its payload
    bool two_suspected = false;    // a second header was found and is being checked
    bool accused = false;          // proven equivocator: not voted for any more
    bool brought_false = false;    // a vertex with a false certificate, unasked
    std::uint32_t batch_ticks = 0;
    std::uint32_t checks = 0;       // verdicts awaited on what it sent
    std::uint32_t parked = 0;       // its certificates in `parked`
    std::uint32_t outstanding = 0;  // answers it may still send
    std::uint32_t missing = 0;      // vertices to fetch for its proposals
    std::uint32_t round_asks = 0;   // questions for rounds that its last word is worth
    std::uint32_t filled_at = 0;    // the pull tick of its last full answer
    std::uint64_t served = 0;       // bytes of answers sent to it, since kServeTimer was armed
    Signature vote{};
    Payload voted_payload;
  };
  std::vector<Peer> peers;
  NodeSet asleep;               // authors whose last proposal waits for a vertex
  std::vector<Ref> blocked_on;  // by author: the first such vertex
  NodeSet gated;                // authors whose last proposal waits for the round before it
  std::uint32_t lacking = 0;    // peers whose last proposal waits for its payload
  Round highest_seen{0};        // over all peers

  /// Signatures whose verdicts are awaited: one verdict on all of a vertex, or on each.
  struct Check {
    enum class Kind : std::uint8_t { kVertex, kVotes, kTwo };
    Kind kind = Kind::kVertex;
    NodeId from;
    bool answer = false;                                     // to a question of this node
    VertexPtr vertex;                                        // kVertex
    ProposalPtr first, second;                               // kTwo: two headers for one name
    std::vector<std::pair<NodeId, Signature>> signatures{};  // kVotes
    std::vector<bool> good{};                                // of those votes
    std::uint64_t asked = 0;                                 // verdicts
    std::uint64_t left = 0;                                  // not here yet
    std::uint64_t bad = 0;
  };
  std::map<std::uint64_t, Check> checks;  // by their first ticket
  /// Certified by their authors' word: the signatures are checked when they could matter.
  std::map<Round, std::map<NodeId, VertexPtr>> parked;
  Round gathering{0};    // the round whose last certificates were waited for
  bool gathered = true;  // long enough
  bool wanted = false;   // somebody refers to one of them
  bool asked = false;    // for verdicts on certificates, since the input that is being looked at
  std::uint64_t next_ticket = 1;

  struct Missing {
    NodeId needed_by;
    bool certified = false;          // a certified vertex needs it, so it exists
    std::uint32_t ticks = 0;         // pull ticks since it is missing
    std::uint32_t turn = 0;          // of questions
    std::vector<NodeId> namers{};    // others that named it, not asked yet
    std::uint32_t named_by = 0;      // so many of them so far
    std::uint32_t next_namer = 0;    // the tick at which one of them is asked
    std::uint32_t forgotten_at = 0;  // in such ticks, unless certified or named again
  };
  std::map<Ref, Missing> missing;           // referenced but not held
  std::map<Ref, std::vector<Ref>> waiting;  // unaccepted vertex -> held vertices that refer to it
  bool pull_armed = false;
  bool serve_armed = false;
  std::uint32_t pulls = 0;  // pull ticks so far: whom to ask next

  struct Own {
    ProposalPtr proposal;
    Payload payload;
    std::vector<std::pair<NodeId, Signature>> votes;  // verified, of distinct nodes
    std::vector<std::pair<NodeId, Signature>> unverified;
    NodeSet heard;  // voters, whatever their signatures
    bool certified = false;
  };
  std::optional<Own> own;
  VertexPtr own_vertex;           // last certified own vertex
  std::optional<Header> signing;  // composed, waiting for the signature
  Payload signing_payload;
  std::vector<VertexPtr> bringing;  // along with it
  std::uint64_t signing_ticket = 0;
  std::map<std::uint64_t, ProposalPtr> voting;  // by ticket, waiting for the signature

  std::deque<Payload> submits;
  std::size_t announced = 0;  // submits, from the front, that were sent ahead
  std::uint64_t seed = 0;
  Round timer_for{0};         // the round whose timer was armed
  bool timed_out = false;     // the timer of timer_for ran out
  std::uint64_t so_long = 0;  // for what timer_for waits for, in 1/1000 Delta
  chassis::Patience patience;  // counts anchors, not rounds: slot_of()
  chassis::Latecomers latecomers;
  bool pushed_recently = false;
  bool started = false;
  Round began_at{0};  // the own round at the start

  std::optional<coin::ThresholdCoin> coin;               // of asynchronous rules
  std::map<std::uint64_t, std::optional<NodeId>> waves;  // tossed, with the leader once known

  Round last{0};                      // last ordered anchor
  Leaders leaders;                    // by what was ordered up to there
  std::uint64_t ordered_version = 0;  // of the store when it was last ordered
  std::uint64_t undelivered = 0;      // accepted vertices with a payload, not delivered
  /// A vertex of a record. The log has no references, so they may be missing.
  struct Logged {
    VertexPtr vertex;
    Round slot{0};  // of the commit of the fetched log that delivered it; 0: none
  };
  std::vector<Logged> restored;    // until Start, or the end of a commit
  std::map<Ref, Logged> from_log;  // delivered by the log, waits to be held with its references
  Round bare{0};                   // highest round of a vertex that is held without them
  struct RestoredCommit {
    Round before{0};  // round of the anchor committed before it
    Digest anchor{};
  };
  std::map<Round, RestoredCommit> restored_commits;
  Leaders restored_leaders;  // behind the last of them
};

}  // namespace thresher::certified
