// Proofs of equivocation: two headers that one author signed for one round. Rules Q1 to Q4 of
// docs/protocols/thresher.md, section "Proofs of equivocation travel".
#include <algorithm>
#include <utility>

#include "state.hpp"

namespace thresher::dag {
namespace {

bool contradict(const Equivocation& proof) {
  if (!proof.first || !proof.second) return false;
  return proof.first->author() == proof.second->author() &&
         proof.first->round() == proof.second->round() &&
         proof.first->digest != proof.second->digest;
}

}  // namespace

// Q1: both signatures are checked, those of a proof found here too: a block that came with the log
// of peers was vouched for by them, and its signature was never looked at.
void Dag::State::note_equivocation(const BlockPtr& first, const BlockPtr& second, Fx& fx) {
  ++stats.equivocations;
  receive(config.self, Equivocation{header_alone(first), header_alone(second)}, fx);
}

// Q2: what a peer's proofs cost is bounded: as many wait for a verdict as there can be culprits,
// and a peer that sent a false one is not heard again, since a correct node checks before it sends.
void Dag::State::receive(NodeId from, const Equivocation& message, Fx& fx) {
  if (!contradict(message) || !config.committee.contains(message.first->author()) ||
      !arrivals.room_for_proof(from)) {
    ++stats.refused;
    return;
  }
  if (culprits.contains(message.first->author())) return;
  arrivals.proof_waits(from);
  awaited.ask({.block = message.first, .from = from, .other = message.second}, stats, fx);
}

// The verdict on one of the two headers.
void Dag::State::check_next(const Awaited& checked, bool ok, Fx& fx) {
  if (!ok) {
    arrivals.proof_judged(checked.from);
    if (checked.from != config.self) arrivals.mislead(checked.from);
    ++stats.refused;
    return;
  }
  if (checked.other_good) {
    arrivals.proof_judged(checked.from);
    return convict({checked.other, checked.block}, fx);
  }
  awaited.ask(
      {.block = checked.other, .from = checked.from, .other = checked.block, .other_good = true},
      stats, fx);
}

// Q3: once for each culprit the proof becomes durable and is sent to all, so that what one correct
// node knows all know a message delay later, and nobody refers to the culprit again.
void Dag::State::convict(Equivocation proof, Fx& fx) {
  const NodeId id = proof.first->author();
  if (culprits.contains(id)) return;
  const Bytes evidence = Records::encode(proof);
  fx.push(Accuse{id, evidence});
  if (id == config.self) return;  // the key signs elsewhere: the host stops this node
  culprits.add(id, proof, where.round());
  records.put_equivocation(id, evidence, fx);
  if (policy().tells_of(id)) fx.broadcast(std::move(proof));
}

// Q4: a node that names a culprit long after the proof was sent has not got it.
void Dag::State::remind(const Block& block, Fx& fx) {
  const NodeId author = block.author();
  if (!where.own() || author == config.self || culprits.contains(author)) return;
  for (const NodeId id : culprits.unheard_by(block, where.own()->round())) {
    if (!policy().tells_of(id) || !giving.may(author)) continue;
    culprits.told(id, author, where.own()->round());
    const Equivocation& proof = culprits.proof(id);
    giving.served(author, header_bytes(proof.first->header) + header_bytes(proof.second->header),
                  fx);
    fx.send(author, proof);
  }
}

void Dag::State::restore_equivocation(const Restored& record) {
  auto proof = records.read_equivocation(record);
  if (!proof) return;
  const NodeId id = proof->first->author();
  if (!culprits.contains(id)) culprits.add(id, std::move(*proof), Round{0});
}

}  // namespace thresher::dag
