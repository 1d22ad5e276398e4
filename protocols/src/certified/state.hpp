// The state of one `Bullshark` node: the parts that it is made of, and what goes on between them,
// duty by duty: proposals and votes, certificates, pulls, pacemaker, ordering, recovery. Each duty
// is a .cpp file of its own; this header is private to protocols/src/certified. What has data of
// its own and a clear border is a part: a class with a header that is read, and tested, without
// this one; those of chassis/ are also parts of nodes of dag/. A duty changes parts through what
// they promise, sends effects, and decides what only several parts together know.
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
#include "backlog.hpp"
#include "batches.hpp"
#include "checks.hpp"
#include "drawn_leaders.hpp"
#include "log_vertices.hpp"
#include "missing.hpp"
#include "offenders.hpp"
#include "ordered.hpp"
#include "own.hpp"
#include "parked.hpp"
#include "peer_headers.hpp"
#include "pull_timer.hpp"
#include "records.hpp"
#include "restored_records.hpp"
#include "thresher/protocols/attic.hpp"
#include "thresher/protocols/certified/bullshark.hpp"
#include "thresher/protocols/certified/committer.hpp"
#include "thresher/protocols/certified/policy.hpp"
#include "thresher/protocols/certified/store.hpp"
#include "undelivered.hpp"
#include "waiting_headers.hpp"
#include "word_credit.hpp"

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

struct Bullshark::State {
  explicit State(Config c);

  // proposals.cpp: headers of others, and votes on them
  void receive(NodeId from, const Batch& message, Fx& fx);
  void receive(NodeId from, const Propose& message, Fx& fx);
  void suspect_two(const ProposalPtr& first, const ProposalPtr& second, Fx& fx);
  void accuse_two(const Checks::Concluded& done, Fx& fx);
  void consider(NodeId author, Fx& fx);
  void consider_all(Fx& fx);
  bool gate_open(Round r) const;
  bool parents_settled(const Header& h);
  template <class F>
  void each_unsettled(const Header& h, F visit) const;
  void insist(const Header& h);
  bool sample_follows_the_rules(const Header& h) const;
  void voted(const ProposalPtr& proposal, const Signature& signature, Fx& fx);
  void answer_straggler(NodeId to, Fx& fx) const;

  // certificates.cpp: votes on the own header, certificates, acceptance
  void receive(NodeId from, const Vote& message, Fx& fx);
  void receive(NodeId from, const Certify& message, Fx& fx);
  void check_votes(Fx& fx);
  void try_certify(Fx& fx);
  bool start_check(Check check, Fx& fx);
  bool verdict(const Verified& verified, Fx& fx);
  void conclude(const Checks::Concluded& done, Fx& fx);
  void check_vertex(const VertexPtr& vertex, NodeId from, Fx& fx, bool answer = false);
  void park(const VertexPtr& vertex, Fx& fx);
  bool worth_checking(Round r, const Parked::OfRound& unchecked) const;
  bool gathers(Round r, const Parked::OfRound& unchecked, Fx& fx);
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
  void reached(NodeId peer, Round round);
  void arm_pull(Fx& fx);
  void pull(Fx& fx);
  void ask_vertices(std::vector<Want>& asks);
  void ask_batches(std::vector<Want>& asks);
  void ask_round(Fx& fx);
  void ask_for_last(Fx& fx);
  /// What is here of `r` and of the rounds after it.
  WantRound want_from(Round r) const;
  /// `have`: what it says it has of the round, if it says anything.
  bool may_lack(NodeId peer, Round r, const NodeSet* have) const;
  bool may_ask(NodeId peer);
  void serve(NodeId peer, Give answer, std::uint64_t bytes, Fx& fx);
  std::optional<Payload> batch(const Digest& root) const;
  VertexPtr vertex(const Ref& ref) const;
  VertexPtr accepted_vertex(const Ref& ref) const;
  bool ahead(Round seen, Round here) const;
  bool lagging() const;

  // bringing.cpp: what goes along with an anchor
  void missed_by(const Ref& ref, NodeId asker);
  bool is_late(NodeId author) const;
  bool brings(const Header& h) const;
  std::vector<VertexPtr> brought_with(const Header& h, const std::vector<VertexPtr>& entered) const;
  bool may_bring(NodeId peer, const Give& message) const;

  // pacemaker.cpp: when a round is left, and with which header
  bool complete(Round r) const;
  Round current() const;
  bool may_leave(Round r) const;
  bool has_work() const;
  bool suspected(Round r) const;
  NodeId awaited(Round r) const;
  NodeId leader(Round r) const { return ordered.leader(r); }
  bool composes_dense(const Ref& vertex) const;
  bool overdue(Round r) const { return round_timer.over() && round_timer.waits_for(r); }
  void note_left(Round r);
  void progress(Fx& fx);
  void watch_round(Fx& fx);
  void waited_a_step(Fx& fx);
  void announce(Fx& fx);
  Header compose(Round r) const;
  struct Draft {
    Header header;
    Payload payload;
    std::vector<VertexPtr> bringing;  // along with it
    std::uint64_t ticket = 0;         // of its signature
  };
  Draft load(Header h, Fx& fx);
  void choose_parents(Header& h) const;
  void add_stragglers(Header& h) const;
  std::vector<VertexPtr> mark_history(const Header& h);
  Digest unique_value(const NodeSet& authors, Round r) const;
  void endorsed(const Endorsed& event, Fx& fx);
  void expired(TimerId id, Fx& fx);
  void send_own(Fx& fx) const;
  void push_own(Fx& fx);

  // order.cpp: commits, delivery, garbage
  void order(Fx& fx);
  bool order_once(Fx& fx);
  std::vector<VertexPtr> collect(const Ref& anchor);
  bool deliver(const Anchor& anchor, Fx& fx);
  void raise_floor(Round anchor, Fx& fx);
  void forget(const Cell& cell, Fx& fx);

  // waves.cpp: coins of the asynchronous rules
  void receive(NodeId from, const coin::Share& message, Fx& fx);
  void toss_ready(Fx& fx);
  template <class Input>
  void feed_coin(const Input& input, Fx& fx);
  void expired_of_coin(TimerId id, Fx& fx);
  CoinOf coin_of() const;
  std::optional<bool> expected_fallback(const Header& h) const;

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
  std::uint32_t votes_for_anchor(Round r) const { return store.votes({leader(r), r}); }
  const Policy& policy() const { return *config.rules.policy; }

  Config config;
  Stats stats;

  // What is held and ordered.
  Store store;
  Attic<VertexPtr> attic;
  Ordered ordered;
  Undelivered undelivered;

  // What is counted of peers, and known of them.
  chassis::Frontier frontier;
  WordCredit words;
  chassis::Answers answers;
  chassis::Service service;
  chassis::Latecomers latecomers;
  Offenders offenders;

  // Headers of peers, what they wait for, and the votes for them.
  PeerHeaders headers;
  Batches batches;
  WaitingHeaders waiting;

  // Certificates, from their coming to their acceptance.
  Parked parked;
  chassis::RoundTimer gather_timer;  // for the last certificates of a round
  Checks checks;
  chassis::Waits<Ref> waits;
  std::uint64_t next_ticket = 1;  // of verdicts and own signatures

  // What is referred to and not held.
  MissingVertices missing;
  PullTimer pull_timer;

  // The own headers: what goes into the next one, and when it is made.
  Own own;
  Backlog backlog;
  std::optional<Draft> draft;  // waiting for the signature
  std::uint64_t seed = 0;      // of private samples
  chassis::RoundTimer round_timer;
  chassis::Patience patience;  // counts anchors, not rounds: slot_of()
  bool pushed_recently = false;

  // What a disk or the log of peers brings.
  Records records;
  RestoredRecords restored;  // until Start, or the end of a commit
  LogVertices from_log;
  bool started = false;
  Round began_at{0};  // the own round at the start

  // Rules that draw their leaders.
  chassis::WaveCoin coin;
  DrawnLeaders drawn;
};

}  // namespace thresher::certified
