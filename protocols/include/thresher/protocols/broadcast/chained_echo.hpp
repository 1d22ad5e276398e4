// Chained echo: reliable broadcast of streams for O(n|m|) bytes an instance, without signatures,
// codes or luck.
//
//   ChainedEcho node({.committee = *Committee::of(4), .self = NodeId{0}, .speakers = 1});
//   executor.run(Requested<broadcast::Submit>{{payload}});        // the next of this node's stream
//
// A node's payloads form a chain of hashes. A receiver echoes along one chain of an origin, and one
// statement "I echo all up to here, I am ready for all up to there" stands for every instance
// below. So of each instance only `speakers` nodes, in turn, have to speak: n(1 + speakers)
// messages. A quorum of echoes or f+1 readies make ready, 2f+1 readies deliver: Bracha's argument,
// position by position; the number of distinct voices is never sampled, they only come later.
// FLUSH, set by an origin that has nothing else on the way, makes all speak at once: two or three
// delays. Guarantees, with up to f Byzantine nodes of n >= 3f+1 at any timing: those of
// broadcast.hpp, and payloads of one origin are delivered in the order of their numbers. In a
// stream that goes on, an instance is delivered within about 2n/speakers later ones; when it
// pauses, `idle_ticks` make all speak. Statements are durable before they leave; so is what a node
// broadcasts. With Config::archive who was away gets everything that it missed; without one a peer
// that lags is waited for, but not for ever. Numbers have no gaps: Submit::at_least beyond the next
// number is refused. Bounds: of an origin 2 `window` positions of its own telling and twice as many
// of each peer's, and `origin_bytes`. Rules, proof and provenance: docs/protocols/chained-echo.md.
// Source: the setting and the goal, "Amortized Asynchronous Byzantine Reliable Broadcast with
// Optimal Resilience" (arXiv 2605.10372); the protocol is this project's own.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "thresher/core/protocol.hpp"
#include "thresher/protocols/broadcast/archive.hpp"
#include "thresher/protocols/broadcast/broadcast.hpp"
#include "thresher/protocols/broadcast/chain.hpp"

namespace thresher {

namespace chained_echo {

using broadcast::Delivery;
using broadcast::Footprint;
using broadcast::Instance;
using broadcast::Submit;

/// From the origin: the payload of an instance, on top of all before it.
struct Extend {
  Instance instance;
  Bytes payload;
  bool flush = false;  ///< all are to speak at once
};
/// "I echo everything up to `echoed`, and am ready for everything up to `ready`."
struct Status {
  NodeId origin;
  Head echoed;
  Head ready;         ///< no hash: on the chain of `echoed`, at or below it
  bool asks = false;  ///< the sender does not know how far the receiver is
};
/// Asks what leads from `from` to `to`.
struct Trace {
  NodeId origin;
  Head from;
  Head to;
};
/// Payload digests of the positions after `from`.
struct Path {
  NodeId origin;
  Head from;
  std::vector<Digest> payloads;
};
struct Want {
  NodeId origin;
  Head head;
};
struct Give {
  NodeId origin;
  Head head;
  Bytes payload;
};
/// The sender delivered everything up to this head and keeps no payload of it any more.
struct Floor {
  NodeId origin;
  Head head;
};
/// The sender delivered everything up to this head, and can say what.
struct Delivered {
  NodeId origin;
  Head head;
};

}  // namespace chained_echo

class ChainedEcho {
 public:
  static constexpr std::string_view kName = "chained-echo";
  static constexpr std::uint32_t kNodesPerFault = 3;
  static constexpr std::uint32_t kMostNodes = Committee::kMaxSize;

  using Message = std::variant<chained_echo::Extend, chained_echo::Status, chained_echo::Trace,
                               chained_echo::Path, chained_echo::Want, chained_echo::Give,
                               chained_echo::Floor, chained_echo::Delivered>;
  using Output = broadcast::Delivery;
  using Request = broadcast::Submit;
  using Fx = Effects<Message, Output>;

  struct Config {
    Committee committee = *Committee::make(4, 1);
    NodeId self{};
    std::uint64_t window = 64;             ///< instances of one origin on the way
    std::size_t payload_bytes = 1u << 20;  ///< largest payload
    std::size_t origin_bytes = 16u << 20;  ///< kept of one origin; at least two payloads
    ChainContext chain{};
    std::uint32_t speakers = 1;    ///< c: nodes that speak of an instance; 1 to n
    std::uint32_t idle_ticks = 2;  ///< ticks of 4 Delta that news waits for its turn at most; >= 1
    /// Where erased records of kArchived can be read; null: nowhere, and peers are waited for.
    const broadcast::Archive* archive = nullptr;
    /// Ticks that a peer which lags is waited for without an archive; it earns them back one by
    /// one.
    std::uint32_t patience_ticks = 25;
    Threshold ready = kQuorum;  ///< echoes that make ready; tests break these
    Threshold amplify = kValidity;
    Threshold deliver = kStrong;
    Threshold fast = kFast;
    Threshold vouch = kValidity;  ///< peers that delivered it, for a node that lagged to deliver
  };
  /// Records with the payloads, which Config::archive hands back after they were erased.
  static constexpr std::uint32_t kArchived = 1;
  /// Positions that are sent again to one peer, or asked for, at a time.
  static constexpr std::uint64_t kAtATime = 8;

  explicit ChainedEcho(Config config);

  void on(const Restored&, Fx&);
  void on(const Start&, Fx&);
  void on(const Received<Message>&, Fx&);
  void on(const Requested<Request>&, Fx&);
  void on(const Expired&, Fx&);

  /// As in broadcast.hpp. A chain has no use for forget_below(): what it keeps is bounded anyway.
  void forget_below(std::uint64_t number, Fx& fx);
  void expect(const broadcast::Instance& i, Fx& fx);
  const Bytes* delivered(const broadcast::Instance& i) const;
  bool submitted(std::uint64_t number) const;
  std::size_t open() const;
  broadcast::Footprint footprint() const;
  static broadcast::Footprint most_held(const Config& config);
  std::uint64_t refused() const { return refused_; }
  std::uint64_t skipped() const { return skipped_; }
  /// Streams and positions that were looked at so far.
  std::uint64_t looked_at() const;

 private:
  using Head = chained_echo::Head;
  using Chain = chained_echo::Chain;

  /// Bytes of payloads and digests sent to a peer since a tick.
  struct Served {
    std::uint64_t tick = 0;
    std::size_t from_memory = 0;
    std::size_t from_archive = 0;
  };
  /// How far a peer says it is.
  struct Progress {
    Head echoed{};
    Head ready{};
    Head delivered{};
    std::uint32_t unknown_ticks = 0;  // that it stood above what is known here
    std::uint32_t behind_ticks = 0;   // that it stood below what was sent to it long ago
    std::uint32_t waited_ticks = 0;   // that room was kept for it, less those that it was level
    Served served{};
  };
  struct Archived {
    Head head;
    Digest payload;
  };
  struct Stream {
    Stream(const Config& config, NodeId origin);

    Chain chain;
    Head echoed;  // E of the paper: along one chain only
    Head ready;   // R
    Head delivered;
    Head told;                 // delivered two ticks ago: the host has it, whatever dies
    Head told_next;            // at the last tick
    std::uint64_t erased = 0;  // up to here no payload is on disk
    Head goal;                 // delivered as soon as all payloads up to it are here
    Progress said;             // what this node said last, durable
    std::map<std::uint64_t, Bytes> waiting;  // payloads beyond the echoed head, by number
    std::size_t waiting_bytes = 0;
    std::vector<Progress> claims;   // by peer; of this node, what it said
    std::map<NodeId, Head> floors;  // of peers
    std::uint64_t flush_at = 0;     // the count that all are asked to speak of
    std::uint64_t last_flush = 0;
    std::uint64_t flush_tick = 0;
    Head dropped;                            // up to here payloads are forgotten
    std::deque<std::uint64_t> echoed_at;     // counts at the last ticks, the newest in front
    std::deque<std::uint64_t> delivered_at;  // likewise
    std::uint32_t news_ticks = 0;            // that news waits
    std::uint32_t quiet = 0;                 // ticks without news
    std::uint32_t stuck_ticks = 0;           // that payloads alone have kept back a delivery
    bool catching_up = false;                // no chain is known to where f+1 peers are
    std::uint64_t asked = 0;                 // catching up: payloads were asked for up to there
    std::uint64_t traced = 0;                // likewise: the way was asked for from there
  };

  void receive(NodeId from, const chained_echo::Extend& m, Fx& fx);
  void receive(NodeId from, const chained_echo::Status& m, Fx& fx);
  void receive(NodeId from, const chained_echo::Trace& m, Fx& fx);
  void receive(NodeId from, const chained_echo::Path& m, Fx& fx);
  void receive(NodeId from, const chained_echo::Want& m, Fx& fx);
  void receive(NodeId from, const chained_echo::Give& m, Fx& fx);
  void receive(NodeId from, const chained_echo::Floor& m, Fx& fx);
  void receive(NodeId from, const chained_echo::Delivered& m, Fx& fx);
  Stream* stream_of(NodeId origin);
  bool has_room(const Stream& s, std::uint64_t number, std::size_t bytes) const;
  bool in_turn(std::uint64_t number) const;
  std::uint64_t cut() const { return std::max<std::uint64_t>(config_.window / 2, 1); }
  bool wants_to_speak(const Stream& s) const;
  void extend(NodeId origin, Stream& s, const Bytes& payload, bool durable, Fx& fx);
  void extend_from_waiting(NodeId origin, Stream& s, Fx& fx);
  void note_flush(Stream& s, std::uint64_t count);
  Head add(Stream& s, const Head& before, const Digest& payload, std::optional<NodeId> told_by);
  void count(Stream& s, NodeId who, const Head& head, Chain::Said what);
  void count_delivered(Stream& s, NodeId who, const Head& head);
  void raise_ready(Stream& s, const Head& head);
  void speak(NodeId origin, Stream& s, Fx& fx);
  void settle(NodeId origin, Stream& s, Fx& fx);
  void deliver_ready(NodeId origin, Stream& s, Fx& fx);
  /// Of the next `positions` that lack one, of `most` peers each; the highest that was asked for.
  std::uint64_t ask_payloads(NodeId origin, const Stream& s, std::uint64_t positions,
                             std::uint32_t most, Fx& fx) const;
  void follow_delivered(NodeId origin, Stream& s, const Head& before, Fx& fx);
  void skip_forgotten(NodeId origin, Stream& s, Fx& fx);
  void persist_link(NodeId origin, const Stream& s, const Head& head, bool lazy, Fx& fx) const;
  void persist_status(NodeId origin, const Stream& s, Fx& fx) const;
  void persist_delivered(NodeId origin, Stream& s, Fx& fx) const;
  void record_told(NodeId origin, Stream& s, Fx& fx) const;
  void deliver_again(NodeId origin, Stream& s, Fx& fx) const;
  void restore_links(NodeId origin, Stream& s);
  void tick(NodeId origin, Stream& s, Fx& fx);
  void ask_unknown(NodeId origin, Stream& s, bool stood, Fx& fx);
  std::optional<Head> unknown_of(const Stream& s, NodeId peer) const;
  void catch_up(NodeId origin, Stream& s, Fx& fx);
  Served& served_to(Stream& s, NodeId peer);
  bool may_read(Served& served) const;
  void answer_from_archive(NodeId to, const chained_echo::Trace& m, Stream& s, Fx& fx);
  std::optional<Archived> archived(NodeId origin, std::uint64_t count) const;
  std::optional<Bytes> archived_payload(NodeId origin, const Head& head) const;
  bool has_echoed(const Stream& s, NodeId who, std::uint64_t count,
                  const chained_echo::Link& link) const;
  void note_patience(Stream& s) const;
  void send_again(Stream& s, Fx& fx) const;
  void trim(NodeId origin, Stream& s, Fx& fx);
  void move_base(NodeId origin, Stream& s, const Head& base, Fx& fx);
  bool outdated(const Stream& s, const Head& head) const;
  bool settled(const Stream& s) const;
  static Head ready_of(const Stream& s, const Progress& claim);
  static bool has_news(const Stream& s);
  void arm(Fx& fx);
  void arm_for(NodeId origin, Fx& fx);
  chained_echo::Status status_of(NodeId origin, const Stream& s, bool asks) const;

  Config config_;
  std::vector<Stream> streams_;
  /// While records are restored: payloads by origin and count, bodies of the chain.
  std::map<std::pair<NodeId, std::uint64_t>, Bytes> restored_;
  std::uint64_t ticks_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t skipped_ = 0;
  std::uint64_t looked_at_ = 0;
  bool serving_ = false;  // somebody was served since the last tick
  bool armed_ = false;
};

static_assert(broadcast::Broadcast<ChainedEcho>);

}  // namespace thresher
