#include "convictions.hpp"

#include <utility>

#include "thresher/protocols/dag/policy.hpp"

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
void Convictions::note(const BlockPtr& first, const BlockPtr& second, Fx& fx) {
  ++stats_.equivocations;
  receive(config_.self, Equivocation{header_alone(first), header_alone(second)}, fx);
}

// Q2: what a peer's proofs cost is bounded: as many wait for a verdict as there can be culprits,
// and a peer that sent a false one is not heard again, since a correct node checks before it sends.
void Convictions::receive(NodeId from, const Equivocation& message, Fx& fx) {
  if (!contradict(message) || !config_.committee.contains(message.first->author()) ||
      !arrivals_.room_for_proof(from)) {
    ++stats_.refused;
    return;
  }
  if (culprits_.contains(message.first->author())) return;
  arrivals_.proof_waits(from);
  awaited_.ask({.block = message.first, .from = from, .other = message.second}, stats_, fx);
}

// The verdict on one of the two headers.
void Convictions::check_next(const Awaited& checked, bool ok, Fx& fx) {
  if (!ok) {
    arrivals_.proof_judged(checked.from);
    if (checked.from != config_.self) arrivals_.mislead(checked.from);
    ++stats_.refused;
    return;
  }
  if (checked.other_good) {
    arrivals_.proof_judged(checked.from);
    return convict({checked.other, checked.block}, fx);
  }
  awaited_.ask(
      {.block = checked.other, .from = checked.from, .other = checked.block, .other_good = true},
      stats_, fx);
}

// Q3: once for each culprit the proof becomes durable and is sent to all, so that what one correct
// node knows all know a message delay later, and nobody refers to the culprit again.
void Convictions::convict(Equivocation proof, Fx& fx) {
  const NodeId id = proof.first->author();
  if (culprits_.contains(id)) return;
  const Bytes evidence = Records::encode(proof);
  fx.push(Accuse{id, evidence});
  if (id == config_.self) return;  // the key signs elsewhere: the host stops this node
  culprits_.add(id, proof, where_.round());
  records_.put_equivocation(id, evidence, fx);
  if (policy().tells_of(id)) fx.broadcast(std::move(proof));
}

// Q4: a node that names a culprit long after the proof was sent has not got it.
void Convictions::remind(const Block& block, Fx& fx) {
  const NodeId author = block.author();
  if (!where_.own() || author == config_.self || culprits_.contains(author)) return;
  for (const NodeId id : culprits_.unheard_by(block, where_.own()->round())) {
    if (!policy().tells_of(id) || !giving_.may(author)) continue;
    culprits_.told(id, author, where_.own()->round());
    const Equivocation& proof = culprits_.proof(id);
    giving_.served(author, header_bytes(proof.first->header) + header_bytes(proof.second->header),
                   fx);
    fx.send(author, proof);
  }
}

void Convictions::restore(const Restored& record) {
  auto proof = records_.read_equivocation(record);
  if (!proof) return;
  const NodeId id = proof->first->author();
  if (!culprits_.contains(id)) culprits_.add(id, std::move(*proof), Round{0});
}

// A block with our signature that we do not hold, though our blocks are durable before they are
// sent: the key signs elsewhere, or this is an old copy of the disk.
void Convictions::accuse_self(const Block& block, Fx& fx) const {
  if (block.round() <= store_.floor()) return;
  if (store_.find({block.author(), block.round(), block.digest}) != nullptr) return;
  Writer evidence;
  encode_header(block, evidence);
  fx.push(Accuse{config_.self, Bytes::from(evidence.take())});
}

}  // namespace thresher::dag
