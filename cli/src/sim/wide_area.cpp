#include "wide_area.hpp"

#include <algorithm>
#include <cmath>

#include "thresher/sim/outcome.hpp"
#include "thresher/sim/results.hpp"
#include "thresher/sim/statistics.hpp"
#include "thresher/sim/told.hpp"

namespace thresher::cli {
namespace {

constexpr std::uint32_t kRequest = 512;  // bytes
constexpr std::uint32_t kBlockBytes = 256 * 1024;
constexpr double kLeastInterval = 5;  // ms between two bursts at a node

// As many requests at once as keep bursts apart, and the time between them that gives the load.
void set_load(text::Value& workload, std::uint32_t n, std::uint64_t load) {
  const double each_ms = static_cast<double>(load) / n / 1000;
  const double burst = std::max(1.0, std::ceil(each_ms * kLeastInterval));
  const double interval = std::round(burst / each_ms * 1000) / 1000;
  workload.set("kind", "open").set("burst", static_cast<std::uint64_t>(burst));
  workload.set("interval", interval).set("bytes", kRequest);
}

std::uint32_t block_bytes_of(const std::string& protocol) {
  const sim::ProtocolInfo* info = sim::simulated_protocol(protocol);
  return info != nullptr && info->largest_payload != 0
             ? std::min(info->largest_payload, kBlockBytes)
             : kBlockBytes;
}

double ms(sim::Ticks ticks) {
  return static_cast<double>(ticks) / sim::kUnit;
}

void note_latencies(const std::vector<sim::Ticks>& all, WanRow& out) {
  if (all.empty()) return;
  std::vector<double> sorted;
  for (const sim::Ticks t : all) sorted.push_back(ms(t));
  std::sort(sorted.begin(), sorted.end());
  for (const double t : sorted) out.mean_ms += t / static_cast<double>(sorted.size());
  out.p50_ms = sim::percentile(sorted, 0.5);
  out.p99_ms = sim::percentile(sorted, 0.99);
}

void note_bytes(const sim::Outcome& o, std::uint32_t n, WanRow& out) {
  double bytes = 0;
  for (const sim::SentKind& kind : o.sent) {
    bytes += static_cast<double>(kind.bytes);
    if (kind.label == "block" && kind.messages > 0)
      out.header_bytes =
          static_cast<double>(kind.bytes - kind.payload_bytes) / static_cast<double>(kind.messages);
  }
  const double ordered = out.per_second * ms(o.time) / 1000 * kRequest;
  if (ordered > 0) out.bytes_ratio = bytes / n / ordered;
}

}  // namespace

const char* name_of(WanPart part) {
  return part == WanPart::kSizes ? "sizes" : part == WanPart::kLoads ? "loads" : "crash";
}

std::vector<WanRun> wan_runs(const WanPlan& plan) {
  std::vector<WanRun> out;
  for (const WanPart part : plan.parts) {
    for (const std::string& protocol : plan.protocols) {
      if (part == WanPart::kCrash) out.push_back({part, protocol, plan.crash_n, plan.load});
      if (part == WanPart::kSizes) {
        for (const std::uint32_t n : plan.sizes) out.push_back({part, protocol, n, plan.load});
      }
      if (part == WanPart::kLoads) {
        for (const std::uint64_t load : plan.loads)
          out.push_back({part, protocol, plan.load_n, load});
      }
    }
  }
  return out;
}

text::Value wan_file(const WanRun& run, const WanPlan& plan) {
  text::Value name;
  name.set("name", run.protocol);
  text::Value committee;
  committee.set("n", run.n);
  text::Value card;
  card.set("mbit_per_s", 1000);
  text::Value network;
  network.set("wan", plan.wan).set("nic", std::move(card));
  text::Value costs;
  costs.set("sign_us", 25).set("verify_us", 10).set("hash_us_per_kb", 1);
  text::Value workload;
  set_load(workload, run.n, run.load);
  workload.set("block_bytes", block_bytes_of(run.protocol));
  text::Value faults = text::Value::list();
  std::uint64_t time = plan.virtual_ms;
  if (run.part == WanPart::kCrash) {
    text::Value who = text::Value::list();
    for (std::uint32_t i = 0; i < (run.n - 1) / 3; ++i) who.push(i);
    text::Value crash;
    crash.set("who", std::move(who)).set("what", "crash").set("from", plan.virtual_ms);
    faults.push(std::move(crash));
    time *= 2;
  }
  text::Value stop;
  stop.set("time", time);
  text::Value out;
  out.set("schema", 1).set("protocol", std::move(name)).set("committee", std::move(committee));
  out.set("engine", "events").set("network", std::move(network)).set("costs", std::move(costs));
  out.set("workload", std::move(workload)).set("faults", std::move(faults));
  out.set("stop", std::move(stop)).set("seed", plan.seed);
  return out;
}

Result<WanRow, Error> measure(const WanRun& run, const WanPlan& plan) {
  const auto cells = sim::read_experiments(
      text::write(wan_file(run, plan)),
      {.file = run.protocol, .overrides = plan.overrides, .protocols = sim::simulated_protocols()});
  if (!cells) return cells.error().front();
  const sim::Outcome o = sim::simulate(cells->front().experiment, {});
  WanRow out;
  out.run = run;
  out.verdict = sim::told_as(o);
  out.per_second = o.throughput.per_second;
  out.backlog = o.throughput.backlog;
  out.gap_ms = ms(o.commits.longest_gap.value_or(o.time));
  if (!o.commits.first_after.empty())
    out.first_ms = ms(o.commits.first_after.front().after.value_or(o.time));
  note_latencies(o.latencies, out);
  note_bytes(o, run.n, out);
  out.cpu_s = o.cpu_s;
  return out;
}

}  // namespace thresher::cli
