// The rules that ship are those that are proved: the compiler checks it, for every committee.
#include "thresher/protocols/dag/legal.hpp"

#include "../every_committee.hpp"
#include "thresher/protocols/dag/two_delay.hpp"

namespace thresher::dag {
namespace {

constexpr bool proved_for_every_committee(const Rules& rules) {
  return for_every_committee(
      [&](const Committee& committee) { return broken_hypothesis(rules, committee).empty(); });
}

static_assert(proved_for_every_committee(Rules::thresher()));
static_assert(proved_for_every_committee(Rules::mysticeti()));
static_assert(proved_for_every_committee(Rules::mysticeti_bitmap()));

// With every p that a committee allows; and a leader never waits for more than can be waited for.
constexpr bool two_delays_proved(const Committee& committee) {
  for (std::uint32_t p = 0; p <= most_absent(committee); ++p) {
    const auto rules = with_two_delays(Rules::thresher(), committee, p);
    if (!rules || !broken_hypothesis(*rules, committee).empty()) return false;
    if (committee.at_least(rules->dense) > committee.at_least(kAvailability)) return false;
    if (committee.at_least(rules->blames) > committee.size()) return false;
  }
  return true;
}
static_assert(for_every_committee(two_delays_proved));

}  // namespace
}  // namespace thresher::dag
