// Approximate agreement under the harness; the subject judges validity and how near outputs are.
#include <gtest/gtest.h>

#include "../../campaigns.hpp"

namespace thresher {
namespace {

namespace harness = ::thresher::testing;

const std::vector<harness::Property>& promised() {
  static const std::vector<harness::Property> all{harness::integrity(), harness::totality()};
  return all;
}

harness::Options options_of(std::uint64_t runs) {
  harness::Options o = campaign(runs, {4, 5, 6, 7, 9});
  o.base.workload = {.kind = sim::Workload::Kind::kOpen,
                     .interval = 20 * sim::kUnit,
                     .requests = 200,
                     .liars_interval = 5 * sim::kUnit};
  o.base.stop.time = 100 * sim::kUnit;
  o.menu = sim::menu_of("approximate-agreement");
  return o;
}

TEST(Approximate, KeepTheirPromisesUnderDrawnSchedules) {
  play("approximate-agreement", promised(), options_of(30));
}
TEST(Approximate, KeepTheirPromisesInTheEventsEngine) {
  play("approximate-agreement", promised(), in_the_events_engine(options_of(20)));
}
TEST(Approximate, KeepTheirPromisesWhenMessagesAreLost) {
  play("approximate-agreement", promised(), with_losses(options_of(20)));
}

}  // namespace
}  // namespace thresher
