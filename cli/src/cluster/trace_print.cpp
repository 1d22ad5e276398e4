#include "trace_print.hpp"

#include <algorithm>
#include <cstdio>

namespace thresher::cli {
namespace {

struct PerTransaction {
  std::string duty;
  double us = 0;
  double turns = 0;
};

// The time that no node counted is that of clients and of other threads.
std::vector<PerTransaction> per_transaction(const ClusterReport& r) {
  std::vector<PerTransaction> out;
  const double all = static_cast<double>(std::max<std::uint64_t>(1, r.committed));
  double rest = r.cpu_us_per_tx;
  for (const TraceTable::Use& use : r.trace->cpu) {
    out.push_back({use.duty, use.us / all, use.turns / all});
    rest -= use.us / all;
  }
  out.push_back({"elsewhere", std::max(rest, 0.0), 0});
  return out;
}

double share(const TraceTable& t, std::size_t step) {
  return t.latency.mean > 0 ? 100 * t.steps[step].mean / t.latency.mean : 0;
}

}  // namespace

void print_trace(const ClusterReport& report) {
  const TraceTable& t = *report.trace;
  std::printf("\nwhere the time of %llu transactions went (%llu are not known in full), in ms:\n",
              static_cast<unsigned long long>(t.transactions),
              static_cast<unsigned long long>(t.left_out));
  std::printf("  %-13s %8s %8s %8s %6s\n", "stage", "p50", "p99", "mean", "share");
  for (std::size_t s = 0; s < kSteps; ++s) {
    std::printf("  %-13s %8.2f %8.2f %8.2f %5.1f%%  %s\n", kStepNames[s].name, t.steps[s].p50,
                t.steps[s].p99, t.steps[s].mean, share(t, s), kStepNames[s].what);
  }
  std::printf("  %-13s %8.2f %8.2f %8.2f\n", "all", t.latency.p50, t.latency.p99, t.latency.mean);
  std::printf("blocks that waited for each other, in a row: p50 %.0f, p99 %.0f\n", t.blocks_p50,
              t.blocks_p99);
  std::printf("CPU of all nodes a transaction, in us (and how many times):\n");
  for (const PerTransaction& use : per_transaction(report)) {
    std::printf("  %-13s %9.1f", use.duty.c_str(), use.us);
    if (use.turns > 0) std::printf(" (%.2f)", use.turns);
    std::printf("\n");
  }
}

Json trace_json(const ClusterReport& report) {
  const TraceTable& t = *report.trace;
  const auto spread = [](Json& row, const Spread& s) {
    row.set("p50_ms", s.p50).set("p99_ms", s.p99).set("mean_ms", s.mean);
  };
  std::vector<Json> stages;
  for (std::size_t s = 0; s < kSteps; ++s) {
    Json& row = stages.emplace_back();
    row.set("stage", std::string(kStepNames[s].name)).set("what", std::string(kStepNames[s].what));
    spread(row, t.steps[s]);
    row.set("share_percent", share(t, s));
  }
  std::vector<Json> cpu;
  for (const PerTransaction& use : per_transaction(report)) {
    Json& row = cpu.emplace_back();
    row.set("duty", use.duty).set("us_per_tx", use.us).set("times_per_tx", use.turns);
  }
  Json latency;
  spread(latency, t.latency);
  Json out;
  out.set("transactions", t.transactions).set("left_out", t.left_out).set("latency", latency);
  out.set("blocks_in_a_row", Json().set("p50", t.blocks_p50).set("p99", t.blocks_p99));
  out.set("stages", stages).set("cpu", cpu);
  return out;
}

}  // namespace thresher::cli
