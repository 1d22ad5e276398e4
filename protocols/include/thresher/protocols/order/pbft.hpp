// PBFT without signatures: a total order in three message delays, views changed by a timer.
//
//   Pbft node({.committee = *Committee::of(4), .self = NodeId{0}});
//   step(node, InputOf<Pbft>{Requested<Pbft::Request>{{payload}}}, fx);  // orders it, soon
//
// Guarantees, with up to f Byzantine nodes: correct nodes deliver the same payloads in the same
// order at any timing; once messages arrive in time, what a correct node submitted is delivered,
// unless it crashed before the others heard of it, and no leader can leave it out for long while it
// serves others. Channels are authenticated, nothing is signed: a prepared value that a view change
// claims counts only if a validity set says it was proposed, and view changes travel by Bracha's
// broadcast, so that all judge the same ones and a new-view only names them. They hold digests; who
// lacks a value asks those that accepted it. Accepted values, votes and views are durable first; a
// restarted node votes again from the next view on. A node that missed any number of views joins
// the one that f+1 peers are in. Bounds: `window` slots open, twice that kept; of each peer
// `queue_bytes` of requests, one urgent one and two view changes; of a payload delivered within the
// last `history` slots copies are not delivered again. A peer that asks gets each value and each
// name of a slot three times in 4 Delta, however often it asks (served.hpp). A node that waits only
// for others to come to its view says so ever more seldom. A node more than `history` slots behind
// needs the state from elsewhere. Does not judge payloads, and does not hide them from the leader.
// Rules, proofs and bounds: docs/protocols/pbft.md. Source: Castro, Liskov, "Practical Byzantine
// Fault Tolerance and Proactive Recovery" (2002), sections 4.4 and 4.5.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <variant>

#include "thresher/protocols/broadcast/bracha.hpp"
#include "thresher/protocols/order/marks.hpp"
#include "thresher/protocols/order/requests.hpp"
#include "thresher/protocols/order/served.hpp"
#include "thresher/protocols/order/slot_log.hpp"

namespace thresher {

namespace pbft {

using order::Ask;
using order::Delivery;
using order::Fetch;
using order::Forward;
using order::Offer;
using order::Ordered;
using order::Submit;

enum Phase : std::uint8_t { kPrepare, kCommit };
/// The leader's proposal for a slot; an empty value fills a hole.
struct PrePrepare {
  std::uint64_t view = 0;
  std::uint64_t slot = 0;
  Bytes value;
};
struct Vote {
  std::uint64_t view = 0;
  std::uint64_t slot = 0;
  Digest digest{};
  Phase phase = kPrepare;
};
/// The nodes whose view changes the leader of `view` starts from.
struct NewView {
  std::uint64_t view = 0;
  std::vector<NodeId> from;
};
/// The sender delivered all slots below, and is in that view.
struct Checkpoint {
  std::uint64_t view = 0;
  std::uint64_t delivered = 0;
};
/// Asks for the values from `slot` on, and for the start of `view`.
struct Want {
  std::uint64_t view = 0;
  std::uint64_t slot = 0;
};

/// Answers Fetch: a value that the sender accepted for `slot`, as it said in a vote or a view
/// change, or that it delivered there.
struct Fetched {
  std::uint64_t slot = 0;
  Bytes value;
};

/// Table of the durable decisions: key decision_key(slot), body the value. The record's value is
/// kDelivered, or kRepeated for an empty value and one that was delivered at an earlier slot.
inline constexpr std::uint32_t kDecisions = SlotLog::kTable;
inline constexpr std::string_view kDelivered = SlotLog::kDelivered;
inline constexpr std::string_view kRepeated = SlotLog::kRepeated;
Bytes decision_key(std::uint64_t slot);

/// What a node says of a slot when it leaves a view.
struct SlotReport {
  std::uint64_t prepared_view = 0;       ///< 0: never prepared
  Digest prepared{};                     ///< in that view
  std::map<Digest, std::uint64_t> seen;  ///< accepted proposals, each with its last view
};
struct ViewChange {
  std::uint64_t floor = 0;  ///< below it everything is delivered by a quorum
  std::map<std::uint64_t, SlotReport> claims;
};

/// What is held of all that peers can fill.
struct Footprint {
  std::size_t request_bytes = 0;
  std::size_t proposal_bytes = 0;  ///< of leaders, for this view and the next two
  std::size_t value_bytes = 0;     ///< accepted for open slots
  std::size_t asks = 0;            ///< values that are asked for
  std::size_t slots = 0;           ///< with votes
  std::size_t digests = 0;         ///< that peers voted for, or called decided
  std::size_t decisions = 0;       ///< delivered ones of the history, and those ahead of them
  std::size_t new_views = 0;       ///< names in them, for this view and the next two
  std::size_t given = 0;           ///< digests of values that peers were given lately
  bracha::Footprint view_changes;
};

}  // namespace pbft

class Pbft {
 public:
  using Message = std::variant<pbft::PrePrepare, pbft::Vote, pbft::NewView, pbft::Forward,
                               pbft::Checkpoint, pbft::Want, pbft::Ordered, Bracha::Message,
                               pbft::Fetch, pbft::Fetched, pbft::Offer, pbft::Ask>;
  using Output = pbft::Delivery;
  using Request = pbft::Submit;
  using Fx = Effects<Message, Output>;

  struct Config {
    Committee committee = *Committee::make(4, 1);
    NodeId self{};
    std::uint64_t window = 8;         ///< open slots, at least 2
    std::uint64_t history = 1024;     ///< delivered slots kept, at least 4 windows
    std::size_t value_bytes = 65536;  ///< largest payload
    std::size_t queue_bytes = 0;      ///< requests kept of one peer; 0: a window of the largest
    bool complains = true;  ///< R7; tests take it away: any delivery then appeases everybody
    bool joins = true;      ///< R8; tests take it away: a peer's word of its view then says nothing
    /// R10; tests take it away: a replica then accepts everything and forgets the oldest it saw.
    bool remembers = true;
  };

  explicit Pbft(Config config);

  /// Before Start: a record of the own disk. After Start: a decision that the host got from peers
  /// and vouches for (kValidity of them named it); slots between it and the last one delivered
  /// nothing. It is delivered.
  void on(const Restored&, Fx&);
  void on(const Start&, Fx&);
  void on(const Received<Message>&, Fx&);
  void on(const Requested<Request>&, Fx&);
  void on(const Expired&, Fx&);

  /// The view this node is in, from 1.
  std::uint64_t view() const { return view_; }
  /// The proposer of the view this node is in.
  NodeId leader() const { return leader(view_); }
  /// One above the highest slot that its records say it voted on; no lower after a restart.
  std::uint64_t voted() const {
    std::uint64_t above = floor_;
    for (const auto& [number, slot] : slots_) {
      if (!slot.claim.seen.empty()) above = std::max(above, number + 1);
    }
    return above;
  }
  /// How long it waits for progress in its view now, in Delta.
  std::uint64_t patience() const { return patience_; }
  /// Slots delivered.
  std::uint64_t delivered() const { return log_.delivered(); }
  /// Slots that some correct node has delivered, as far as checkpoints tell.
  std::uint64_t frontier() const;
  /// Messages refused: malformed, out of the window, over a quota.
  std::uint64_t refused() const { return refused_; }
  pbft::Footprint footprint() const;
  /// What footprint() never exceeds.
  static pbft::Footprint most_held(const Config& config);
  /// The largest view change, in bytes.
  static std::size_t largest_view_change(const Config& config);

 private:
  static constexpr std::uint64_t kNearViews = 2;

  // The votes of one phase. Nearly all name one digest, which therefore has no place in the map.
  struct Votes {
    NodeSet spoke;
    Digest first{};
    Tally of_first;
    std::map<Digest, Tally> others;
  };
  struct Ballot {
    std::optional<Digest> accepted;
    Bytes value;
    bool prepared = false;
    Votes votes[2];  // by phase
  };
  struct Slot {
    pbft::SlotReport claim;
    std::map<Digest, Bytes> values;           // those of claim.seen, without the hole
    std::map<std::uint64_t, Ballot> ballots;  // by view, this one and the next few
  };
  using Choice = std::map<std::uint64_t, Digest>;
  /// What a new view makes of one slot: the value may be the hole though it was prepared.
  struct Chosen {
    Digest value{};
    bool prepared = false;
  };
  /// How often a value that is missing was asked for, and when it is next, in ticks.
  struct Asked {
    std::uint64_t next = 0;
    std::uint64_t pause = 0;
    std::uint64_t times = 0;
  };
  /// The request that the leader was told to be late with.
  struct Complaint {
    Digest digest{};
    std::uint64_t since = 0;
    std::uint64_t next = 0;  ///< when the leader is told of it once more
  };

  // Each says whether anything may follow from the message.
  bool receive(NodeId from, const pbft::PrePrepare& m, Fx& fx);
  bool receive(NodeId from, const pbft::Vote& m, Fx& fx);
  bool receive(NodeId from, const pbft::NewView& m, Fx& fx);
  bool receive(NodeId from, const pbft::Forward& m, Fx& fx);
  bool receive(NodeId from, const pbft::Checkpoint& m, Fx& fx);
  bool receive(NodeId from, const pbft::Want& m, Fx& fx);
  bool receive(NodeId from, const pbft::Ordered& m, Fx& fx);
  bool receive(NodeId from, const Bracha::Message& m, Fx& fx);
  bool receive(NodeId from, const pbft::Fetch& m, Fx& fx);
  bool receive(NodeId from, const pbft::Fetched& m, Fx& fx);
  bool receive(NodeId from, const pbft::Offer& m, Fx& fx);
  bool receive(NodeId from, const pbft::Ask& m, Fx& fx);
  bool took(bool urgent, const Result<bool>& news);
  NodeId leader(std::uint64_t view) const;
  bool near(std::uint64_t view) const { return view >= view_ && view <= view_ + kNearViews; }
  bool note_view(NodeId from, const Message& m);
  bool fits(std::uint64_t slot) const;
  bool late(std::uint64_t view, std::uint64_t slot) const;
  void step_broadcast(const InputOf<Bracha>& input, Fx& fx);
  void lift_broadcast(Bracha::Fx& child, Fx& fx);
  std::optional<pbft::ViewChange> read_view_change(const Bytes& payload) const;
  void take_view_change(const bracha::Delivery& d);
  void keep_view_change(NodeId origin, const Bytes& payload);
  void note_worn(std::uint64_t slot, const pbft::SlotReport& claim);
  void advance(Fx& fx);
  void propose(Fx& fx);
  bool may_accept(std::uint64_t slot, const pbft::SlotReport& claim, const Bytes& value) const;
  void accept(std::uint64_t slot, const Bytes& value, Fx& fx);
  void vote(std::uint64_t slot, Ballot& b, pbft::Phase phase, Fx& fx);
  void note_named(std::uint64_t slot, const Ballot& b);
  std::optional<Digest> named(std::uint64_t slot) const;
  std::optional<Bytes> value_of(std::uint64_t slot, const Digest& digest) const;
  std::vector<NodeId> holders(std::uint64_t slot, const Digest& digest,
                              const SlotLog::Vouched* vouched) const;
  void fetch_missing(Fx& fx);
  void fetch(std::uint64_t slot, const Digest& digest, const SlotLog::Vouched* vouched, Fx& fx);
  bool settle(std::uint64_t slot, const Digest& digest);
  bool announce(NodeId id, std::uint64_t delivered);
  Tally* count(Ballot& b, NodeId from, pbft::Phase phase, const Digest& d);
  bool enough(const Ballot& b, pbft::Phase phase) const;
  void progress(std::uint64_t slot, Slot& s, Fx& fx);
  void deliver_ready(Fx& fx);
  void note_delivered(const SlotLog::Delivered& d, Fx& fx);
  void forget(Fx& fx);
  void move_floor(Fx& fx);
  void save_view(Fx& fx) const;
  void save_claim(std::uint64_t slot, const pbft::SlotReport& claim, Fx& fx) const;
  void keep_value(std::uint64_t slot, Slot& s, const Digest& digest, const Bytes& value, Fx& fx);
  void restore_claim(const Restored& record);
  void resume(Fx& fx);
  void change_view(std::uint64_t view, Fx& fx);
  void submit_view_change(Fx& fx);
  void forget_view_changes(Fx& fx);
  void expect_view_changes(Fx& fx);
  bool join(Fx& fx);
  bool start_view(Fx& fx);
  std::optional<Choice> choose(const std::vector<NodeId>& from, std::uint64_t& first) const;
  std::optional<Chosen> choose_slot(const std::vector<const pbft::ViewChange*>& all,
                                    std::uint64_t slot) const;
  void load_view_changes();
  bool together() const;
  bool pressed() const;
  bool waiting() const;
  void tick(Fx& fx);
  bool censored() const;
  void complain(Fx& fx);
  void submit_again(Fx& fx);
  std::uint64_t turn_ticks() const;
  void repeat(Fx& fx);
  void arm(Fx& fx);

  Config config_;
  Bracha broadcast_;
  SlotLog log_;
  std::uint64_t view_ = 1;
  bool active_ = true;
  bool restored_ = false;
  bool behind_ = false;  // came to this view when it had begun
  bool started_ = false;
  bool armed_ = false;
  bool idling_ = false;
  std::uint64_t floor_ = 0;             // a quorum delivered everything below, and so did this node
  std::uint64_t next_ = 0;              // first slot of this view that its leader is free to fill
  std::uint64_t first_ = 0;             // below it the view change decided what this view proposes
  std::uint64_t worn_ = 0;              // below it leaders that are free make holes
  std::uint64_t highest_ = 0;           // one above the highest slot that this view's leader named
  std::uint64_t age_ = 0;               // ticks without progress
  std::optional<std::uint64_t> asked_;  // the slot of the last question to all
  std::uint64_t quiet_ = 0;             // ticks since the last delivery
  std::uint64_t alone_ = 0;             // ticks of waiting for nothing but others in this view
  std::uint32_t beside_ = 0;            // nodes known to be in this view or past it
  std::uint64_t submitted_again_ = 0;   // the tick in which own requests were sent once more
  std::uint64_t ticks_ = 0;             // spent waiting
  std::uint64_t active_since_ = 0;      // in ticks
  std::uint64_t patience_;              // ticks until the view is given up
  std::uint64_t refused_ = 0;
  std::map<std::uint64_t, Slot> slots_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Bytes> proposals_;  // by view, slot
  std::map<std::uint64_t, std::vector<NodeId>> starts_;                 // new-views, by view
  std::map<NodeId, pbft::ViewChange> changes_;                          // to this view
  Choice chosen_;                        // what this view proposes again
  std::map<std::uint64_t, Asked> asks_;  // for values that this view's leader named, by slot
  Marks latest_;     // highest view each moved to: the one that a correct node moved to
  Marks announced_;  // slots delivered by a quorum
  Marks frontier_;   // slots delivered by a correct node
  order::Requests requests_;
  std::set<Digest> proposed_;
  std::optional<Complaint> complaint_;
  NodeId complained_of_{};  // whose request the last complaint was about
  order::Served served_;
};

}  // namespace thresher
