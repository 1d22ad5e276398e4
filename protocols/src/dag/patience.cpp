// How long the leader of a round is waited for. Rules P1 to P4 of docs/protocols/thresher.md,
// section "Patience". Only speed depends on any of it.
#include <algorithm>

#include "state.hpp"

namespace thresher::dag {
namespace {

/// The shortest wait is this part of T, the longest so many times T.
constexpr std::uint64_t kShortest = 6;
constexpr std::uint64_t kLongest = 64;
constexpr std::uint64_t kLargestBackoff = kShortest * kLongest;
/// What a wait is taken for before enough of them were measured; in 1/1000 Delta.
constexpr std::uint64_t kFirstGap = 1000;
/// A wait is measured in so many parts.
constexpr std::uint64_t kParts = 8;
/// Slots that a node went on without and remembers.
constexpr std::size_t kMissedSlots = 256;
/// So many times around the committee without a direct commit is long.
constexpr std::uint64_t kLongWithout = 2;

}  // namespace

// P1. By half longer than the (n-f)-th shortest wait that was enough lately, the own one, which is
// none, among them: f that come late do not raise it, f liars that come at once lower it by f
// places.
std::uint64_t Dag::State::patience() const {
  const Committee& committee = config.committee;
  std::vector<std::uint64_t> gaps;
  for (const Peer& peer : peers) {
    if (peer.gap) gaps.push_back(*peer.gap);
  }
  const std::uint64_t least = config.timeout.value / kShortest;
  const std::uint64_t most = config.timeout.value * kLongest;
  std::uint64_t gap = kFirstGap;
  if (gaps.size() >= committee.at_least(kValidity)) {
    const std::size_t rank =
        std::min<std::size_t>(committee.at_least(kAvailability) - 1, gaps.size()) - 1;
    std::nth_element(gaps.begin(), gaps.begin() + static_cast<std::ptrdiff_t>(rank), gaps.end());
    gap = gaps[rank];
  }
  return std::min(std::max(least, 3 * gap / 2) * backoff, most);
}

// E3 counts from the later of sending the own block and completing the round. There is no clock, so
// the wait is measured in parts of it.
void Dag::State::watch_round(Fx& fx) {
  const Round cur = own ? own->round() : Round{0};
  if (timer_for == cur || !complete(cur)) return;
  timer_for = cur;
  parts_waited = 0;
  const NodeId leader = schedule.leader(cur);
  const bool hopeless = suspected(leader, cur) && leader != config.self;
  waits_in_full = !hopeless;
  part = hopeless ? 0 : patience() / kParts;
  fx.push(ArmTimer{{kRoundTimer, {}}, Delay{part}});
}

void Dag::State::waited_on(Fx& fx) {
  if (timer_for != (own ? own->round() : Round{0})) return;
  ++parts_waited;
  if (waits_in_full && parts_waited < kParts) {
    fx.push(ArmTimer{{kRoundTimer, {}}, Delay{part}});
    return;
  }
  timed_out = true;
  ++stats.timeouts;
  progress(fx);
}

// P2. How long the leader of round `left`, which came, was waited for.
void Dag::State::learn_gap(Round left) {
  if (left.value == 0 || config.rules.coin || leader_block(left) == nullptr) return;
  const NodeId leader = schedule.leader(left);
  if (leader == config.self) return;
  const std::uint64_t measured = timer_for == left ? parts_waited * part : 0;
  std::optional<std::uint64_t>& gap = peers[leader.value].gap;
  gap = gap ? std::max(measured, *gap / 2) : measured;
}

// P4. Only how long to wait depends on this, never what is safe.
bool Dag::State::suspected(NodeId leader, Round r) const {
  const Peer& peer = peers[leader.value];
  if (peer.muted) return true;
  if (r.value < 2) return false;
  const std::uint64_t back = std::min(peer.silence, r.value - 1);
  for (std::uint64_t k = 0; k <= back; ++k) {
    if (store.first(Round{r.value - k}, leader) != nullptr) return false;
  }
  return true;
}

// Round `left` is over: what did this node not wait for any longer?
void Dag::State::note_missed(Round left) {
  if (left.value == 0 || config.rules.coin) return;
  const bool waited = timed_out && waits_in_full;
  if (leader_block(left) == nullptr) {
    missed[left] = {schedule.leader(left), true, false, waited};
  }
  const Round slot{left.value - 1};
  const auto& all = store.candidates(slot);
  const bool proved =
      std::any_of(all.begin(), all.end(), [](const Candidate& c) { return c.evidence; });
  if (slot > store.floor() && !proved && !certification_impossible(slot)) {
    Missed& m = missed[slot];
    m.leader = schedule.leader(slot);
    m.proof = true;
    m.waited |= waited;
  }
  while (missed.size() > kMissedSlots) missed.erase(missed.begin());
}

// P3. What was given up came after all. That shows what silence does not: this node went on too
// early. For one leader it is a reason to wait longer for it; patience was too short for all when
// it happened with kValidity of them, since one of those is correct, or while nothing was committed
// directly for many rounds.
void Dag::State::came_late(Round slot, bool proof) {
  const auto it = missed.find(slot);
  if (it == missed.end() || !(proof ? it->second.proof : it->second.block)) return;
  const Missed m = it->second;
  (proof ? it->second.proof : it->second.block) = false;
  if (!it->second.proof && !it->second.block) missed.erase(it);
  Peer& leader = peers[m.leader.value];
  if (!proof) {
    leader.silence = std::min<std::uint64_t>(leader.silence * 2, config.limits.window);
  }
  if (!m.waited) return;
  const std::uint64_t longer = std::max(leader.gap.value_or(0), patience()) * 3 / 2;
  if (!proof) leader.gap = std::min(longer, config.timeout.value);
  late.insert(m.leader);
  const bool for_long = slot.value > commits_since.value + kLongWithout * config.committee.size();
  if (late.size() < config.committee.at_least(kValidity) && !for_long) return;
  late = {};
  commits_since = slot;
  backoff = std::min(backoff * 2, kLargestBackoff);
}

}  // namespace thresher::dag
