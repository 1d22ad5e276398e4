// Takes the state of the application and of the ledger from peers, for a node that is behind what
// all of them keep of the log. Private to net/.
//
//   StateSync sync(genesis, self, folder, {send, blame, say});
//   sync.begin(ledger.slot(), now);
//   sync.tick(now); sync.frame(peer, frame, now);                 // until sync.snapshot()
//
// The peers say which snapshots they have. Believed is one whose checkpoint a quorum certified (the
// keys of the genesis file say so, and nobody else) and whose manifest kValidity of them name: one
// of them is correct. All are told which that is, and keep it (snapshot_holds.hpp). Its parts come
// from all that have it, several at a time. Until there is one, the faster peers are asked to keep
// what the slower ones are about to have too.
//
// Guarantees: no byte is kept that is not what the manifest says, and nothing is asked for that is
// here already, also after a kill. A snapshot that fewer than kValidity peers still say they have
// is given up for what they have now. A peer that gives something else is named and not asked for
// that snapshot again: its disk may have changed it, and a later one may be sound. One whose
// certificate is false is not asked at all any more. One that gives nothing is named, and asked
// again later, when others had their turn. A peer
// may have kMostOffers offers held, and a manifest of kMostManifest bytes; one answer to each
// question is looked at. Ends only with a snapshot: what is missing for one is in words().
// Source: docs/adr/039-state-from-peers.md.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "life/snapshot_incoming.hpp"
#include "life/snapshot_parts.hpp"
#include "thresher/core/committee.hpp"
#include "thresher/net/genesis.hpp"
#include "thresher/net/node.hpp"
#include "thresher/net/transport.hpp"

namespace thresher::net {

class StateSync {
 public:
  struct Hooks {
    std::function<void(NodeId, Frame)> send;
    /// Called with the peer that gave a false answer, and how it was false.
    std::function<void(NodeId, const std::string& how)> blame;
    std::function<void(Level, const std::string&)> say;
  };
  /// Unit: microseconds.
  static constexpr std::uint64_t kAskAgain = 1'000'000;
  /// For this long a peer that was asked for a part may send none.
  static constexpr std::uint64_t kPatience = 3'000'000;
  /// A first silence keeps a peer aside for this long; each further one twice as long.
  static constexpr std::uint64_t kAside = 5'000'000;
  /// For this long the others may still offer something better than the first that is good enough.
  static constexpr std::uint64_t kGather = 500'000;
  /// A peer that leaves so many questions for its snapshots unanswered, one after another, counts
  /// as one that has none.
  static constexpr std::uint32_t kUnanswered = 3;
  /// So many questions in a row have to find fewer than kValidity peers that still have the chosen
  /// one, until it is given up: each answer has the time to come.
  static constexpr std::uint32_t kDoubts = 3;
  /// Parts of a peer that are on their way.
  static constexpr std::size_t kAhead = 4;

  StateSync(const Genesis& genesis, NodeId self, SnapshotFolder folder, Hooks hooks);

  /// Only a snapshot of a later slot is taken. Times are monotonic microseconds.
  void begin(Round above, std::uint64_t now);
  bool active() const { return active_; }
  void tick(std::uint64_t now);
  /// False when malformed. Pre: kSnapshots or kPart.
  bool frame(NodeId from, const Frame& frame, std::uint64_t now);

  /// Set when all parts are there.
  IncomingSnapshot* snapshot() const { return whole() ? incoming_.get() : nullptr; }
  /// The snapshot's certificate. Pre: there is one.
  const Certificate& certificate() const { return chosen_->certificate; }

  std::size_t parts() const { return incoming_ ? incoming_->parts() : 0; }
  std::size_t parts_here() const {
    return incoming_ ? incoming_->parts() - incoming_->missing().size() : 0;
  }
  /// What it does now, from whom, and what failed last, in words.
  std::string words() const;

 private:
  struct Peer {
    std::optional<std::vector<SnapshotOffer>> offers{};  ///< empty: it has not answered
    std::optional<std::uint8_t> grid{};                  ///< on which it takes snapshots
    bool awaited = false;          ///< it was asked for them since it answered
    std::uint32_t unanswered = 0;  ///< questions for them since it answered
    std::set<SnapshotPart> asked{};
    std::uint64_t heard_us = 0;
    std::uint64_t aside_until_us = 0;
    std::uint32_t silences = 0;
    std::uint64_t parts = 0;     ///< that it gave
    std::set<Round> false_of{};  ///< slots of snapshots of which it gave something else
    bool lied = false;           ///< about a certificate, which no disk changes into another one
  };
  bool whole() const { return incoming_ && incoming_->missing().empty(); }
  bool is_peer(NodeId id) const { return id.value < peers_.size() && id != self_; }
  void ask_offers(std::uint64_t now);
  bool offers(NodeId from, const Frame& frame, std::uint64_t now);
  void choose(std::uint64_t now);
  bool holds(const Certificate& certificate);
  void part(NodeId from, const GivenPart& given, const Bytes& bytes, std::uint64_t now);
  void manifest(NodeId from, const Bytes& bytes, std::uint64_t now);
  void lie(NodeId who, const std::string& how);
  void gave_false(NodeId who, const std::string& how);
  void give_up(const std::string& why, std::uint64_t now);
  void let_go(const std::string& why, std::uint64_t now);
  void doubt(std::uint64_t now);
  bool has_chosen(const Peer& p) const;
  void watch_silence(std::uint64_t now);
  void ask_parts(std::uint64_t now);
  void ask(NodeId peer, const SnapshotPart& part, std::uint64_t now);
  bool gives(NodeId id, std::uint64_t now) const;
  std::set<SnapshotPart> on_their_way() const;
  std::string why_nothing_is_chosen() const;
  std::vector<std::uint8_t> grids() const;

  Genesis genesis_;
  Committee committee_;
  NodeId self_;
  SnapshotFolder folder_;
  Hooks hooks_;
  bool active_ = false;
  Round above_{0};
  std::vector<Peer> peers_;
  std::set<Digest> certified_;  // digests of certificates that hold
  std::uint64_t asked_us_ = 0;
  std::uint64_t first_offer_us_ = 0;  // 0: none was good enough
  std::optional<SnapshotOffer> chosen_;
  std::uint32_t doubts_ = 0;                    // questions in a row that found too few who have it
  std::unique_ptr<IncomingSnapshot> incoming_;  // stays while nothing is chosen
  std::optional<Manifest> begun_;               // what was begun before lies on the disk
  std::size_t turn_ = 0;
  std::string problem_;  // why a snapshot was given up last
  std::string fault_;    // what a peer did last that it should not
};

}  // namespace thresher::net
