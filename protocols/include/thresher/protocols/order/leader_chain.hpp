// A chain of blocks that leaders propose in turn and quorums certify: Simplex and HotStuff-2.
//
//   Simplex node({.committee = *Committee::of(4), .self = NodeId{0}});
//   step(node, InputOf<Simplex>{Requested<Simplex::Request>{{payload}}}, fx);  // orders it, soon
//
// In view v the leader, node v mod n, proposes a block on a certified one. Nodes sign a vote for
// it, and a quorum of votes is its certificate; a node that waits too long signs that the view may
// be skipped, and a quorum of that is a certificate too. Either leads to the next view. simplex.hpp
// and hotstuff2.hpp say what makes a block final in each. Guarantees, with up to f Byzantine nodes
// of n >= 3f+1: correct nodes deliver the same payloads in the same order at any timing; once
// messages arrive in time, what a correct node submitted is delivered, unless it crashed before the
// others heard of it. Payloads have slots, counted along the chain; a copy of one that was
// delivered within the last `history` slots is not delivered again. What a node said is durable
// before it leaves, with the block that it voted for and the certificates that it relied on; a
// restarted node goes on in its view and contradicts nothing. Bounds: votes and proposals of the
// views within kNear of this one; of each peer `queue_bytes` of requests; certificates of the views
// since the last final block, which only quorums make; kLoads blocks with payloads among those. A
// peer that asks gets each block, value, certificate and name of a slot three times in 4 Delta,
// however often it asks (served.hpp). A node more than `history` slots behind needs the state from
// elsewhere. Does not judge payloads, and does not hide them from leaders.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "thresher/core/protocol.hpp"
#include "thresher/core/signature_list.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/protocols/order/marks.hpp"
#include "thresher/protocols/order/requests.hpp"
#include "thresher/protocols/order/served.hpp"
#include "thresher/protocols/order/slot_log.hpp"

namespace thresher {

namespace leader_chain {

using order::Ask;
using order::Decided;
using order::Delivery;
using order::Fetch;
using order::Forward;
using order::Offer;
using order::Ordered;
using order::Submit;

/// What a signature says: that a block may be certified, that a view may be skipped, that a block
/// is final (Simplex alone; the signer never said and never says that its view may be skipped).
enum class Kind : std::uint8_t { kNotarize, kSkip, kFinalize };
inline constexpr std::size_t kKinds = 3;

/// Names a block. View 0 is the one before the first.
struct Reference {
  std::uint64_t view = 0;
  Digest digest{};
  friend auto operator<=>(const Reference&, const Reference&) = default;
};
struct Block {
  std::uint64_t view = 0;
  Reference parent;
  std::uint64_t first = 0;  ///< slot of the first payload
  std::vector<Bytes> values;

  std::uint64_t end() const { return first + values.size(); }
};
/// A quorum said it. The digest of a skipped view is zero.
struct Certificate {
  Kind kind = Kind::kNotarize;
  std::uint64_t view = 0;
  Digest digest{};
  std::shared_ptr<const SignatureList> list{};
};
/// From the leader: with the certificate of the parent (none of view 0) and those of the views that
/// led here.
struct Propose {
  Block block;
  std::optional<Certificate> parent;
  std::vector<Certificate> skips;
};
struct Vote {
  Kind kind = Kind::kNotarize;
  std::uint64_t view = 0;
  Digest digest{};
  Signature signature{};
};
/// Asks for the payloads from `slot` on, and for the certificates from `view` on: the view that the
/// sender is in, or an earlier one of which it lacks the certificate.
struct Want {
  std::uint64_t view = 0;
  std::uint64_t slot = 0;
};
/// The sender is in that view, and delivered all slots below.
struct Status {
  std::uint64_t view = 0;
  std::uint64_t delivered = 0;
};
struct WantBlock {
  Reference block;
};
struct Give {
  Block block;
};

/// How votes travel and what makes a block final.
struct Rules {
  enum class Family : std::uint8_t { kSimplex, kHotStuff2 };
  Family family = Family::kSimplex;
  std::string_view name = "simplex";  ///< part of what is signed
  std::uint64_t patience = 5;         ///< ticks in a view before it is skipped, at first

  bool linear() const { return family == Family::kHotStuff2; }
  static Rules simplex() { return {}; }
  static Rules hotstuff2() { return {Family::kHotStuff2, "hotstuff2", 8}; }
};

/// The name of a block: it covers everything in it, payloads by their hashes.
Reference name_of(const ChainContext& chain, const Block& block);
/// What is signed.
Digest statement(const ChainContext& chain, const Rules& rules, Kind kind, const Reference& about);

inline constexpr std::uint64_t kNear = 16;   ///< views ahead and behind of which votes are kept
inline constexpr std::size_t kLoads = 8;     ///< blocks with payloads that leaders leave open
inline constexpr std::size_t kSkips = 64;    ///< certificates in one message
inline constexpr std::size_t kBacklog = 32;  ///< final blocks that wait for those before them

/// What is held of all that peers can fill.
struct Footprint {
  std::size_t request_bytes = 0;
  std::size_t block_bytes = 0;  ///< of payloads in blocks and proposals
  std::size_t votes = 0;
  std::size_t certificates = 0;
  std::size_t checks = 0;   ///< signatures and lists that wait for a verdict
  std::size_t digests = 0;  ///< that peers called decided
  std::size_t decisions = 0;
  std::size_t given = 0;  ///< digests of values and blocks that peers were given lately
};

}  // namespace leader_chain

class LeaderChain {
 public:
  using Message = std::variant<leader_chain::Propose, leader_chain::Vote, leader_chain::Certificate,
                               leader_chain::Forward, leader_chain::Want, leader_chain::Status,
                               leader_chain::WantBlock, leader_chain::Give, leader_chain::Decided,
                               leader_chain::Offer, leader_chain::Ask, leader_chain::Ordered,
                               leader_chain::Fetch>;
  using Output = leader_chain::Delivery;
  using Request = leader_chain::Submit;
  using Fx = Effects<Message, Output>;

  struct Config {
    Committee committee = *Committee::make(4, 1);
    NodeId self{};
    ChainContext chain{};             ///< what signatures are for
    std::uint64_t history = 1024;     ///< delivered slots kept
    std::size_t value_bytes = 65536;  ///< largest payload
    std::size_t block_values = 64;    ///< payloads in a block
    std::size_t block_bytes = 0;      ///< of them; 0: four of the largest
    std::size_t queue_bytes = 0;      ///< requests kept of one peer; 0: eight of the largest
    Threshold notarize = kQuorum;     ///< tests break these
    Threshold skip = kQuorum;
    Threshold finalize = kQuorum;
    bool keeps_word = true;    ///< no skip beside a finalize vote; tests take it away
    bool proves_skips = true;  ///< Simplex votes on proved gaps alone; tests take it away
    bool locks = true;         ///< HotStuff-2 votes on its lock or later; tests take it away
  };

  LeaderChain(leader_chain::Rules rules, const Config& config);

  /// Before Start: a record of the own disk. After Start: a decision that the host got from peers
  /// and vouches for, of SlotLog::kTable. It is delivered.
  void on(const Restored&, Fx&);
  void on(const Start&, Fx&);
  void on(const Received<Message>&, Fx&);
  void on(const Requested<Request>&, Fx&);
  void on(const Expired&, Fx&);
  void on(const Verified&, Fx&);
  void on(const Endorsed&, Fx&);

  const leader_chain::Rules& rules() const { return rules_; }
  /// The view this node is in, from 1.
  std::uint64_t view() const { return view_; }
  NodeId leader() const { return leader(view_); }
  /// The highest view of which it said anything; no lower after a restart.
  std::uint64_t spoke() const { return said_.view; }
  /// How long it waits in its view now, in Delta.
  std::uint64_t patience() const { return patience_; }
  /// Slots delivered.
  std::uint64_t delivered() const { return log_.delivered(); }
  /// Slots that some correct node has delivered, as far as peers tell.
  std::uint64_t frontier() const { return std::max(frontier_.mark(), log_.delivered()); }
  /// The last block known to be final.
  const leader_chain::Reference& final_block() const { return target_; }
  /// Messages and signatures refused: malformed, out of bounds, wrong.
  std::uint64_t refused() const { return refused_; }
  leader_chain::Footprint footprint() const;
  /// What footprint() does not exceed now: of certificates it grows with the views that quorums
  /// went on without a final block.
  leader_chain::Footprint most_held() const;

 private:
  using Kind = leader_chain::Kind;
  using Reference = leader_chain::Reference;
  using Certificate = leader_chain::Certificate;

  /// A block with its digests.
  struct Held {
    leader_chain::Block block;
    Digest digest{};
    std::vector<Digest> values;  // of each payload

    std::size_t bytes() const;
    Reference name() const { return {block.view, digest}; }
  };
  /// The votes of one kind in one view.
  struct Votes {
    NodeSet spoke;
    std::map<Digest, std::map<NodeId, Signature>> unverified;
    std::map<Digest, std::map<NodeId, Signature>> good;
  };
  struct View {
    std::optional<Certificate> notarized;
    std::optional<Certificate> skipped;
    Votes votes[leader_chain::kKinds];
    std::optional<Held> proposal;  // of this view or a later one
  };
  /// What this node said last, and in which view.
  struct Said {
    std::uint64_t view = 0;
    std::optional<Digest> notarized;
    std::optional<Digest> finalized;
    bool skipped = false;
  };
  /// What a verdict or a signature is about.
  struct Check {
    Certificate certificate;  // of a vote: without the list
    NodeId from{};
    Signature signature{};
  };

  // leader_chain.cpp: votes and certificates. Each says whether anything may follow.
  bool receive(NodeId from, const leader_chain::Propose& m, Fx& fx);
  bool receive(NodeId from, const leader_chain::Vote& m, Fx& fx);
  bool receive(NodeId from, const Certificate& m, Fx& fx);
  bool receive(NodeId from, const leader_chain::Forward& m, Fx& fx);
  bool receive(NodeId from, const leader_chain::Offer& m, Fx& fx);
  bool receive(NodeId from, const leader_chain::Ask& m, Fx& fx);
  bool receive(NodeId from, const leader_chain::Ordered& m, Fx& fx);
  bool receive(NodeId from, const leader_chain::Fetch& m, Fx& fx);
  bool receive(NodeId from, const leader_chain::Want& m, Fx& fx);
  bool receive(NodeId from, const leader_chain::Status& m, Fx& fx);
  bool receive(NodeId from, const leader_chain::WantBlock& m, Fx& fx);
  bool receive(NodeId from, const leader_chain::Give& m, Fx& fx);
  bool receive(NodeId from, const leader_chain::Decided& m, Fx& fx);
  NodeId leader(std::uint64_t view) const;
  bool near(std::uint64_t view) const;
  bool well_formed(const leader_chain::Block& block) const;
  Held held_of(leader_chain::Block block) const;
  std::uint32_t enough(Kind kind) const;
  Digest statement(Kind kind, const Reference& about) const;
  bool known(const Certificate& c) const;
  bool offer(NodeId from, const Certificate& c, Fx& fx);
  bool count(NodeId from, const leader_chain::Vote& m, Fx& fx);
  bool check_votes(Kind kind, const Reference& about, Fx& fx);
  bool take(const Certificate& c, Fx& fx);
  void say(Kind kind, const Reference& about, Fx& fx);
  void endorse(Kind kind, const Reference& about, Fx& fx);
  void tell(const leader_chain::Vote& vote, Fx& fx) const;
  void keep_to_repeat(const leader_chain::Vote& vote);

  // leader_chain_views.cpp: views and blocks.
  void advance(Fx& fx);
  bool enter(Fx& fx);
  void tell_leader(Fx& fx);
  void propose(Fx& fx);
  leader_chain::Propose proposal_of(const leader_chain::Block& block) const;
  std::optional<Reference> choose_parent() const;
  std::vector<Bytes> gather(const Reference& parent) const;
  bool must_go_on(const Reference& parent) const;
  bool unpublished(const Reference& parent) const;
  bool consider(Fx& fx);
  std::uint64_t first_unskipped(std::uint64_t after, std::uint64_t before) const;
  std::optional<std::uint64_t> end_of(const Reference& block) const;
  const Held* held(const Reference& block) const;
  const Certificate* certificate_of(const Reference& block) const;
  void keep_block(const Held& block, Fx& fx);
  void try_two_chain(const Held& child, Fx& fx);
  void finalize(const Reference& block);
  void deliver_ready(Fx& fx);
  void move_tip(Fx& fx);
  std::size_t open_loads() const;

  // leader_chain_catch_up.cpp: clocks, repetition, questions.
  bool waiting() const;
  bool pressed() const;
  bool behind() const;
  bool skip_called_for() const;
  void tick(Fx& fx);
  void repeat(Fx& fx);
  void ask_slots(Fx& fx);
  bool settle(std::uint64_t slot, const Digest& digest);
  const Bytes* value_of(const Digest& digest) const;
  void fetch_named(Fx& fx);
  void ask_blocks(Fx& fx);
  void ask_skips(Fx& fx);
  void give_certificates(NodeId to, std::uint64_t from_view, Fx& fx);
  void arm(Fx& fx);

  // leader_chain_keep.cpp: records and bounds.
  void restore_block(const Bytes& value, const Bytes& body);
  void save_said(Fx& fx) const;
  void save(const Certificate& c, Fx& fx) const;
  void save(const Held& block, Fx& fx) const;
  void save_tip(Fx& fx) const;
  void erase(const Held& block, Fx& fx) const;
  void forget_views(std::uint64_t below, Fx& fx);

  leader_chain::Rules rules_;
  Config config_;
  SlotLog log_;
  order::Requests requests_;
  std::uint64_t view_ = 1;
  std::uint64_t certified_ = 0;  // highest view with a certificate
  std::uint64_t proposed_ = 0;   // view of the last own proposal
  Reference high_;               // the highest notarized block
  Reference target_;             // the last block known to be final
  Reference tip_;                // the last final one of which everything is delivered
  std::uint64_t tip_end_ = 0;    // its end
  Said said_;
  std::map<std::uint64_t, View> views_;
  std::map<Reference, Held> blocks_;
  std::map<std::uint64_t, Check> checks_;   // by ticket
  std::map<std::uint64_t, Check> signing_;  // by ticket
  std::vector<std::uint32_t> pending_;      // lists of each peer that wait for a verdict
  std::uint64_t tickets_ = 0;
  Marks latest_;    // views that peers are in: the one that a correct node is in
  Marks frontier_;  // slots that a correct node delivered
  /// When a slot's value is asked for next, in ticks, and how often it was.
  struct Asked {
    std::uint64_t next = 0;
    std::uint64_t times = 0;
  };
  std::map<std::uint64_t, Asked> asks_;
  order::Served served_;
  bool started_ = false;
  bool restored_ = false;
  bool armed_ = false;
  bool idling_ = false;
  bool gathering_ = false;   // leads, and waits for what the others know
  std::uint64_t age_ = 0;    // ticks in this view with something to wait for
  std::uint64_t quiet_ = 0;  // ticks since the last view or delivery
  std::uint64_t late_ = 0;   // ticks without a delivery although something is final
  std::uint64_t ticks_ = 0;
  std::uint64_t patience_;
  std::optional<std::uint64_t> asked_;  // the slot of the last question to all
  std::uint64_t refused_ = 0;
};

}  // namespace thresher
