#include "witnesses.hpp"

#include "committer.hpp"

namespace thresher::dag {

std::vector<BlockPtr> accepted_of(const Store& store, const Attic<BlockPtr>& attic, Round round) {
  std::vector<BlockPtr> out;
  attic.each(round, [&](const BlockPtr& block) { out.push_back(block); });
  for (const Entry& e : store.round(round)) {
    if (e.accepted) out.push_back(e.block);
  }
  return out;
}

std::optional<bool> Witnesses::stance(const Header& h, const Edge& leader) const {
  const std::uint64_t after = h.round.value - leader.round.value;
  if (about_kill(leader.digest)) {
    return KillEvidence::concerns(h, leader.round) ? std::optional(h.kill && after == 2)
                                                   : std::nullopt;
  }
  if (after == 1 && h.vote && voted(h, config_.committee) == leader) return false;
  if (after == 2 && h.claim && claimed(h, config_.committee) == leader) return true;
  return std::nullopt;
}

// Below the floor there are no candidates any more: then the block is accepted, or headers were
// kept that prove it.
std::optional<Edge> Witnesses::provable(Round slot, const Digest& leader) const {
  if (about_kill(leader)) return Edge{NodeId{}, slot, leader};
  if (slot > store_.floor()) {
    for (const Candidate& c : store_.candidates(slot)) {
      if (c.leader.digest == leader && c.evidence) return c.leader;
    }
    return std::nullopt;
  }
  std::optional<Edge> found;
  attic_.each(slot, [&](const BlockPtr& block) {
    if (block->digest == leader) found = block->edge();
  });
  if (found) return found;
  const auto kept = proofs_.of(slot, leader);
  if (kept.empty()) return std::nullopt;
  const Header& h = kept.front()->header;
  return h.vote == leader ? voted(h, config_.committee) : claimed(h, config_.committee);
}

// E1: votes, else claims.
std::vector<Witnesses::Witness> Witnesses::of(const Edge& leader) const {
  if (about_kill(leader.digest)) return few_of_kill(leader.round);
  auto out = gather(leader, false, config_.rules.certify);
  return out.empty() ? gather(leader, true, config_.rules.amplify) : out;
}

// Those that are durable come first, so that few others are needed. Empty when there are not
// enough.
std::vector<Witnesses::Witness> Witnesses::gather(const Edge& leader, bool claims,
                                                  Threshold enough) const {
  std::vector<Witness> out;
  NodeSet authors(config_.committee.size());
  const std::uint32_t most = config_.committee.at_least(enough);
  const auto add = [&](const BlockPtr& block, bool durable) {
    if (out.size() == most || authors.contains(block->author())) return;
    if (stance(block->header, leader) != claims) return;
    authors.insert(block->author());
    out.push_back({block, durable});
  };
  const Round round{leader.round.value + (claims ? 2 : 1)};
  for (const BlockPtr& block : accepted_of(store_, attic_, round)) add(block, true);
  for (const Entry& e : store_.round(round)) {
    if (!e.accepted) add(e.block, false);
  }
  for (const BlockPtr& block : proofs_.of(leader.round, leader.digest)) add(block, false);
  if (out.size() < most) out.clear();
  return out;
}

// T2. All that is here, what is durable first.
KillEvidence Witnesses::of_kill(Round round) const {
  KillEvidence out(round, config_.committee, config_.rules);
  for (const std::uint64_t up : {1u, 2u}) {
    for (const BlockPtr& block : accepted_of(store_, attic_, Round{round.value + up}))
      out.add(block);
  }
  for (const std::uint64_t up : {1u, 2u}) {
    for (const Entry& e : store_.round(Round{round.value + up})) {
      if (!e.accepted) out.add(e.block);
    }
  }
  for (const BlockPtr& block : proofs_.of(round, kAboutKill)) out.add(block);
  return out;
}

std::vector<Witnesses::Witness> Witnesses::few_of_kill(Round round) const {
  std::vector<Witness> out;
  const KillEvidence evidence = of_kill(round);
  if (!evidence.proves()) return out;
  for (const BlockPtr& block : evidence.few()) {
    const Edge edge = block->edge();
    const Entry* held = store_.find(edge);
    const bool below = attic_.find(edge.round, edge.author, edge.digest) != nullptr;
    out.push_back({block, below || (held != nullptr && held->accepted)});
  }
  return out;
}

}  // namespace thresher::dag
