#include <algorithm>
#include <deque>
#include <map>

#include "state.hpp"

namespace thresher::dag {
namespace {

// Blocks from `from` down to `to`, each referring to the next; empty when there is no way.
std::vector<BlockPtr> path(const Store& store, const Committee& committee, const Edge& from,
                           const Edge& to) {
  std::map<Edge, Edge> came_from{{from, from}};
  std::deque<Edge> todo{from};
  while (!todo.empty() && !came_from.contains(to)) {
    const Edge at = todo.front();
    todo.pop_front();
    const Entry* e = store.find(at);
    if (e == nullptr) continue;
    each_edge(*e->block, committee, [&](const Edge& parent) {
      if (parent.round >= to.round && came_from.emplace(parent, at).second) todo.push_back(parent);
      return true;
    });
  }
  std::vector<BlockPtr> out;
  if (!came_from.contains(to)) return out;
  for (Edge at = to;; at = came_from.at(at)) {
    const Entry* e = store.find(at);
    if (e == nullptr) return {};
    out.push_back(e->block);
    if (at == from) break;
  }
  std::reverse(out.begin(), out.end());
  return out;
}

// Blocks of distinct authors, `up` rounds above a leader, that name it in `field`: at most
// `enough`.
std::vector<BlockPtr> naming(const Store& store, const Edge& leader, std::uint64_t up,
                             std::optional<Digest> Header::*field, std::uint32_t enough) {
  std::map<NodeId, BlockPtr> by_author;
  for (const Entry& e : store.round(Round{leader.round.value + up})) {
    if (by_author.size() == enough) break;
    if (e.block->header.*field == leader.digest) by_author.emplace(e.block->author(), e.block);
  }
  std::vector<BlockPtr> out;
  for (auto& [author, block] : by_author) out.push_back(std::move(block));
  return out;
}

// What commits a leader block directly: claims, else votes where those may. Empty: neither does.
std::vector<BlockPtr> direct_proof(const Store& store, const Edge& leader) {
  const Rules& rules = store.judge().rules;
  const std::uint32_t claims = store.judge().committee.at_least(rules.commit);
  const std::uint32_t votes = store.judge().committee.at_least(rules.fast);
  auto out = naming(store, leader, 2, &Header::claim, claims);
  if (out.size() >= claims) return out;
  if (!rules.two_delays) return {};
  out = naming(store, leader, 1, &Header::vote, votes);
  if (out.size() < votes) out.clear();
  return out;
}

}  // namespace

std::optional<CommitProof> Dag::prove(Round slot, const Edge& block) const {
  const State& s = *state_;
  if (s.config.rules.edges != Edges::kSparse) return std::nullopt;
  // A slot that was decided by a later leader has no quorum of its own: then that leader's counts.
  for (Round r{std::max(slot.value, s.store.floor().value + 1)}; r <= s.store.top(); ++r.value) {
    for (const Candidate& c : s.store.candidates(r)) {
      CommitProof out{direct_proof(s.store, c.leader), {}};
      if (out.witnesses.empty()) continue;
      out.path = path(s.store, s.config.committee, c.leader, block);
      if (!out.path.empty()) return out;
    }
  }
  return std::nullopt;
}

}  // namespace thresher::dag
