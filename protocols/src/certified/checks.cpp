#include "checks.hpp"

#include "thresher/core/assert.hpp"

namespace thresher::certified {

Checks::Checks(const Committee& committee, NodeId self, const Limits& limits)
    : self_(self),
      most_(limits.checks_per_peer),
      of_an_answer_(limits.give_vertices),
      of_(committee.size()) {}

bool Checks::room(const Check& check) const {
  const std::uint32_t most = most_ + (check.answer ? of_an_answer_ : 0);
  return check.from == self_ || of_[check.from.value] < most;
}

void Checks::keep(Check&& check, std::uint64_t first, std::uint64_t verdicts) {
  THRESHER_ASSERT(room(check), "what a peer can have checked is bounded");
  THRESHER_ASSERT(verdicts > 0, "a check awaits a verdict");
  ++of_[check.from.value];
  const auto [it, fresh] = pending_.try_emplace(first);
  THRESHER_ASSERT(fresh, "no two tickets are alike");
  Pending& one = it->second;
  if (check.kind == Check::Kind::kVotes) one.so_far.good.assign(verdicts, false);
  one.so_far.what = std::move(check);
  one.asked = one.left = verdicts;
}

std::optional<Checks::Concluded> Checks::verdict(std::uint64_t ticket, bool ok) {
  auto it = pending_.upper_bound(ticket);
  if (it == pending_.begin()) return std::nullopt;
  --it;
  Pending& one = it->second;
  const std::uint64_t index = ticket - it->first;
  if (index >= one.asked) return std::nullopt;
  if (!ok) ++one.so_far.bad;
  if (!one.so_far.good.empty()) one.so_far.good[index] = ok;
  if (--one.left > 0) return std::nullopt;
  std::optional<Concluded> out(std::move(one.so_far));
  pending_.erase(it);
  std::uint32_t& pending = of_[out->what.from.value];
  THRESHER_ASSERT(pending > 0, "what is concluded was pending");
  --pending;
  return out;
}

}  // namespace thresher::certified
