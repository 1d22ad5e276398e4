// Rule events checked a second on one core: Bracha's broadcast, every node correct, instances
// interleaved as a running committee interleaves them.
//
//   build/release/bin/bench_conformance
#include <benchmark/benchmark.h>

#include "thresher/protocols/broadcast/bracha.hpp"
#include "thresher/verify/conformance.hpp"

namespace thresher {
namespace {

RuleLog trace(std::uint32_t n, std::uint64_t instances) {
  constexpr std::uint8_t kEchoRule = 0, kReadyRule = 1, kDeliverRule = 6;
  constexpr std::uint64_t kWindow = 64;
  RuleLog log;
  for (std::uint64_t first = 0; first < instances; first += kWindow) {
    for (const std::uint8_t rule : {kEchoRule, kReadyRule, kDeliverRule}) {
      for (std::uint64_t k = first; k < first + kWindow; ++k) {
        for (std::uint16_t i = 0; i < n; ++i) {
          RuleEvent e{.instance = k % n, .round = k / n, .node = NodeId{i}, .rule = rule};
          e.value = k;
          e.tally = rule == kEchoRule ? 0 : n;
          if (rule != kDeliverRule) e.said = k;
          log.add(e);
        }
      }
    }
  }
  return log;
}

void check_trace(benchmark::State& state) {
  const auto n = static_cast<std::uint32_t>(state.range(0));
  const RuleLog log = trace(n, 64 * 64);
  for (auto _ : state) {
    verify::Conformance check(bracha::kTable, *Committee::of(n), NodeSet(n));
    for (const RuleEvent& e : log.events) {
      if (const auto step = check.add(e); !step)
        return state.SkipWithError(step.error().text().c_str());
    }
    if (!check.finish(verify::Conformance::End::kSettled)) return state.SkipWithError("unfair");
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * log.events.size()));
}
BENCHMARK(check_trace)->Arg(4)->Arg(10)->Arg(100)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace thresher

BENCHMARK_MAIN();
