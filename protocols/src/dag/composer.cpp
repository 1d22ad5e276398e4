#include "composer.hpp"

#include <algorithm>

#include "thresher/protocols/dag/policy.hpp"

namespace thresher::dag {

Header Composer::header(Round r, const BlockPtr& before, const Payload& payload, bool leads) {
  Header h;
  h.author = config_.self;
  h.round = r;
  h.self = config_.rules.policy->self_edge(config_.self, before);
  h.payload_root = payload.root;
  h.payload_bytes = static_cast<std::uint32_t>(payload.bytes.size());
  const bool sparse = config_.rules.edges == Edges::kSparse;
  if (sparse && r.value >= 2) add_vote(h);
  if (sparse && r.value >= 3) add_claim(h);
  if (config_.rules.two_delays && r.value >= 3) add_kill(h);
  if (r.value >= 2 && (!sparse || leads)) add_references(h);
  return h;
}

// N2
void Composer::add_vote(Header& h) const {
  const Round slot{h.round.value - 1};
  const Entry* e = rounds_.leader_block(slot);
  if (e == nullptr || culprits_.contains(e->block->author())) return;
  h.vote = e->block->digest;
  if (e->block->author() != leader_of(slot, config_.committee)) h.vote_author = e->block->author();
}

// N3
void Composer::add_claim(Header& h) const {
  const Round slot{h.round.value - 2};
  for (const Candidate& c : store_.candidates(slot)) {
    const Entry* e = store_.find(c.leader);
    if (!c.evidence || e == nullptr || !e->accepted) continue;
    h.claim = c.leader.digest;
    h.claim_author.reset();
    if (c.leader.author != leader_of(slot, config_.committee)) h.claim_author = c.leader.author;
  }
}

// T3
void Composer::add_kill(Header& h) const {
  h.kill = !h.claim && store_.killable(Round{h.round.value - 2});
}

// N4; U1 with a coin. Every accepted block of the round before, then the latest block of each
// author not yet referenced.
void Composer::add_references(Header& h) {
  const Round before{h.round.value - 1};
  std::vector<Edge> stragglers;
  h.refs.reserve(config_.committee.size());
  for (std::uint32_t i = 0; i < config_.committee.size(); ++i) {
    const NodeId author{static_cast<std::uint16_t>(i)};
    if (author == config_.self || culprits_.contains(author)) continue;
    if (const auto parent = store_.accepted_edge(before, author)) {
      h.refs.push_back(*parent);
      continue;
    }
    const std::uint64_t oldest =
        h.round.value > config_.gc_depth ? h.round.value - config_.gc_depth : 1;
    for (Round r{std::min(before.value, store_.highest_accepted(author).value)}; r.value >= oldest;
         --r.value) {
      const Entry* e = store_.accepted_leader(r, author);
      if (e == nullptr) continue;
      if (!e->in_own_history) stragglers.push_back(e->edge());
      break;
    }
  }
  h.refs.insert(h.refs.end(), stragglers.begin(), stragglers.end());
  store_.enter_own_history(h.refs);
}

}  // namespace thresher::dag
