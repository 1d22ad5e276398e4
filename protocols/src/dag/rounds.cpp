#include "rounds.hpp"

#include <algorithm>

namespace thresher::dag {
namespace {

/// M4: a node this far behind jumps instead of writing every block.
constexpr std::uint64_t kJumpLag = 64;

}  // namespace

// M1; U2 with a coin. Proven equivocators do not count: the next block will not refer to them, and
// without them it must still have parents enough.
bool Rounds::complete(Round r) const {
  if (r.value == 0) return true;
  const Tally& authors = store_.accepted_authors(r);
  return authors.count() - culprits_.among(authors) >=
         config_.committee.at_least(config_.rules.complete);
}

bool Rounds::left_by_others(Round r) const {
  return store_.accepted_authors(Round{r.value + 1}).reached(kValidity, config_.committee);
}

bool Rounds::certified(Round slot) const {
  const auto& all = store_.candidates(slot);
  return std::any_of(all.begin(), all.end(), [](const Candidate& c) { return c.evidence; });
}

// M2
bool Rounds::certification_impossible(Round slot) const {
  const std::uint32_t seen = store_.accepted_authors(Round{slot.value + 1}).count();
  const std::uint32_t unseen = config_.committee.size() - seen;
  const std::uint32_t needed = config_.committee.at_least(config_.rules.certify);
  const auto& all = store_.candidates(slot);
  return unseen < needed && std::all_of(all.begin(), all.end(), [&](const Candidate& c) {
           return c.votes.count() + unseen < needed;
         });
}

// N4. Only a dense block can be a leader's.
const Entry* Rounds::leader_block(Round slot) const {
  const Entry* e = store_.accepted_leader(slot, slots_.leader(slot));
  return e != nullptr && (slot.value == 1 || e->shape->dense) ? e : nullptr;
}

// M4
Round Rounds::after(Round own) const {
  // A block at the floor or below it is over before anybody orders it.
  const bool over = own < store_.floor();
  Round highest = over ? store_.floor() : own;
  const std::uint64_t near = over ? highest.value : own.value + kJumpLag;
  // Not from the top: liars sign blocks far ahead, and this is asked for every message.
  for (Round r = store_.full_top(); r.value > near; --r.value) {
    if (!complete(r)) continue;
    highest = r;
    break;
  }
  return Round{highest.value + 1};
}

}  // namespace thresher::dag
