// Raft: a total order that survives crashes of a minority, and nothing worse.
//
//   Raft node({.committee = *Committee::make(5, 0), .self = NodeId{0}});
//   // Ordered while a leader is up.
//   step(node, InputOf<Raft>{Requested<Raft::Request>{{payload}}}, fx);
//
// Guarantees, while nodes only crash and restart with their disk: nodes deliver prefixes of one
// sequence at any timing; while a majority is up and messages arrive in time, what a live node
// submitted is delivered. A restarted node delivers again what it keeps. Term, vote and entries are
// durable first. Bounds: `window` entries on the way to a follower, `history` delivered ones kept;
// a value seen within them is not ordered twice. A node further behind needs the state from
// elsewhere. One Byzantine node can break everything: use PBFT or a DAG there.
// Source: Ongaro, Ousterhout, "In Search of an Understandable Consensus Algorithm" (2014), Fig. 2;
// PreVote is section 9.6 of Ongaro's dissertation.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <variant>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/core/protocol.hpp"

namespace thresher {

namespace raft {

struct Entry {
  std::uint64_t term = 0;
  Bytes value;  ///< empty: the first entry of a leader
};
/// Asks for a vote; `pre_vote` asks whether one would be given, and binds no node.
struct RequestVote {
  std::uint64_t term = 0;
  std::uint64_t last_index = 0;
  std::uint64_t last_term = 0;
  bool pre_vote = false;
};
struct RequestVoteReply {
  std::uint64_t term = 0;
  bool granted = false;
  bool pre_vote = false;
};
/// The leader's entries after (previous_index, previous_term); none is a heartbeat.
struct AppendEntries {
  std::uint64_t term = 0;
  std::uint64_t previous_index = 0;
  std::uint64_t previous_term = 0;
  std::uint64_t commit = 0;
  std::vector<Entry> entries;
};
/// `index`: everything up to it agrees with the leader, or, when it did not fit, try from there.
struct AppendEntriesReply {
  std::uint64_t term = 0;
  std::uint64_t index = 0;
  bool fits = false;
};
/// A payload for the leader.
struct Forward {
  Bytes value;
};
struct Delivery {
  std::uint64_t index = 0;  ///< in the log, from 1; gaps are leaders' first entries
  std::uint64_t term = 0;
  Bytes value;
};
struct Submit {
  Bytes value;
};

/// What is held of all that peers and clients can fill.
struct Footprint {
  std::size_t entries = 0;  ///< of the log, delivered or not
  std::size_t pending = 0;  ///< own submissions that are not delivered
};

/// Table of the entries: key entry_key(index), value the term u64 (0: was cut off), body the value.
inline constexpr std::uint32_t kEntries = 1;
inline constexpr std::uint32_t kBallot = 2;  ///< term u64, voted for u16 (0xffff: nobody)
inline constexpr std::uint32_t kBase = 3;    ///< index u64, term u64 of the last entry forgotten
Bytes entry_key(std::uint64_t index);

}  // namespace raft

class Raft {
 public:
  using Message = std::variant<raft::RequestVote, raft::RequestVoteReply, raft::AppendEntries,
                               raft::AppendEntriesReply, raft::Forward>;
  using Output = raft::Delivery;
  using Request = raft::Submit;
  using Fx = Effects<Message, Output>;

  struct Config {
    Committee committee = *Committee::make(3, 0);  ///< f = 0: its quorum is a majority
    NodeId self{};
    std::uint64_t window = 256;          ///< entries on the way to one follower
    std::uint64_t history = 1024;        ///< delivered entries kept
    std::size_t value_bytes = 65536;     ///< largest payload
    std::size_t append_bytes = 1 << 20;  ///< payload in one AppendEntries, one entry at least
    Delay heartbeat{2000};
    Delay election_timeout{
        12000};  ///< least silence of a leader before a node calls an election; most: twice that
  };
  enum class Role : std::uint8_t { kFollower, kCandidate, kLeader };

  explicit Raft(Config config);

  /// Before Start: a record of the own disk. After Start: a kEntries record that the host vouches
  /// for, far ahead of the own log, which is dropped for it.
  void on(const Restored&, Fx&);
  void on(const Start&, Fx&);
  void on(const Received<Message>&, Fx&);
  void on(const Requested<Request>&, Fx&);
  void on(const Expired&, Fx&);

  Role role() const { return role_; }
  std::uint64_t term() const { return term_; }
  /// The leader of the term, as far as this node knows.
  std::optional<NodeId> leader() const { return role_ == Role::kLeader ? config_.self : leader_; }
  /// Entries delivered.
  std::uint64_t delivered() const { return delivered_; }
  /// The highest index that the leader called committed.
  std::uint64_t frontier() const { return frontier_; }
  /// Whether everything is delivered that was committed when this node started, whoever knew of it:
  /// what a leader called committed, and an entry of its term, which is behind all that earlier
  /// terms committed (Ongaro, Ousterhout 2014, section 5.4.2). No entry that it told its clients of
  /// before is missing then.
  bool up_to_date() const {
    return started_ && leader() && delivered_ >= frontier_ && term_at(delivered_) == term_;
  }
  /// Messages refused: malformed, over a quota.
  std::uint64_t refused() const { return refused_; }
  raft::Footprint footprint() const { return {log_.size(), pending_.size()}; }
  /// What footprint() never exceeds while nobody lies: delivered entries are kept for one and a
  /// half histories, one history may wait to be committed, and each term since the last delivery
  /// may have added the first entry of its leader.
  raft::Footprint most_held() const;

 private:
  struct Follower {
    std::uint64_t match = 0;  // agrees up to here
    std::uint64_t next = 1;   // the first entry not sent
    bool heard = false;       // since the last heartbeat
  };

  void receive(NodeId from, const raft::RequestVote& m, Fx& fx);
  void receive(NodeId from, const raft::RequestVoteReply& m, Fx& fx);
  void receive(NodeId from, const raft::AppendEntries& m, Fx& fx);
  void receive(NodeId from, const raft::AppendEntriesReply& m, Fx& fx);
  void receive(NodeId from, const raft::Forward& m, Fx& fx);
  std::uint64_t last() const { return base_ + log_.size(); }
  std::uint64_t term_at(std::uint64_t index) const;
  bool newer(std::uint64_t last_index, std::uint64_t last_term) const;
  void follow(std::uint64_t term, Fx& fx);
  void save_ballot(Fx& fx) const;
  void store(std::uint64_t index, Fx& fx) const;
  void append(const raft::Entry& e, Fx& fx);
  void cut(std::uint64_t from, Fx& fx);
  void ask_votes(bool pre_vote, Fx& fx);
  void count_vote(NodeId from, Fx& fx);
  void lead(Fx& fx);
  void order(const Bytes& value, Fx& fx);
  void send_entries(Fx& fx, bool beat);
  raft::AppendEntries entries_after(std::uint64_t index) const;
  void commit_to(std::uint64_t index, Fx& fx);
  void deliver(Fx& fx);
  void forget(Fx& fx);
  void pass_on(Fx& fx);
  void arm_election_timeout(Fx& fx);
  void drop_log(Fx& fx);
  void adopt(std::uint64_t index, std::uint64_t term, const Bytes& value, Fx& fx);

  Config config_;
  Role role_ = Role::kFollower;
  std::uint64_t term_ = 0;
  std::optional<NodeId> voted_;
  std::optional<NodeId> leader_;
  std::uint64_t base_ = 0;  // the last entry forgotten, and its term
  std::uint64_t base_term_ = 0;
  std::deque<raft::Entry> log_;  // [k]: entry base_ + 1 + k
  std::uint64_t commit_ = 0;
  std::uint64_t delivered_ = 0;
  std::uint64_t frontier_ = 0;
  std::vector<Follower> followers_;
  Tally votes_;
  bool pre_vote_ = false;  // the votes asked for are pre-votes
  bool heard_ = false;     // from a leader, since the election timeout was armed
  bool started_ = false;
  std::uint64_t seed_ = 0;
  std::uint64_t rounds_ = 0;  // times that the election timeout was armed
  std::uint64_t refused_ = 0;
  std::map<Digest, std::uint64_t> known_;  // values in the log, by index
  std::deque<Bytes> pending_;              // own submissions that are not delivered
  std::map<std::uint64_t, raft::Entry> restored_;
};

}  // namespace thresher
