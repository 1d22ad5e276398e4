// What tests and oracles may see of a node: how much it holds, and what it accepted.
#include <set>

#include "state.hpp"

namespace thresher::dag {

Footprint Dag::footprint() const {
  const State& s = *state_;
  Footprint out;
  out.pending = s.awaited.size();
  out.missing = s.asking.missing();
  out.waiting = s.unfolding.packed().size();
  for (Round r{s.store.floor().value + 1}; r <= s.store.top(); ++r.value) {
    out.blocks += s.store.round(r).size();
  }
  out.blocks += s.below.attic().size();
  out.waiting += s.waits.size();
  out.waiting += s.proving.waiting();
  out.proofs = s.proving.headers();
  return out;
}

// One block of each author and round from the bottom of the attic to the window and the quotas of
// twins; each has
// at most so many edges, waits in one place, and may claim one leader block, about which every peer
// may give a header of every node.
Footprint Dag::most() const {
  const State& s = *state_;
  const Limits& limits = s.config.limits;
  const std::size_t n = s.config.committee.size();
  const std::size_t rounds = s.where.next().value + limits.window - s.below.attic().bottom().value;
  Footprint out;
  out.blocks = n * (rounds + limits.twins_per_peer);
  out.waiting = out.blocks + n * rounds;
  out.missing = out.blocks * (n + 3);
  out.proofs = 2 * n * out.blocks;
  out.pending = n * limits.waiting_per_peer + n * n * out.blocks + n * n;
  return out;
}

Delay Dag::patience() const {
  return Delay{state_->pacemaker.patience().timeout()};
}

Round Dag::floor() const {
  return state_->store.floor();
}

void Dag::accepted(Round above, std::vector<Edge>& out) const {
  const Store& store = state_->store;
  for (Round r{std::max(above, store.floor()).value + 1}; r <= store.top(); ++r.value) {
    for (const Entry& e : store.round(r)) {
      if (e.accepted) out.push_back(e.edge());
    }
  }
}

bool Dag::accepts(const Edge& block) const {
  return state_->store.settled(block);
}

bool Dag::convicts(NodeId member) const {
  return state_->culprits.contains(member);
}

std::vector<Edge> Dag::vouched() const {
  const State& s = *state_;
  if (!s.where.own()) return {};
  std::set<Edge> seen{s.where.own()->edge()};
  std::vector<Edge> todo{s.where.own()->edge()};
  std::vector<Edge> out;
  while (!todo.empty()) {
    const Entry* e = s.store.find(todo.back());
    todo.pop_back();
    if (e == nullptr) continue;
    out.push_back(e->edge());
    each_edge(*e->block, s.config.committee, [&](const Edge& parent) {
      if (seen.insert(parent).second) todo.push_back(parent);
      return true;
    });
  }
  std::sort(out.begin(), out.end(), [](const Edge& a, const Edge& b) {
    return std::tie(a.round, a.author, a.digest) < std::tie(b.round, b.author, b.digest);
  });
  return out;
}

}  // namespace thresher::dag
