// When a run stops, and what it looks at now and then until it does.
#include <algorithm>
#include <optional>
#include <string>

#include "run/run.hpp"

namespace thresher::sim {
namespace {

constexpr Ticks kBoundsEvery = 16;  // units

}  // namespace

Ticks Run::longest() const {
  return std::max({kUnit, world_.links().slowest(), experiment_.network.delta});
}
Ticks Run::quiet_from() const {
  return std::max(world_.links().quiet_from(), world_.faults().quiet_from());
}

Ticks Run::bound() const {
  return experiment_.oracles.liveness.value_or(promised_);
}

Ticks Run::promised() const {
  if (traits_.heals) {
    std::uint64_t most = 0;
    std::uint64_t first = 0;
    std::uint64_t last = kNone;
    for (std::uint32_t i = 0; i < experiment_.n; ++i) {
      const NodeId id = node_id(i);
      // Before the start nobody is up, and all that are correct will be.
      if (!world_.correct(id) || (!world_.up(id) && world_.now() != 0)) continue;
      most = std::max(most, insight_.heals_within(id));
      first = std::max(first, insight_.reached(id));
      last = std::min(last, insight_.reached(id));
    }
    if (last < first) most += insight_.catches_up_within(first - last);
    return std::max<std::uint64_t>(most, 1) * longest();
  }
  if (const auto patience = insight_.patience(experiment_)) return std::max(longest(), *patience);
  return 64 * longest();
}

void Run::note_calm() {
  if (calm_ || now_ < quiet_from()) return;
  calm_ = true;
  promised_ = promised();
  judge_.allow(bound());
}

Ticks Run::limit() const {
  const Stop& stop = experiment_.stop;
  Ticks limit = kNone;
  if (stop.time) limit = *stop.time;
  if (stop.rounds && !traits_.counts_rounds) limit = std::min(limit, *stop.rounds * kUnit);
  if (limit != kNone) return limit;
  if (stop.rounds)
    return quiet_from() + (*stop.rounds + 2) * std::max(64 * longest(), judge_.bound());
  if (stop.decisions) return quiet_from() + (*stop.decisions + 2) * judge_.bound();
  return 30 * kUnit;
}

bool Run::timed() const {
  const Stop& stop = experiment_.stop;
  return stop.time || (stop.rounds && !traits_.counts_rounds) || (!stop.rounds && !stop.decisions);
}

bool Run::stopped() {
  if (now_ < next_check_) return false;
  next_check_ = now_ + kUnit;
  memory_.sample();
  look_at_held();
  if (done_ppm_ != nullptr) tell_how_far();
  if (now_ / kUnit % kBoundsEvery == 0) {
    check_bounds();
    if (out_of_reach()) return true;
  }
  const Stop& stop = experiment_.stop;
  return (stop.rounds && traits_.counts_rounds && lowest_round() >= *stop.rounds) ||
         (stop.decisions && lowest_length() >= *stop.decisions);
}

// Within the bound it would have begun to catch up.
bool Run::out_of_reach() const {
  return !timed() && now_ > quiet_from() + bound() && !left_behind().empty();
}

bool Run::stopped_by(const Stop& stop) const {
  return (stop.rounds && lowest_round() >= *stop.rounds) ||
         (stop.decisions && lowest_length() >= *stop.decisions);
}

void Run::tell_how_far() const {
  const Stop& stop = experiment_.stop;
  double share = 0;
  const auto part = [&](std::uint64_t done, std::optional<std::uint64_t> goal) {
    if (goal) share = std::max(share, static_cast<double>(done) / static_cast<double>(*goal));
  };
  part(now_, stop.time);
  part(traits_.counts_rounds ? lowest_round() : now_ / kUnit, stop.rounds);
  part(lowest_length(), stop.decisions);
  done_ppm_->store(static_cast<std::uint32_t>(std::min(share, 1.0) * 1e6),
                   std::memory_order_relaxed);
}

void Run::look_at_held() {
  for (std::uint32_t i = 0; i < experiment_.n; ++i) {
    const auto held = insight_.held(node_id(i));
    if (!held) return;
    held_.resize(experiment_.n);
    held_[i] = std::max(held_[i], *held);
  }
}

void Run::check_bounds() {
  for (const NodeId id : correct_and_up()) {
    for (const Bound& b : insight_.bounds(id)) {
      note_fullest(b);
      if (b.held <= b.most) continue;
      judge_.violated("footprint", "node " + std::to_string(id.value) + " held " +
                                       std::to_string(b.held) + " " + std::string(b.what) +
                                       ", more than " + std::to_string(b.most));
    }
  }
}

void Run::note_fullest(const Bound& seen) {
  for (Bound& b : fullest_) {
    if (b.what != seen.what) continue;
    if (seen.held * b.most > b.held * seen.most) b = seen;
    return;
  }
  fullest_.push_back(seen);
}

std::uint64_t Run::lowest_round() const {
  std::uint64_t least = kNone;
  for (const NodeId id : correct_and_up()) least = std::min(least, insight_.round(id));
  return least == kNone ? 0 : least;
}

std::uint64_t Run::lowest_length() const {
  std::uint64_t least = kNone;
  for (const NodeId id : correct_and_up()) least = std::min(least, judge_.length(id));
  return least == kNone ? 0 : least;
}

}  // namespace thresher::sim
