// Frames between nodes, and from clients, over TLS 1.3 with pinned Ed25519 keys.
//
//   Loop loop;
//   Transport transport(loop, options, callbacks);   // listens, dials, reconnects
//   transport.send(2, {kBlock, control, payload});    // to node 2
//   loop.run();
//
// Guarantees: a node's key is its TLS identity (no CA); a peer with another key, chain or wire
// version is refused and said so; lengths are checked before memory is taken, and memory follows
// what arrives; half-sent frames of clients share a budget, and one that does not go on is given
// up; a slow peer fills only its own bounded queue, and those of clients share a budget; a peer
// that vanished without a word is noticed; strangers and clients share places of their own, those
// that say nothing apart from those who speak, and no number of them holds up what this node dials.
// Callbacks run on the loop's thread.
// Does not repeat lost frames: protocols do.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "thresher/core/bytes.hpp"
#include "thresher/core/error.hpp"
#include "thresher/core/hash.hpp"
#include "thresher/core/ids.hpp"
#include "thresher/crypto/signing_key.hpp"
#include "thresher/net/incarnation.hpp"

namespace boost::asio {
class io_context;
}

namespace thresher::net {

/// 3: nodes say which start of theirs it is; a client's id is that of its key, and transactions
/// have a last slot. 4: nodes tell the log in blocks of no protocol in particular; for clients
/// nothing is new. 5: a start that signs says so by a signature; again for nodes alone. 6: the root
/// of a payload has hashes in the place of data; again for nodes alone. 7: a node says on
/// which grid it takes snapshots, a newcomer which grids it waits for, and who is asked by a start
/// where its log ends; again for nodes alone. 8: nodes of PBFT, Simplex and HotStuff-2 offer and
/// ask for values by their digests. 9: a question of the certified family tells of several rounds
/// what is there. 10: a leaf of the log's tree goes with the results that it has hashes of,
/// and a node says which snapshots it wrote. Messages: net/proto/thresher.proto.
inline constexpr std::uint32_t kWireVersion = 10;
/// Clients of this version and later are spoken to alike.
inline constexpr std::uint32_t kClientVersion = 3;
/// Clients of this version are served too (docs/client-protocol.md); nodes speak kWireVersion
/// alone.
inline constexpr std::uint32_t kOldestClientVersion = 2;

/// One thread's event loop: its own, or a part of the host's.
class Loop {
 public:
  Loop();
  /// On a context that one thread of the host runs and that outlives the loop: run() is the host's,
  /// and stop() ends only what this loop was asked for.
  explicit Loop(boost::asio::io_context& host);
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  /// Runs until stop().
  void run();
  void stop();
  /// From any thread: calls `work` on the loop's thread.
  void post(std::function<void()> work);
  /// On the loop's thread: calls `work` after so many microseconds. Cancel with the returned
  /// handle.
  std::uint64_t call_after(std::uint64_t microseconds, std::function<void()> work);
  void cancel(std::uint64_t handle);
  /// Monotonic. Unit: microseconds.
  static std::uint64_t now_us();

  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  std::shared_ptr<Impl> impl_;
};

/// What TransportCallbacks::prepare worked out.
struct Prepared {
  virtual ~Prepared() = default;
};

/// A message on the wire. Kind 0 is the transport's own.
struct Frame {
  std::uint8_t kind = 0;
  Bytes control;
  Bytes payload;
  std::shared_ptr<const Prepared> prepared{};  ///< of one that came in; null: nothing
};

/// The sender of a frame: nodes count from 0, clients from kFirstClient.
using ConnectionId = std::uint64_t;
inline constexpr ConnectionId kFirstClient = 1 << 16;
/// Ends the words of start() where the node's address is that of another machine.
inline constexpr std::string_view kNotHere = "this machine has no such address";

struct PeerAddress {
  PublicKey key{};
  std::string host;
  std::uint16_t port = 0;
};

/// TransportOptions::records_per_key.
inline constexpr std::uint64_t kRecordsPerKey = 1u << 22;

struct TransportOptions {
  NodeId self;
  crypto::SigningKey key = crypto::SigningKey::generate();
  Digest chain{};
  std::vector<PeerAddress> nodes;  ///< by id; nodes[self] is where to listen
  /// What the log says of a peer that means another chain: what its user should compare.
  std::string other_chain = "the peer has another genesis; compare the genesis files";
  /// Rounds that the protocol keeps: older ones are never ordered, so members with another number
  /// are refused. 0: nothing depends on it.
  std::uint64_t gc_rounds = 0;
  /// By id: with whom there are links; the others' are refused. Empty: with all.
  std::vector<bool> linked{};
  std::uint32_t max_frame_bytes = 8u << 20;  ///< larger frames close the connection
  std::size_t max_queue_bytes = 64u << 20;   ///< a peer's send queue; one frame may always wait
  std::size_t max_client_queue_bytes = 4u << 20;
  /// The queues of all clients together: over it, the client with the longest is closed.
  std::size_t max_all_clients_queue_bytes = 64u << 20;
  std::uint32_t max_clients = 256;  ///< and no more than a quarter of the process's descriptors
  /// Accepted and silent so far; and as many that speak and are not known yet. Over it one is drawn
  /// of the source that has most. No more than an eighth of the descriptors.
  std::uint32_t max_strangers = 512;
  /// The half-received frames of all clients together, above 64 KiB each: over it, of those with
  /// more than an equal share the one that began first is closed.
  std::size_t max_clients_frame_bytes = 32u << 20;
  std::uint64_t frame_us = 8'000'000;  ///< an unfinished frame that gets less than 64 KiB is closed
  std::uint64_t handshake_us = 3'000'000;  ///< from connecting to the hello
  std::uint64_t silence_us = 20'000'000;   ///< a peer that acknowledges nothing so long is closed
  std::uint64_t answer_us = 1'000'000;  ///< for a link whose node connects again from another start
  /// After so many records of TLS a link's sender takes new keys. RFC 8446, 5.5, allows 2^24.5 full
  /// ones for each key of AES-GCM, which a busy link writes in an hour. Much smaller ones are more
  /// than peers bear.
  std::uint64_t records_per_key = kRecordsPerKey;
  /// That work: the loop's, and those that do TLS of large transfers and handshakes for it. At
  /// least 1.
  std::uint32_t threads = 1;
  /// By id: every frame to that node leaves so much later, for experiments. Empty: at once.
  std::vector<std::uint64_t> link_delays_us{};

  bool links_with(std::size_t node) const { return linked.empty() || linked[node]; }
  /// 0 for a client.
  std::uint64_t link_delay_to(ConnectionId peer) const {
    return peer < link_delays_us.size() ? link_delays_us[peer] : 0;
  }
};

/// A link to a node came up or went down, or one was refused before it came up.
struct LinkChange {
  ConnectionId peer = 0;
  bool up = false;
  bool refused = false;  ///< ended because of what the peer did
  std::string address;   ///< where the connection went; may be empty when it was never up
  std::string why;       ///< empty when it is up
};

struct TransportCallbacks {
  std::function<void(ConnectionId, Frame)> on_frame;
  std::function<void(ConnectionId, bool up)> on_link;
  /// Errors of strangers and clients; of nodes too where there is no on_change.
  std::function<void(const std::string&)> on_error;
  std::function<void(const LinkChange&)> on_change{};  ///< of nodes; null: nobody wants to know
  /// All places of clients are taken: which client gives way. Null or empty: the
  /// new one.
  std::function<std::optional<ConnectionId>()> on_full{};
  /// With more than one thread: called with a large frame of a node before on_frame is, on a thread
  /// that is not the loop's. It is a function of the frame alone. Null or null: nothing to prepare.
  std::function<std::shared_ptr<const Prepared>(const Frame&)> prepare{};
};

/// What is known of the link to a node. Counters run over all its connections.
struct PeerLink {
  bool up = false;
  std::string address;       ///< of the newest link; empty: there was none
  std::string last_problem;  ///< why the last connection ended or did not come; empty: none did
  std::uint64_t links = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
};

class Transport {
 public:
  Transport(Loop& loop, TransportOptions options, TransportCallbacks callbacks);
  ~Transport();

  /// Closes every link; no callback is called from then on.
  void close();
  /// Which start of this node peers are told of. Pre: before start().
  void introduce(const Incarnation& own);
  /// Starts listening. kBusy: the port is taken; kMalformed: the address is none; kMissing: it is
  /// another machine's (kNotHere). Else the system's errors. `where` is the address.
  Result<Unit, Error> start();
  /// False when there is no link or its queue is full, or, for a client, the queues of all clients
  /// are and no other client has more waiting; the frame is dropped then. Sending to a client may
  /// close another client's link; on_link and on_error are called first.
  bool send(ConnectionId to, const Frame& frame);
  /// Closes a link; on_link is called.
  void drop(ConnectionId to, const std::string& why);
  /// Nothing more is read from a link for so long. Pre: called from on_frame of that link. Unit:
  /// microseconds.
  void rest(ConnectionId from, std::uint64_t us);
  /// The key that a peer proved to hold; empty without a link.
  std::optional<PublicKey> key_of(ConnectionId peer) const;
  /// The wire version that a peer speaks; without a link kWireVersion.
  std::uint32_t version_of(ConnectionId peer) const;
  /// Bytes that wait for a peer to take them; 0 without a link.
  std::size_t queued_bytes(ConnectionId to) const;
  /// Pre: the node is in the options.
  PeerLink peer(NodeId node) const;
  /// Bytes handed to TLS for other nodes so far.
  std::uint64_t node_bytes_sent() const;
  std::uint64_t dropped() const;
  /// Other nodes that are connected now.
  std::size_t node_links() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

/// A client's link to one node. Callbacks run on the loop's thread; reconnecting is the caller's
/// choice.
class ClientLink {
 public:
  /// `key`: who the client is.
  ClientLink(Loop& loop, const Digest& chain, PeerAddress node, TransportCallbacks callbacks,
             const crypto::SigningKey& key = crypto::SigningKey::generate());
  ~ClientLink();
  void connect();
  bool send(const Frame& frame);
  bool up() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace thresher::net
