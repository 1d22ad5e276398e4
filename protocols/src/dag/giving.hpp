// What is handed out to peers that ask for blocks. Rules F1 and B6 of docs/protocols/thresher.md,
// and the section "What a peer can fill".
//
//   Giving giving(config, store, attic, payloads, where, attachments, showing, stats);
//   giving.receive(peer, want, fx);                 // a question, and the answer
//   if (giving.may(peer)) {                         // what else it gets
//     giving.served(peer, bytes, fx);
//     fx.send(peer, other);
//   }
//   giving.afresh();                                // kServeTimer ran off
//
// Guarantees: what a peer gets in each Delta is bounded, whatever it asks (chassis/service.hpp). A
// block is given whole, or not at all while only its header is held; above the floor and below it.
// An answer is not larger than the limits allow.
#pragma once

#include <cstdint>
#include <vector>

#include "../chassis/service.hpp"
#include "attachments.hpp"
#include "given_chains.hpp"
#include "payload_room.hpp"
#include "thresher/protocols/attic.hpp"

namespace thresher::dag {

class Giving {
 public:
  using Fx = Dag::Fx;

  /// `like`: of the node of which this one is a copy. Changes `attachments`, `showing`, `stats`.
  Giving(const Config& config, const Store& store, const Attic<BlockPtr>& attic,
         const PayloadRoom& payloads, const Whereabouts& where, Attachments& attachments,
         Showing& showing, Stats& stats, const Giving* like = nullptr);
  Giving(const Giving&) = delete;

  void receive(NodeId from, const Want& message, Fx& fx);
  void receive(NodeId from, const WantRound& message, Fx& fx);

  /// The peer may get something now.
  bool may(NodeId to) const { return service_.may(to); }
  /// It got so much.
  void served(NodeId to, std::uint64_t bytes, Fx& fx);
  void afresh() { service_.afresh(); }

 private:
  BlockPtr servable(const Edge& edge) const;
  void add_chain(NodeId to, BlockPtr block, Round held, std::vector<BlockPtr>& found, Fx& fx);
  void give(NodeId to, const std::vector<BlockPtr>& blocks, Fx& fx);

  const Config& config_;
  const Store& store_;
  const Attic<BlockPtr>& attic_;
  const PayloadRoom& payloads_;
  const Whereabouts& where_;
  Attachments& attachments_;
  Showing& showing_;
  Stats& stats_;
  chassis::Service service_;
  GivenChains chains_;
};

}  // namespace thresher::dag
