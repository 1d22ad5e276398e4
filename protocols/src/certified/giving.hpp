// What peers ask for is handed out: vertices by name, rounds, and payloads that no vertex carries
// yet. Rules R9 and R10.
//
//   Giving giving({config, store, attic, own, composing, batches, headers, bringing, stats});
//   giving.answer(peer, want, fx);
//   giving.answer(peer, want_round, fx);
//   giving.afresh();                          // kServeTimer ran off
//
// Guarantees: those of chassis/service.hpp, which it owns: what one peer is sent is bounded in each
// answer, and in time. Whole rounds hold accepted vertices alone. What has no certificate is not
// handed out, for nobody could take it. Who lacks a vertex by name is noted: rule R11.
#pragma once

#include <optional>

#include "../chassis/beside.hpp"
#include "../chassis/service.hpp"
#include "batches.hpp"
#include "bringing.hpp"
#include "composing.hpp"
#include "own.hpp"
#include "peer_headers.hpp"
#include "thresher/protocols/attic.hpp"
#include "thresher/protocols/certified/bullshark.hpp"
#include "thresher/protocols/certified/store.hpp"

namespace thresher::certified {

class Giving {
 public:
  using Fx = Bullshark::Fx;
  struct With {
    const Config& config;
    const Store& store;
    const Attic<VertexPtr>& attic;
    const Own& own;
    const Composing& composing;
    const Batches& batches;
    const PeerHeaders& headers;
    Bringing& bringing;
    Stats& stats;
  };
  explicit Giving(const With& with);

  void answer(NodeId from, const Want& message, Fx& fx);
  void answer(NodeId from, const WantRound& message, Fx& fx);
  /// What each peer was sent is counted anew.
  void afresh() { service_.afresh(); }

 private:
  struct Answer;
  bool may_lack(NodeId peer, Round r, const NodeSet* have) const;
  std::optional<Payload> payload(const Digest& root) const;
  VertexPtr vertex(const Ref& ref) const;
  VertexPtr accepted_vertex(const Ref& ref) const;
  void serve(NodeId peer, Answer answer, Fx& fx);

  chassis::Service service_;
  chassis::Beside<const Config> config_;
  chassis::Beside<const Store> store_;
  chassis::Beside<const Attic<VertexPtr>> attic_;
  chassis::Beside<const Own> own_;
  chassis::Beside<const Composing> composing_;
  chassis::Beside<const Batches> batches_;
  chassis::Beside<const PeerHeaders> headers_;
  chassis::Beside<Bringing> bringing_;
  chassis::Beside<Stats> stats_;
};

}  // namespace thresher::certified
