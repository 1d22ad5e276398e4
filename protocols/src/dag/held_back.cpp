// Payloads of an equivocator's further blocks: a quota of bytes is kept on its own account, and
// beyond that as many as blocks of others need. Rules X1 to X3 of docs/protocols/thresher.md,
// section "What a peer can fill", which says why nothing is lost by it.
#include <optional>
#include <vector>

#include "resting.hpp"
#include "state.hpp"

namespace thresher::dag {
namespace {

/// While some liars may not be known, one payload beyond a quota is taken in so many ticks.
constexpr std::uint32_t kTicksBeyond = 32;

}  // namespace

// Whether `payer` has room for the payload of a further block; then it is charged for it.
bool Dag::State::charge(const Edge& edge, NodeId payer, std::uint64_t bytes) {
  if (!policy().room_for_twins_payload(twins.bytes_of(payer) + bytes, config.limits)) return false;
  twins.charge(edge, payer, bytes);
  return true;
}

// X1. A block that is acceptable, with or without its payload.
bool Dag::State::is_held_back(Entry& entry) {
  const Edge edge = entry.edge();
  if (!twins.uncharged(edge)) return false;
  const std::uint64_t bytes = entry.block->header.payload_bytes;
  if (bytes == 0 || charge(edge, edge.author, bytes)) {
    lean.release(edge);
    return false;
  }
  drop_payload(entry);
  if (!lean.contains(edge)) return false;
  lean.hold_back(edge);
  pull_clock.hurry();  // a block of somebody else may rest on it already
  return true;
}

// No record says who needed a further block before a restart, so its author pays for it: what
// others need is taken on their behalf all the same.
void Dag::State::charge_restored(const Entry& entry) {
  const NodeId author = entry.block->author();
  const Edge edge = entry.edge();
  if (author == config.self || store.first(edge.round, author)->edge() == edge) return;
  twins.hold(edge, author);
  twins.charge(edge, author, entry.block->header.payload_bytes);
}

// The payer for a payload that blocks of `authors` need: one with room, else the first that may
// have one beyond its quota.
std::optional<NodeId> Dag::State::charge_one_of(const NodeSet& authors, const Edge& edge,
                                                NodeSet& had_more) {
  const std::uint64_t bytes = store.find(edge)->block->header.payload_bytes;
  std::optional<NodeId> payer;
  authors.for_each([&](NodeId id) {
    if (!payer && charge(edge, id, bytes)) payer = id;
  });
  if (payer) return payer;
  authors.for_each_outside(had_more, [&](NodeId id) { payer = payer ? payer : id; });
  if (payer) twins.charge(edge, *payer, bytes);
  return payer;
}

// X2, X3. Once in each tick.
void Dag::State::want_held_back(Fx& fx) {
  if (lean.held_back().empty()) return;
  const auto above = who_rests_on(store, culprits);
  const std::uint32_t n = config.committee.size();
  const bool all_known = culprits.size() >= config.committee.faults();
  NodeSet had_more(n);
  for (std::uint32_t i = 0; i < n && !all_known && pull_clock.ticks() % kTicksBeyond != 0; ++i) {
    had_more.insert(NodeId{static_cast<std::uint16_t>(i)});
  }
  const std::vector<Edge> all(lean.held_back().begin(), lean.held_back().end());
  for (const Edge& edge : all) {
    const auto it = above.find(edge);
    if (it == above.end()) continue;
    NodeSet authors = it->second;
    authors.erase(edge.author);
    if (authors.empty()) continue;
    pull_clock.hurry();
    const auto payer = charge_one_of(authors, edge, had_more);
    if (!payer) continue;
    if (!all_known) had_more.insert(*payer);
    lean.release(edge);
    need(edge, lowest_waiting(store, edge, *payer), *payer, fx);
  }
}

}  // namespace thresher::dag
