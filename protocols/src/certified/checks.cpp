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

void Checks::keep(Check check, std::uint64_t first, std::uint64_t verdicts) {
  THRESHER_ASSERT(room(check), "what a peer can have checked is bounded");
  THRESHER_ASSERT(verdicts > 0, "a check awaits a verdict");
  ++of_[check.from.value];
  Pending one{std::move(check), verdicts, verdicts, 0, {}};
  if (one.what.kind == Check::Kind::kVotes) one.good.assign(verdicts, false);
  const bool fresh = pending_.emplace(first, std::move(one)).second;
  THRESHER_ASSERT(fresh, "no two tickets are alike");
}

std::optional<Checks::Concluded> Checks::verdict(std::uint64_t ticket, bool ok) {
  auto it = pending_.upper_bound(ticket);
  if (it == pending_.begin()) return std::nullopt;
  --it;
  Pending& one = it->second;
  const std::uint64_t index = ticket - it->first;
  if (index >= one.asked) return std::nullopt;
  if (!ok) ++one.bad;
  if (!one.good.empty()) one.good[index] = ok;
  if (--one.left > 0) return std::nullopt;
  Concluded out{std::move(one.what), one.bad, std::move(one.good)};
  pending_.erase(it);
  THRESHER_ASSERT(of_[out.what.from.value] > 0, "what is concluded was pending");
  --of_[out.what.from.value];
  return out;
}

}  // namespace thresher::certified
