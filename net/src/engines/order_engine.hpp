// The protocol that orders a node's transactions, behind one interface, so that the node does not
// know which one it runs.
//
//   auto engine = make_engine(settings, host);    // by the name in the genesis file
//   engine->push(Start{seed}); engine->run();
//
// Guarantees: inputs are stepped in the order they came; whatever the protocol, its commits come
// out as Commit with rising slots, and records of tables below kHostTables are its own.
// Private to net/.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ledger/commit.hpp"
#include "thresher/core/protocol.hpp"
#include "thresher/crypto/coin_scheme.hpp"
#include "thresher/crypto/encryption_scheme.hpp"
#include "thresher/net/node.hpp"
#include "thresher/net/parameters.hpp"
#include "thresher/net/payload_root.hpp"
#include "thresher/net/transport.hpp"

namespace thresher::net {

/// Where a block's payload lies in the store.
struct RecordName {
  std::uint32_t table = 0;
  Bytes key;
};

/// What an engine asks of the node around it; the words are those of the effects.
class EngineHost {
 public:
  virtual ~EngineHost() = default;
  virtual void send(NodeId to, const Frame& frame) = 0;
  virtual void broadcast(const Frame& frame) = 0;
  virtual void deliver(Commit commit) = 0;
  virtual void arm(TimerId id, Delay d) = 0;
  virtual void cancel(TimerId id) = 0;
  virtual void persist(std::vector<Persist> records, std::uint64_t barrier) = 0;
  /// `from` sent what is to be verified; empty: this node.
  virtual void verify(const Verify& v, std::optional<NodeId> from) = 0;
  virtual void verify(const VerifyAll& v, std::optional<NodeId> from) = 0;
  virtual void endorse(const Endorse& e) = 0;
  virtual void accuse(const Accuse& a) = 0;
  /// An invariant of the protocol does not hold: nothing may be signed or told from here on.
  virtual void broken(const std::string& what) = 0;
  /// What followed from a message of `from` was refused so many times.
  virtual void refused(NodeId /*from*/, std::uint64_t /*times*/) {}
  /// payload_root() of what came from a peer or is about to go into the log. A host may keep what
  /// it computed on the way.
  virtual Digest root_of(ByteView payload) { return payload_root(payload); }
  /// Reads back the payload in a record; empty when the disk does not have the one of that root.
  virtual std::optional<Bytes> payload_of(const RecordName& record, const Digest& root) const = 0;
};

/// Inputs that look alike for every protocol.
using HostInput = std::variant<Restored, Start, Expired, Verified, Endorsed>;

/// What a protocol counts, for metrics. Counters that it does not have stay 0.
struct EngineStats {
  std::uint64_t blocks_accepted = 0;
  std::uint64_t direct_commits = 0;
  std::uint64_t indirect_commits = 0;
  std::uint64_t skips = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t refused = 0;  ///< malformed, over quota or out of window
  std::uint64_t equivocations = 0;
  std::uint64_t certificate_calls = 0;  ///< inputs that asked for verdicts on certificates
};

/// How far an engine is, for metrics and to see whether it lags.
struct EngineSample {
  Round round{0};
  Round next_slot{0};  ///< first slot that is not decided
  Round frontier{0};   ///< that some correct node has reached, as far as messages tell
  EngineStats stats{};
  /// False where more may have been decided before the start than it has delivered, and the ends of
  /// its peers' logs do not tell.
  bool up_to_date = true;
};

/// How far a node has bound itself by what it signed or voted. Each number only grows: a node that
/// lost some of it may say something else at the same place.
struct Pledge {
  std::uint64_t round = 0;  ///< of its last block or header; or a view, or a term
  std::uint64_t vote = 0;   ///< up to which round or slot it voted, where votes are apart

  void raise(const Pledge& other) {
    round = std::max(round, other.round);
    vote = std::max(vote, other.vote);
  }
  bool beyond(const Pledge& other) const { return round > other.round || vote > other.vote; }
  friend bool operator==(const Pledge&, const Pledge&) = default;
};

/// The last block or header that a node signed, as a peer holds it.
struct LastSigned {
  Round round{0};
  Digest digest{};
  Signature signature{};
  bool held = false;  ///< this node has it, or a later one
};

/// Whether the store has the records of an adopted commit already.
enum class Stored : std::uint8_t { kNo, kYes };

class OrderEngine {
 public:
  virtual ~OrderEngine() = default;
  /// Queues a peer's message; false when it is malformed.
  virtual bool receive(NodeId from, const Frame& frame) = 0;
  /// False: a restored record is damaged.
  virtual bool push(HostInput input) = 0;
  /// True when its restored records come with their bodies; else they stay on the disk.
  virtual bool wants_bodies() const = 0;
  /// Pre: `root` is that of the payload. `replaces`: the root of the payload submitted before that
  /// this one contains; empty: none. Only where extends().
  virtual void submit(Bytes payload, const Digest& root, const std::optional<Digest>& replaces) = 0;
  /// Steps what is queued. False: there was nothing.
  virtual bool run() = 0;
  virtual void persisted(std::uint64_t barrier) = 0;
  /// True when commits of the log that peers vouch for can be put in from outside.
  virtual bool adopts() const = 0;
  /// Puts in such a commit: asks the host to persist what the store lacks of it, and steps it.
  /// Deliveries that follow from it come with the next run() or persisted(), so that
  /// the host can put this commit into its log before.
  virtual void adopt(const Commit& commit, Stored stored) = 0;
  /// The protocol's records of having delivered up to `slot`, which belong into one atomic write
  /// with the host's log entry of it: whatever a crash leaves, both or none are there. Each is
  /// handed out once.
  virtual std::vector<Persist> take_progress(Round slot) = 0;
  /// The last commit of which the protocol's own records say that it was delivered, so the log must
  /// have it. Pre: before Start, after the records.
  virtual Round noted() const = 0;
  /// True when take_progress() gives something with every commit, which entry_of() needs.
  virtual bool notes_progress() const = 0;
  /// Slots of the log that a node has to know to take part behind them, when it does not come from
  /// further in front: what was delivered in them is not delivered again.
  virtual std::uint64_t window() const = 0;
  /// Records with which the protocol starts behind such a commit, when those of all commits of the
  /// window are in the store. `progress`: what take_progress() gave with the last of them.
  virtual std::vector<Persist> entry_of(const Commit& commit,
                                        const std::vector<Persist>& progress) = 0;
  /// The store's records of such a commit's blocks, one each.
  virtual std::vector<Persist> records_of(const Commit& commit) = 0;
  /// A proof that the commit of `slot`, just delivered, holds the block; empty: there is none.
  virtual Bytes prove(Round slot, const OrderedBlock& block) const = 0;
  /// Payloads that wait to go into a block; cheap, unlike sample().
  virtual std::size_t pending_submits() const = 0;
  /// True when a payload that waits may be replaced by a longer one.
  virtual bool extends() const = 0;
  /// True when receive() asks for the root of what is all of a frame's payload.
  virtual bool hashes_payloads() const = 0;
  virtual EngineSample sample() const = 0;
  /// The highest round in what this peer sent of its own: its word, and no more.
  virtual Round spoke_of(NodeId peer) const = 0;
  /// Whether a peer that is level says so to this node: what it spoke of tells how far it is.
  virtual bool hears(NodeId peer) const = 0;
  /// What this node is bound to. After persisted() of all that was handed out so far, a restart
  /// finds no less. Before Start: what its records say.
  virtual Pledge pledge() const = 0;
  /// What a peer is bound to by its messages, where no signature tells.
  virtual Pledge pledge_of(NodeId peer) const = 0;
  /// Shown in an earlier run. Pre: a member.
  virtual void remember(NodeId peer, const Pledge& pledge) = 0;
  /// The last thing that a member signed and that this node holds, for read_signed() of the member;
  /// empty: there is none.
  virtual Bytes last_signed(NodeId author) const = 0;
  /// Empty: malformed, or not by this node. The signature is the caller's to check.
  virtual std::optional<LastSigned> read_signed(const Bytes& bytes) const = 0;
  /// Members of whom any two sets share one that is not faulty.
  virtual std::uint32_t quorum() const = 0;
  /// The record whose body is the payload of a block of the log. From any thread.
  virtual RecordName record_of(const OrderedBlock& block) const = 0;
  /// Members of whom one at least is correct, where blocks of the log say for certain who wrote
  /// them; else 1 where no member lies, and 0: no clock of a member can be believed.
  virtual std::uint32_t clock_witnesses() const = 0;
  /// Largest payload of one submission. Unit: bytes.
  virtual std::size_t payload_limit() const = 0;
};

/// What a node computes with its share of the committee's key.
struct SharedKey {
  std::shared_ptr<const crypto::CoinScheme> coin{};              ///< null: nobody tosses one
  std::shared_ptr<const crypto::EncryptionScheme> encryption{};  ///< null: nothing is encrypted
};

/// What of a node's options bears on how its protocol behaves: all of it stands in a journal.
struct EngineTuning {
  std::uint64_t delta_us = 20'000;
  std::uint64_t pace_us = 2'000;
  std::uint64_t gather_us = 5'000;
  std::uint64_t block_bytes = 1u << 20;
  std::uint64_t gc_rounds = 1000;
  std::uint64_t sync_rounds = 128;

  static EngineTuning of(const NodeOptions& o) {
    return {o.delta_us, o.pace_us, o.gather_us, o.block_bytes, o.gc_rounds, o.sync_rounds};
  }
};

struct EngineSettings {
  std::string protocol;
  Committee committee = *Committee::make(4, 1);
  NodeId self{};
  ChainContext chain{};
  EngineTuning tuning{};
  SharedKey shared{};
  Parameters parameters{};  ///< of the protocol; what is missing has its default

  /// At most Delta.
  Delay delay_of(std::uint64_t us) const {
    return Delay{std::min(us, tuning.delta_us) * 1000 / tuning.delta_us};
  }
};

/// A record's value with the hash of its body in front, and the mirror: empty when they do not
/// belong together. Checks records that a protocol reads back without a signature over them.
Bytes sealed(const Persist& record);
std::optional<Bytes> unsealed(const Restored& record);

/// Empty when no protocol has that name: see node_protocols(). Pre: check_parameter() says
/// nothing against the parameters.
std::unique_ptr<OrderEngine> make_engine(const EngineSettings& settings, EngineHost& host);

}  // namespace thresher::net
