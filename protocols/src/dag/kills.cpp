// Evidence for KILLs: how a node proves those that it accepted, as evidence.cpp does for claims
// (docs/protocols/two-delay.md, T1 to T4).
#include "state.hpp"

namespace thresher::dag {

// Headers that were sent as evidence, or restored: true when they prove the KILL now.
bool Dag::State::testify_kill(Round round) {
  if (store.killable(round) || !witnesses().prove_kill(round)) return false;
  store.prove_kill(round);
  return store.killable(round);
}

// E4 of thresher.md, for KILLs.
void Dag::State::keep_kill_evidence(Round round, Fx& fx) {
  if (store.keep_kill(round)) keep_headers({NodeId{}, round, kAboutKill}, fx);
}

}  // namespace thresher::dag
