// The rules that ship as safe are those that are proved: the compiler checks it, for every
// committee.
#include "thresher/protocols/certified/legal.hpp"

namespace thresher::certified {
namespace {

constexpr bool proved_for_every_committee(const Rules& rules) {
  for (std::uint32_t n = 1; n <= Committee::kMaxSize; ++n) {
    if (!broken_hypothesis(rules, *Committee::of(n)).empty()) return false;
  }
  // Fewer faults than n allows, as a genesis may say.
  for (std::uint32_t n = 1; n <= 64; ++n) {
    for (std::uint32_t f = 0; f <= (n - 1) / 3; ++f) {
      if (!broken_hypothesis(rules, *Committee::make(n, f)).empty()) return false;
    }
  }
  return true;
}

static_assert(proved_for_every_committee(Rules::bullshark()));
static_assert(proved_for_every_committee(Rules::anchored_bullshark()));
static_assert(proved_for_every_committee(Rules::anchored_bullshark(0)));

}  // namespace
}  // namespace thresher::certified
