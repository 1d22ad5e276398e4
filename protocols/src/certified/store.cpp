#include "thresher/protocols/certified/store.hpp"

#include <algorithm>
#include <utility>

#include "thresher/core/assert.hpp"
#include "walk.hpp"

namespace thresher::certified {

bool Store::insert(VertexPtr vertex) {
  const Ref ref = vertex->ref();
  THRESHER_ASSERT(ref.round > floor(), "what lies below the floor is ordered and forgotten");
  while (top() < ref.round) {
    RoundInfo info;
    info.cells.resize(committee_.size());
    info.held = NodeSet(committee_.size());
    info.accepted = Tally(committee_);
    info.votes.resize(committee_.size());
    rounds_.push_back(std::move(info));
  }
  RoundInfo& info = at(ref.round);
  if (!info.held.insert(ref.author)) return false;
  info.cells[ref.author.value].vertex = std::move(vertex);
  ++size_;
  return true;
}

void Store::accept(const Ref& ref) {
  RoundInfo& info = at(ref.round);
  Cell& cell = info.cells[ref.author.value];
  THRESHER_ASSERT(cell.vertex != nullptr && !cell.accepted, "a vertex is accepted once, when held");
  cell.accepted = true;
  info.accepted.add(ref.author);
  Round& highest = highest_accepted_[ref.author.value];
  highest = std::max(highest, ref.round);
  ++version_;
  const Round before{ref.round.value - 1};
  if (!has_anchor(before) || !in_range(before)) return;
  std::vector<std::uint16_t>& votes = at(before).votes;
  cell.vertex->header.parents.for_each([&](NodeId parent) {
    ++votes[parent.value];
    THRESHER_ASSERT(votes[parent.value] <= committee_.size(), "an author votes once for an anchor");
  });
}

const Cell* Store::find(const Ref& ref) const {
  if (!in_range(ref.round) || !committee_.contains(ref.author)) return nullptr;
  const RoundInfo& info = at(ref.round);
  return info.held.contains(ref.author) ? &info.cells[ref.author.value] : nullptr;
}

Cell* Store::find(const Ref& ref) {
  return const_cast<Cell*>(std::as_const(*this).find(ref));
}

bool Store::accepted(const Ref& ref) const {
  return in_range(ref.round) && at(ref.round).accepted.contains(ref.author);
}

const Tally& Store::accepted_authors(Round round) const {
  return in_range(round) ? at(round).accepted : none_;
}

std::uint32_t Store::votes(const Ref& anchor) const {
  const bool known = in_range(anchor.round) && committee_.contains(anchor.author);
  return known ? at(anchor.round).votes[anchor.author.value] : 0;
}

std::vector<NodeSet> Store::history(const Ref& start, Round from) const {
  if (start.round < from) return {};
  std::vector<NodeSet> reached(start.round.value - from.value + 1, NodeSet(committee_.size()));
  reached.back().insert(start.author);
  for (std::size_t i = reached.size(); i-- > 0;) {
    const Round round{from.value + i};
    walk(*this, round, reached[i],
         [&](NodeId, const Cell& cell) { add_refs(cell.vertex->header, from, reached); });
  }
  return reached;
}

bool Store::reaches(const Ref& start, const Ref& target) const {
  const auto reached = history(start, target.round);
  return !reached.empty() && reached.front().contains(target.author);
}

}  // namespace thresher::certified
