// The uncertified DAG protocol: `thresher`, `mysticeti` and `mahi-mahi` by parameter set.
//
//   Dag node({.committee = *Committee::of(4), .self = NodeId{0}, .rules = Rules::thresher()});
//   Executor<Dag, Backend> executor(std::move(node), backend);
//   executor.run(Start{}); executor.run(Requested<Submit>{{payload}});
//
// Guarantees: correct nodes deliver prefixes of one sequence, at any timing and with up to f
// Byzantine nodes; after GST every correct leader's block commits within three message delays plus
// waiting; with leaders by a coin no GST is needed, and every slot commits with a fixed
// probability. An idle node is silent but for a slow re-push. Does not deliver a payload twice;
// does not dedupe transactions inside payloads: the host does. A node whose disk was lost must not
// come back: once it sees a block of its own that it does not hold, it accuses itself and the host
// stops it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/core/protocol.hpp"
#include "thresher/protocols/dag/message.hpp"
#include "thresher/protocols/dag/rules.hpp"

namespace thresher::dag {

/// Tables of durable records. kOwn: own blocks, kBlock: others' blocks, kDelivered: progress,
/// kEvidence: what proves accepted claims beside accepted blocks, kEquivocation: proofs of it.
enum Table : std::uint32_t {
  kOwn = 1,
  kBlock = 2,
  kDelivered = 3,
  kEvidence = 4,
  kEquivocation = 5
};
/// Behind the header in the record of a block that came with the log of peers: its digest is
/// vouched for, and its signature was not looked at.
inline constexpr std::uint8_t kCameWithLog = 1;

class Names;
/// For nodes of one thread with equal committee, rules and gc_depth, such as those of a simulation:
/// what follows from a block alone is worked out once for all who hold it.
std::shared_ptr<Names> make_names(const Committee& committee);

struct Config {
  Committee committee = *Committee::make(4, 1);
  NodeId self{};
  ChainContext chain{};
  Rules rules = Rules::thresher();
  Delay timeout{6000};     ///< T: six Delta
  Delay idle_push{50000};  ///< re-push of the last block while nothing happens
  /// Two own blocks are so far apart while at least two payloads, and together less than
  /// `pace_bytes`, wait for delivery. Pre: at most Delta (1000). 0: as fast as rounds complete.
  Delay pace{0};
  std::uint64_t pace_bytes = 512 * 1024;
  std::uint64_t gc_depth = 256;  ///< G, in rounds
  /// Drop payload bytes from memory once delivered. The host then fills them in when it sends a
  /// block whose header names more bytes than it carries.
  bool evict_delivered = false;
  /// Rounds behind the others beyond which rounds are pulled only seldom, because the host
  /// fetches the log instead (see Dag::on(Restored)). 0: there is no such host.
  std::uint64_t host_fetches_beyond = 0;
  bool records = true;  ///< false: nothing is kept for a restart, which must not come
  Limits limits{};
  /// Null: the node's own, as it must be where nodes run on threads of their own.
  std::shared_ptr<Names> names{};
  /// The common coin of rules that draw their leaders by one, unused by the others.
  std::shared_ptr<const crypto::CoinScheme> coin{};
};

/// Counters for metrics, tests and reports.
struct Stats {
  std::uint64_t blocks_accepted = 0;
  std::uint64_t direct_commits = 0;
  std::uint64_t indirect_commits = 0;
  std::uint64_t skips = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t refused = 0;  ///< malformed, over quota or out of window
  std::uint64_t equivocations = 0;
  std::uint64_t signatures_checked = 0;
  std::uint64_t attached = 0;      ///< others' blocks that went along with own ones
  std::uint64_t coin_batches = 0;  ///< calls in which shares of the coin were verified
};

/// Sizes of everything that a peer can fill.
struct Footprint {
  std::size_t blocks = 0;   ///< held, or kept below the floor for peers that need them
  std::size_t pending = 0;  ///< waiting for the verdict on their signature
  std::size_t missing = 0;  ///< referenced and not held
  std::size_t waiting = 0;  ///< waiting for others, or for evidence
  std::size_t proofs = 0;   ///< headers kept as evidence
};

/// Shows to others that a block is in the log.
struct CommitProof {
  /// By distinct authors, for the first block of `path`: a quorum that claims it; or, where votes
  /// alone may commit (Rules::two_delays), so many votes.
  std::vector<BlockPtr> witnesses;
  std::vector<BlockPtr> path;  ///< from a leader down to the block, each referring to the next
};

class Dag {
 public:
  using Message = dag::Message;
  using Output = Committed;
  using Request = Submit;
  using Fx = Effects<Message, Output>;

  explicit Dag(Config config);
  Dag(const Dag&);
  Dag& operator=(const Dag&);
  Dag(Dag&&) noexcept;
  Dag& operator=(Dag&&) noexcept;
  ~Dag();

  /// Before Start: a record of the own disk. After Start: a record of the log that the host fetched
  /// from peers and vouches for (kValidity of them named the same log): the blocks of one commit,
  /// their payload left out, then its kDelivered record. Nothing is delivered for it: the host has
  /// it. Commits that this node knows are ignored; they must come in the order of the log.
  void on(const Restored&, Fx&);
  void on(const Start&, Fx&);
  void on(const Received<Message>&, Fx&);
  void on(const Requested<Submit>&, Fx&);
  void on(const Expired&, Fx&);
  void on(const Verified&, Fx&);
  void on(const Endorsed&, Fx&);

  Round round() const;  ///< of the own last block
  /// The block of a member with the highest round that is held, above the floor, or that the
  /// records show before Start; null: none. Walks over the rounds: for questions that are seldom
  /// asked.
  BlockPtr latest_of(NodeId author) const;
  /// Changes nothing: brings near what a block of `peer`, a member, will look at first.
  void warm(NodeId peer) const;
  Round next_slot() const;  ///< first slot that is not decided
  /// The leader of a round, by what this node has decided. Pre: round >= next_slot(); no coin names
  /// the leaders.
  NodeId leader(Round round) const;
  /// A round that some correct node has reached, as far as pushes tell.
  Round frontier() const;
  /// Whether what this node accepted before it started is delivered, as far as it can be: nothing
  /// waits, or slots up to its round of then are decided. A host told its clients of no more then.
  bool up_to_date() const;
  const Stats& stats() const;
  /// The part of stats().refused that are false shares of the coin, by sender. They are found when
  /// a share completes a batch. Empty without a coin.
  std::span<const std::uint64_t> false_shares() const;
  std::size_t pending_submits() const;
  /// T: how long a leader is waited for now.
  Delay patience() const;
  Footprint footprint() const;
  /// What footprint() never exceeds between the floor and the round that this node is in.
  Footprint most() const;
  /// Rounds up to and including it are gone and count as accepted.
  Round floor() const;
  /// For oracles: appends the accepted blocks of rounds above `above`, and above the floor.
  void accepted(Round above, std::vector<Edge>& out) const;
  /// For oracles: those of them that are in the history of the own last block. Every correct node
  /// comes to accept them; of what a node accepted and never names nothing is promised.
  std::vector<Edge> vouched() const;
  /// Whether a block is accepted here, or its round is at or below the floor.
  bool accepts(const Edge& block) const;
  /// Whether this node can prove that a member equivocates.
  bool convicts(NodeId member) const;
  /// For a block that the commit of `slot` delivered a short while ago. Empty for dense rules,
  /// whose claims are not a field, and for what came through peers' logs.
  std::optional<CommitProof> prove(Round slot, const Edge& block) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Key of a block's record in kOwn and kBlock: round u64 big-endian, author u16, digest. The value
/// is the header, the body the payload. Keys of kEvidence are slot u64 big-endian and digest of a
/// claimed block, values headers one after another. Keys of kEquivocation are authors u16
/// big-endian, values two headers. Keys of kDelivered are slots; values are the slot of the commit
/// before (u64), the committed leader, and what leads to the next leaders. A host that hands over a
/// log (see Dag::on(Restored)) leaves the last part out; when the commit before is not the last one
/// here, the record is ignored.
Bytes block_key(const Edge& edge);

}  // namespace thresher::dag
