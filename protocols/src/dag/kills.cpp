// Evidence for KILLs: how a node proves those that it accepted, as evidence.cpp does for claims
// (docs/protocols/two-delay.md, T1 to T4).
#include "state.hpp"

namespace thresher::dag {

// All that is here, what is durable first.
KillEvidence Dag::State::kill_evidence(Round round) const {
  KillEvidence out(round, config.committee, config.rules);
  for (const std::uint64_t up : {1u, 2u}) {
    for (const BlockPtr& block : accepted_of(Round{round.value + up})) out.add(block);
  }
  for (const std::uint64_t up : {1u, 2u}) {
    for (const Entry& e : store.round(Round{round.value + up})) {
      if (!e.accepted) out.add(e.block);
    }
  }
  for (const BlockPtr& block : proofs.of(round, kAboutKill)) out.add(block);
  return out;
}

std::vector<Dag::State::Witness> Dag::State::kill_witnesses(Round round) const {
  std::vector<Witness> out;
  const KillEvidence evidence = kill_evidence(round);
  if (!evidence.proves()) return out;
  for (const BlockPtr& block : evidence.few()) {
    const Edge edge = block->edge();
    const Entry* held = store.find(edge);
    const bool below = attic.find(edge.round, edge.author, edge.digest) != nullptr;
    out.push_back({block, below || (held != nullptr && held->accepted)});
  }
  return out;
}

// Headers that were sent as evidence, or restored: true when they prove the KILL now.
bool Dag::State::testify_kill(Round round) {
  if (store.killable(round) || !kill_evidence(round).proves()) return false;
  store.prove_kill(round);
  return store.killable(round);
}

// E4 of thresher.md, for KILLs.
void Dag::State::keep_kill_evidence(Round round, Fx& fx) {
  if (store.keep_kill(round)) keep_headers({NodeId{}, round, kAboutKill}, fx);
}

}  // namespace thresher::dag
