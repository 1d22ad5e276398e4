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

std::vector<BlockPtr> claims_of(const Store& store, const Edge& leader, std::uint32_t enough) {
  std::map<NodeId, BlockPtr> by_author;
  for (const Entry& e : store.round(Round{leader.round.value + 2})) {
    if (by_author.size() == enough) break;
    if (e.block->header.claim == leader.digest) by_author.emplace(e.block->author(), e.block);
  }
  std::vector<BlockPtr> out;
  for (auto& [author, block] : by_author) out.push_back(std::move(block));
  return out;
}

}  // namespace

std::optional<CommitProof> Dag::prove(Round slot, const Edge& block) const {
  const State& s = *state_;
  if (s.config.rules.edges != Edges::kSparse) return std::nullopt;
  const std::uint32_t enough = s.config.committee.at_least(s.config.rules.commit);
  // A slot that was decided by a later leader has no quorum of its own: then that leader's counts.
  for (Round r{std::max(slot.value, s.store.floor().value + 1)}; r <= s.store.top(); ++r.value) {
    for (const Candidate& c : s.store.candidates(r)) {
      CommitProof out{claims_of(s.store, c.leader, enough), {}};
      if (out.claims.size() < enough) continue;
      out.path = path(s.store, s.config.committee, c.leader, block);
      if (!out.path.empty()) return out;
    }
  }
  return std::nullopt;
}

}  // namespace thresher::dag
