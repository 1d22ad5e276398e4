#include "culprits.hpp"

#include <algorithm>
#include <utility>

#include "committer.hpp"
#include "thresher/core/assert.hpp"

namespace thresher::dag {
namespace {

/// A node that goes on naming a culprit gets the proof again after this many rounds: the first one
/// may have been lost, or sent while it was down.
constexpr std::uint64_t kRemindedAfter = 16;

// Whether the vote or the dense list of a block names `id`. A claim may have to.
bool names(const Block& block, NodeId id, const Committee& committee) {
  const Header& h = block.header;
  if (h.vote && voted(h, committee).author == id) return true;
  return std::any_of(h.refs.begin(), h.refs.end(), [&](const Edge& e) { return e.author == id; });
}

}  // namespace

Culprits::Culprits(const Committee& committee) : committee_(committee), ids_(committee.size()) {}

void Culprits::add(NodeId id, Equivocation proof, Round told) {
  THRESHER_ASSERT(committee_.contains(id), "only members are proven to equivocate");
  const bool fresh = ids_.insert(id);
  THRESHER_ASSERT(fresh, "one proof for each culprit");
  proven_.emplace(id, Proven{std::move(proof), std::vector<Round>(committee_.size(), told)});
}

std::uint32_t Culprits::among(const Tally& authors) const {
  std::uint32_t found = 0;
  ids_.for_each([&](NodeId id) { found += authors.contains(id) ? 1 : 0; });
  return found;
}

// Q4
std::vector<NodeId> Culprits::unheard_by(const Block& block, Round own) const {
  std::vector<NodeId> out;
  for (const auto& [id, proven] : proven_) {
    const Round told = proven.told[block.author().value];
    if (block.round() <= told || own.value < told.value + kRemindedAfter) continue;
    if (names(block, id, committee_)) out.push_back(id);
  }
  return out;
}

}  // namespace thresher::dag
