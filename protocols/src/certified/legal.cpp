// The rules that ship as safe are those that are proved: the compiler checks it, for every
// committee.
#include "thresher/protocols/certified/legal.hpp"

#include "../every_committee.hpp"

namespace thresher::certified {
namespace {

constexpr bool proved_for_every_committee(const Rules& rules) {
  return for_every_committee(
      [&](const Committee& committee) { return broken_hypothesis(rules, committee).empty(); });
}

static_assert(proved_for_every_committee(Rules::bullshark()));
static_assert(proved_for_every_committee(Rules::anchored_bullshark()));
static_assert(proved_for_every_committee(Rules::anchored_bullshark(0)));

}  // namespace
}  // namespace thresher::certified
