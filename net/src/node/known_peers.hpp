// What this node knows of its peers' starts: the last one of each that signs, and how far the peer
// had bound itself by then. A peer that starts from old data learns here that they are old.
// Private to net/.
//
//   if (const auto r = KnownPeers::read(key, value)) peers.recall(*r);   // kIncarnationTable
//   peers.started(NodeId{2}, incarnation);                 // it says that it signs, and proves it
//   if (const auto last = peers.last_start(NodeId{2})) tell(*last);
//   writer.persist(peers.take_records([&](NodeId peer) { return engine.pledge_of(peer); }), 0);
//
// A start that is refused before it signs leaves no trace: else the second start of an old copy
// would be of a count that nobody had heard of but from itself, and the newest data would be
// refused for it. Guarantees: the count of a peer's start never falls. Records are handed out once
// for each change. Does not check signatures: who calls started() has.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "engines/order_engine.hpp"
#include "thresher/core/effects.hpp"
#include "thresher/net/incarnation.hpp"

namespace thresher::net {

class KnownPeers {
 public:
  /// A record of kIncarnationTable: a member, its start, and its pledge. That of a node itself says
  /// which start of it used the data last, and no pledge.
  struct Record {
    NodeId node{};
    Incarnation incarnation;
    Pledge pledge{};
  };
  static Persist record_of(const Record& record);
  /// Empty: it is damaged.
  static std::optional<Record> read(ByteView key, ByteView value);

  /// The disk has it.
  void recall(const Record& of) { peers_[of.node] = {of.incarnation, of.pledge}; }
  /// Pre: the peer signed it as a start that signs.
  void started(NodeId peer, const Incarnation& incarnation);
  /// The last one that signs, as far as this node was told; empty: it was told of none.
  std::optional<Incarnation> last_start(NodeId peer) const;
  /// What the disk does not have yet.
  std::vector<Persist> take_records(const std::function<Pledge(NodeId)>& pledge_of);

 private:
  struct Peer {
    Incarnation incarnation;        // count 0: none
    std::optional<Pledge> written;  // what the disk has, with the incarnation
  };
  std::map<NodeId, Peer> peers_;
};

}  // namespace thresher::net
