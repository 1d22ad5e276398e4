// The certified DAG protocol: `bullshark`, `sparse-bullshark`, `anchored-bullshark` and
// `bullshark-async` by parameter set.
//
//   Bullshark node({.committee = *Committee::of(4), .self = NodeId{0},
//                   .rules = Rules::anchored_bullshark()});
//   Executor<Bullshark, Backend> executor(std::move(node), backend);
//   executor.run(Start{seed}); executor.run(Requested<Submit>{{payload}});
//
// Guarantees: correct nodes deliver prefixes of one sequence at any timing with up to f Byzantine
// nodes (but see rules.hpp on `sparse_bullshark`); kValidity correct nodes held a payload when its
// vertex was certified (a voter that crashes before it holds the vertex forgets the payload), and
// it is durable, with its payload, at every correct node that refers to it, so before it is
// ordered; no vertex or vote leaves before it is durable, and no restart votes twice for one author
// and round. An idle node is silent but for a slow re-push. Does not dedupe transactions inside
// payloads: the host does. A node whose disk was lost must not come back: once it sees a vertex of
// its own that it does not hold, it accuses itself and the host stops it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/core/protocol.hpp"
#include "thresher/protocols/certified/joint_signature.hpp"
#include "thresher/protocols/certified/message.hpp"
#include "thresher/protocols/certified/rules.hpp"

namespace thresher::certified {

/// Tables of durable records. kOwn: the last own header; kVertex: certified vertices, the payload
/// as their body; kDelivered: committed anchors by round, behind the round of the one before (u64),
/// and the next leaders; kVoted: the last header voted for, by author. kOwn holds the payload in
/// its value, because the author repeats it after a restart; a voter gets it again from there, or
/// with the vertex.
enum Table : std::uint32_t { kOwn = 1, kVertex = 2, kDelivered = 3, kVoted = 4 };

struct Config {
  Committee committee = *Committee::make(4, 1);
  NodeId self{};
  ChainContext chain{};
  Rules rules = Rules::anchored_bullshark();
  Delay timeout{8000};     ///< two certified rounds of 3 Delta, and slack
  Delay idle_push{50000};  ///< re-push of the last header while nothing happens
  /// How long the certificates that complete a round wait for the rest of it, so that all of them
  /// are verified in one call. Nodes that have been silent are not waited for. 0: not at all.
  Delay gather{0};
  std::uint64_t gc_depth = 50;  ///< G, in rounds
  /// Drop payload bytes from memory once delivered. The host then fills them in when it sends a
  /// vertex whose header names more bytes than it carries.
  bool evict_delivered = false;
  /// Rounds behind the others beyond which rounds are pulled only seldom, because the host fetches
  /// the log instead (see Bullshark::on(Restored)). 0: there is no such host.
  std::uint64_t host_fetches_beyond = 0;
  Limits limits{};
  /// The common coin of asynchronous rules, unused by the others.
  std::shared_ptr<const crypto::CoinScheme> coin{};
  /// For rules with one signature in a certificate, unused by the others.
  std::shared_ptr<const JointSignature> joint{};
  bool rests = true;    ///< false: rounds go on while there is nothing to order
  bool records = true;  ///< false: nothing is kept for a restart, which must not come
};

/// Counters for metrics, tests and reports.
struct Stats {
  std::uint64_t vertices_accepted = 0;
  std::uint64_t direct_commits = 0;
  std::uint64_t indirect_commits = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t refused = 0;        ///< malformed, over quota, out of window or badly signed
  std::uint64_t equivocations = 0;  ///< proved second headers
  std::uint64_t votes_sent = 0;
  std::uint64_t signatures_checked = 0;  ///< one that stands for several counts once
  /// Inputs that made it ask for verdicts on votes for its headers, and on certificates: a host
  /// answers what one input asks for in one call.
  std::uint64_t vote_calls = 0;
  std::uint64_t certificate_calls = 0;
  std::uint64_t coin_batches = 0;  ///< calls in which shares of the coin were verified
};

/// Sizes of everything that a peer can fill.
struct Footprint {
  std::size_t vertices = 0;   ///< held, or kept below the floor for peers that need them
  std::size_t proposals = 0;  ///< headers without a certificate
  std::size_t batches = 0;    ///< payloads without a vertex
  std::size_t checks = 0;     ///< verdicts awaited
  std::size_t missing = 0;    ///< referenced and not held
  std::size_t waiting = 0;    ///< held vertices that wait for others to be accepted
  std::size_t parked = 0;     ///< certificates that are not checked yet
};

class Bullshark {
 public:
  using Message = certified::Message;
  using Output = Committed;
  using Request = Submit;
  using Fx = Effects<Message, Output>;

  explicit Bullshark(Config config);
  Bullshark(const Bullshark&);
  Bullshark& operator=(const Bullshark&);
  Bullshark(Bullshark&&) noexcept;
  Bullshark& operator=(Bullshark&&) noexcept;
  ~Bullshark();

  /// Before Start: a record of the own disk. After Start: a record of the log that the host fetched
  /// from peers and vouches for: the vertices of one commit, then its kDelivered record. Nothing is
  /// delivered for it: the host has it. Commits that this node knows are ignored; they must come in
  /// the order of the log. A vertex of the log may lack its references and its certificate: it is
  /// never walked through again and never handed out. Its record ends with the slot of its commit
  /// (u64), so that after a crash nothing of a commit that was not noted counts as delivered. With
  /// asynchronous rules the vertices of the newest wave are fetched from peers all the same.
  void on(const Restored&, Fx&);
  /// The seed feeds private sampling.
  void on(const Start&, Fx&);
  void on(const Received<Message>&, Fx&);
  void on(const Requested<Submit>&, Fx&);
  void on(const Expired&, Fx&);
  void on(const Verified&, Fx&);
  void on(const Endorsed&, Fx&);

  /// Changes nothing: brings near what a message of `peer`, a member, will look at first.
  void warm(NodeId peer) const;

  Round round() const;  ///< of the own last header
  Round voted() const;  ///< the highest one of a header that it voted for
  /// The last header of a member that this node voted for, or its own; null: none.
  ProposalPtr latest_of(NodeId author) const;
  Round last_ordered() const;  ///< round of the last ordered anchor, 0 before the first
  /// The author of a round's anchor, by what was ordered. Pre: the round has an anchor, above
  /// last_ordered().
  NodeId leader(Round round) const;
  /// A round that some correct node has reached, as far as proposals tell.
  Round frontier() const;
  /// Whether what this node accepted before it started is delivered, as far as it can be: nothing
  /// waits, or an anchor of its round of then, or a later one, is ordered. A host told its clients
  /// of no more then.
  bool up_to_date() const;
  const Stats& stats() const;
  /// The part of stats().refused that are false shares of the coin, by sender. They are found when
  /// a share completes a batch. Empty without a coin.
  std::span<const std::uint64_t> false_shares() const;
  std::size_t pending_submits() const;
  /// t: how long an anchor is waited for now.
  Delay patience() const;
  Footprint footprint() const;
  /// What footprint() never exceeds between the floor and the round that this node is in. Rounds
  /// that no commit has ordered yet are kept, so without commits that distance grows with time;
  /// what peers say does not make it grow.
  Footprint most() const;
  /// For oracles: what the last own header refers to, and the history of that, above the floor.
  /// Every correct node comes to accept it. Looks at every vertex held.
  std::vector<Ref> vouched() const;
  /// Whether a vertex is accepted here, or its round is at or below the floor.
  bool accepts(const Ref& ref) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace thresher::certified
