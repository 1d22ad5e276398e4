// The rules that ship are those that are proved: the compiler checks it, for every committee.
#include "thresher/protocols/dag/legal.hpp"

#include "../every_committee.hpp"

namespace thresher::dag {
namespace {

constexpr bool proved_for_every_committee(const Rules& rules) {
  return for_every_committee(
      [&](const Committee& committee) { return broken_hypothesis(rules, committee).empty(); });
}

static_assert(proved_for_every_committee(Rules::thresher()));
static_assert(proved_for_every_committee(Rules::mysticeti()));
static_assert(proved_for_every_committee(Rules::mysticeti_bitmap()));

}  // namespace
}  // namespace thresher::dag
