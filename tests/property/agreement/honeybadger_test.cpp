// The order of common subsets under the harness: drawn faults, delays, partitions and schedulers.
#include <gtest/gtest.h>

#include "../../campaigns.hpp"

namespace thresher {
namespace {

namespace harness = ::thresher::testing;

const std::vector<harness::Property>& promised() {
  static const std::vector<harness::Property> all{
      harness::agreement(),       harness::prefix_order(), harness::integrity(),
      harness::validity(),        harness::totality(),     harness::once(),
      harness::bounded_liveness()};
  return all;
}

harness::Options options_of(std::uint64_t runs) {
  harness::Options o = campaign(runs, {4, 5, 6, 7, 9});
  o.base.workload = {.kind = sim::Workload::Kind::kOpen,
                     .interval = 10 * sim::kUnit,
                     .liars_interval = 3 * sim::kUnit};
  o.base.stop.time = 60 * sim::kUnit;
  o.menu = sim::menu_of("honeybadger");
  return o;
}

TEST(HoneyBadgers, KeepTheirPromisesUnderDrawnSchedules) {
  play("honeybadger", promised(), options_of(30));
}

TEST(HoneyBadgers, KeepTheirPromisesInTheEventsEngine) {
  play("honeybadger", promised(), in_the_events_engine(options_of(20)));
}

TEST(HoneyBadgers, KeepTheirPromisesWhenMessagesAreLost) {
  play("honeybadger", promised(), with_losses(options_of(20)));
}

// Small windows and histories: nodes cut off or restarted take slots from others and
// join.
TEST(HoneyBadgers, KeepTheirPromisesWithLittleRoom) {
  harness::Options o = options_of(20);
  o.first_seed = 300'000;
  o.base.parameters["window"] = std::int64_t{8};
  o.base.workload.interval = 4 * sim::kUnit;
  play("honeybadger", promised(), o);
}

// Encrypted batches: shares of decryptions are forged, lost, withheld, and asked for again.
harness::Options encrypted(harness::Options o, const char* coin) {
  o.base.parameters["encrypt"] = std::string("on");
  o.base.parameters["coin"] = std::string(coin);
  return o;
}

TEST(HoneyBadgers, KeepTheirPromisesEncrypted) {
  play("honeybadger", promised(), encrypted(options_of(20), "ideal"));
}

TEST(HoneyBadgers, KeepTheirPromisesEncryptedInTheEventsEngine) {
  play("honeybadger", promised(), encrypted(in_the_events_engine(options_of(20)), "ideal"));
}

TEST(HoneyBadgers, KeepTheirPromisesEncryptedWhenMessagesAreLost) {
  play("honeybadger", promised(), encrypted(with_losses(options_of(20)), "ideal"));
}

TEST(HoneyBadgers, KeepTheirPromisesEncryptedWithLittleRoom) {
  harness::Options o = options_of(20);
  o.first_seed = 300'000;
  o.base.parameters["window"] = std::int64_t{8};
  o.base.workload.interval = 4 * sim::kUnit;
  play("honeybadger", promised(), encrypted(o, "ideal"));
}

TEST(HoneyBadgers, KeepTheirPromisesEncryptedForReal) {
  harness::Options o = options_of(4);
  o.first_seed = 400'000;
  o.sizes = {4, 7};
  play("honeybadger", promised(), encrypted(o, "threshold"));
}

}  // namespace
}  // namespace thresher
