#include "parking.hpp"

#include <algorithm>

#include "timers.hpp"

namespace thresher::certified {
namespace {

/// The certificates of an author without an accepted vertex in so many rounds are not gathered.
constexpr std::uint64_t kSuspectRounds = 8;

}  // namespace

Parking::Parking(const Config& config, const Store& store, const Own& own, const Rounds& rounds,
                 const Ordered& ordered, const Pacemaker& pacemaker)
    : parked_(config.committee, config.limits.proposals_per_peer),
      config_(config),
      store_(store),
      own_(own),
      rounds_(rounds),
      ordered_(ordered),
      pacemaker_(pacemaker) {}

// Whether these could complete the round, or end the wait in it, or commit the anchor before it.
// Those of a round that was left go along with the next.
bool Parking::worth_checking(Round r, const Parked::OfRound& unchecked) const {
  if (r < own_->round()) return false;
  const Committee& c = config_->committee;
  const auto held = static_cast<std::uint32_t>(store_->accepted_authors(r).count());
  const auto more = static_cast<std::uint32_t>(unchecked.size());
  const bool whole = held >= c.at_least(config_->rules.complete);
  if (!whole && held + more >= c.at_least(config_->rules.complete)) return true;
  const bool still_waits = whole && !pacemaker_->may_leave(r);
  if (has_anchor(r)) return still_waits && unchecked.contains(ordered_->leader(r));
  if (r.value < 2) return false;
  const Round before{r.value - 1};
  const NodeId anchor = ordered_->leader(before);
  const std::uint32_t known = store_->votes({anchor, before});
  const std::uint32_t needed = c.at_least(config_->rules.commit);
  // They are counted only when that could tell.
  const bool may_commit = known < needed && known + more >= needed;
  const bool may_fail = still_waits && known + c.size() < needed + held + more;
  if (!may_commit && !may_fail) return false;
  const auto votes = static_cast<std::uint32_t>(std::count_if(
      unchecked.begin(), unchecked.end(),
      [&](const auto& entry) { return entry.second->header.parents.contains(anchor); }));
  if (votes > 0 && known < needed && known + votes >= needed) return true;
  return still_waits && known + votes + c.size() - held - more < needed;
}

// What completes a round, or commits the anchor before it, waits a little for the rest: headers
// will name that, and then it would need a call of its own. The silent are not waited for, and
// nobody is once a correct node went on.
bool Parking::gathers(Round r, const Parked::OfRound& unchecked, std::uint32_t gated, Fx& fx) {
  if (config_->gather.value == 0 || rounds_->complete(r)) return false;
  if (gated >= config_->committee.at_least(kValidity)) return false;
  const NodeSet& held = store_->accepted_authors(r).members();
  bool more = false;
  for (std::uint32_t i = 0; i < config_->committee.size() && !more; ++i) {
    const NodeId id{static_cast<std::uint16_t>(i)};
    const bool here = id == config_->self || held.contains(id) || unchecked.contains(id);
    more = !here && store_->highest_accepted(id).value + kSuspectRounds >= r.value;
  }
  if (!more) return false;
  if (gather_timer_.waits_for(r)) return !gather_timer_.over();
  gather_timer_.restart();
  gather_timer_.begin(r);
  fx.push(ArmTimer{{kGatherTimer, {}}, config_->gather});
  return true;
}

void Parking::waited() {
  (void)gather_timer_.ends(config_->gather.value, config_->gather.value);
}

std::vector<VertexPtr> Parking::due(bool all, std::uint32_t gated, Fx& fx) {
  all = parked_.take_wanted() || all;
  for (auto it = parked_.rounds().begin(); it != parked_.rounds().end() && !all; ++it) {
    const auto& [round, vertices] = *it;
    all = worth_checking(round, vertices) && !gathers(round, vertices, gated, fx);
  }
  if (!all) return {};
  std::vector<VertexPtr> out = parked_.take_all();
  std::erase_if(out, [&](const VertexPtr& v) {
    return v->round() <= store_->floor() || store_->find(v->ref()) != nullptr;
  });
  return out;
}

}  // namespace thresher::certified
