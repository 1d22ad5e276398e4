// What a run of the fuzzer costs: schedules of `thresher` in committees of 4 to 10 nodes, mock
// signatures, everything that `thresher sim fuzz` draws, one thread; one JSON object.
//
//   build/release/bin/bench_fuzz [RUNS [PROTOCOL]]    // 1400 runs, thresher
//
// A run is 100 rounds, as when a file says nothing. `hours_for_a_million` is on two cores.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "thresher/sim/fuzz.hpp"
#include "thresher/sim/measure.hpp"

namespace thresher::sim {
namespace {

constexpr std::uint64_t kRuns = 1400;
constexpr std::uint32_t kLeast = 4;
constexpr std::uint32_t kMost = 10;
constexpr std::uint64_t kRounds = 100;
constexpr double kMillion = 1e6;
constexpr double kCores = 2;
constexpr double kSecondsAnHour = 3600;

int bench(std::uint64_t runs, const std::string& protocol) {
  std::vector<Experiment> bases;
  for (std::uint32_t n = kLeast; n <= kMost; ++n) {
    Experiment e;
    e.protocol = protocol;
    e.n = n;
    e.f = (n - 1) / 3;
    e.stop.rounds = kRounds;
    bases.push_back(e);
  }
  FuzzOptions options;
  options.last = runs;
  options.menu = menu_of(protocol);
  const CpuClock clock;
  const auto report = fuzz(
      bases, [](const Experiment& e) { return simulate(e, {}); }, options);
  const double seconds = clock.seconds();
  if (!report) {
    (void)std::fprintf(stderr, "bench_fuzz: %s\n", report.error().text().c_str());
    return 1;
  }
  const double each = seconds / static_cast<double>(report->runs);
  std::printf("{\"protocol\": \"%s\", \"runs\": %" PRIu64 ", \"violated\": %" PRIu64
              ", \"no_progress\": %" PRIu64 ", \"messages\": %" PRIu64
              ", \"cpu_ms_a_run\": %.2f, \"hours_for_a_million\": %.2f}\n",
              protocol.c_str(), report->runs, report->violated, report->no_progress,
              report->messages, each * 1000, each * kMillion / kCores / kSecondsAnHour);
  return 0;
}

}  // namespace
}  // namespace thresher::sim

int main(int argc, char** argv) {
  const std::uint64_t runs = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0;
  return thresher::sim::bench(runs != 0 ? runs : thresher::sim::kRuns,
                              argc > 2 ? argv[2] : "thresher");
}
