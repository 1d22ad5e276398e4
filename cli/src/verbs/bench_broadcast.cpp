#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "../json.hpp"
#include "../output_file.hpp"
#include "../protocol_table.hpp"
#include "../text.hpp"
#include "thresher/protocols/broadcast/chained_echo.hpp"
#include "thresher/sim/report.hpp"
#include "thresher/sim/results.hpp"

namespace thresher::cli {
namespace {

struct Args {
  std::string only;
  std::uint64_t most_nodes = 100;
  std::uint64_t most_bytes = 1 << 20;
  std::string chart;
  bool json = false;
};

struct Row {
  std::string protocol;
  std::uint32_t n = 0;
  std::uint32_t f = 0;
  std::uint32_t c = 0;  // of chained-echo
  std::uint32_t bytes = 0;
  double messages = 0;  // of an instance
  double sent = 0;      // bytes of an instance
  double delay = 0;     // rounds until half of the instances were delivered
  double last = 0;      // and all
};

constexpr std::uint32_t kNodes[] = {4, 16, 64, 100};
constexpr std::uint32_t kBytes[] = {32, 1 << 10, 32 << 10, 1 << 20};
/// Long enough for every repetition that follows a burst, in rounds; Delta is two.
constexpr sim::Ticks kUntil = 60 * sim::kUnit;

// One origin, a burst of instances, all of them on the way at once.
sim::Experiment burst(const sim::ProtocolInfo& info, std::uint32_t n, std::uint32_t bytes) {
  sim::Experiment e;
  e.protocol = info.name;
  e.n = n;
  e.f = info.faults_of(n);
  // As far as its origin has room for them: fragments of an instance take up to 8 |m|. A stream
  // needs more instances than the others, where a few are as good as many.
  const bool coded = info.most_nodes != 0;
  const std::uint64_t room =
      std::max<std::uint64_t>(1, ChainedEcho::Config{}.origin_bytes / 2 / bytes / (coded ? 8 : 1));
  const std::uint64_t instances =
      std::min<std::uint64_t>(info.name == ChainedEcho::kName ? 64 : 8, room);
  e.workload = {.clients = instances, .bytes = bytes, .requests = instances};
  e.stop.time = kUntil;
  return e;
}

Row measure(const sim::ProtocolInfo& info, std::uint32_t n, std::uint32_t bytes) {
  sim::Experiment e = burst(info, n, bytes);
  Row row{.protocol = info.name, .n = n, .f = e.f, .bytes = bytes};
  if (info.name == ChainedEcho::kName) {
    // As many speakers as the payload pays for: 10 % are 80 bytes for each.
    row.c = std::clamp(bytes / 800, 1u, std::max(1u, n / 4));
    e.parameters["c"] = std::int64_t{row.c};
  }
  const sim::Outcome o = sim::simulate(e, {});
  const auto instances = static_cast<double>(e.workload.requests);
  row.messages = static_cast<double>(o.messages) / instances;
  row.sent = static_cast<double>(o.bytes) / instances;
  std::vector<sim::Ticks> latencies = o.latencies;
  std::sort(latencies.begin(), latencies.end());
  if (latencies.size() == e.workload.requests) {
    row.delay = static_cast<double>(latencies[latencies.size() / 2]) / sim::kUnit;
    row.last = static_cast<double>(latencies.back()) / sim::kUnit;
  }
  return row;
}

// The origin's own copy travels nowhere.
double factor(const Row& r) {
  return r.sent / (static_cast<double>(r.n) * r.bytes);
}

void print(const Args& a, const Row& r) {
  if (a.json) {
    Json out;
    out.set("protocol", r.protocol).set("n", std::uint64_t{r.n}).set("f", std::uint64_t{r.f});
    out.set("c", std::uint64_t{r.c}).set("payload_bytes", std::uint64_t{r.bytes});
    out.set("messages", r.messages).set("bytes", r.sent).set("bytes_per_n_m", factor(r));
    out.set("median_delays", r.delay).set("last_delays", r.last);
    return out.print();
  }
  const std::string name = r.protocol + (r.c == 0 ? "" : " c=" + std::to_string(r.c));
  std::printf("%-20s %4u %3u %8u %10.1f %12.0f %10.3f %7.1f %7.1f\n", name.c_str(), r.n, r.f,
              r.bytes, r.messages, r.sent, factor(r), r.delay, r.last);
  (void)std::fflush(stdout);
}

std::string problem_of(const Args& a) {
  if (std::string why = a.only.empty() ? "" : no_broadcast(a.only); !why.empty()) return why;
  if (a.most_nodes < kNodes[0]) return "--nodes must be at least " + std::to_string(kNodes[0]);
  if (a.most_bytes < kBytes[0]) return "--bytes must be at least " + std::to_string(kBytes[0]);
  return {};
}

// Bytes of an instance over n |m|, by |m|, at the largest n.
std::string save_chart(const std::string& path, const std::vector<Row>& rows) {
  const std::uint32_t n = rows.empty() ? 0 : rows.back().n;
  sim::Chart chart{"Bytes of an instance, n = " + std::to_string(n),
                   "log2 of |m| in bytes",
                   "bytes over n |m|, log2",
                   {}};
  for (const Row& r : rows) {
    if (r.n != n) continue;
    if (chart.series.empty() || chart.series.back().name != r.protocol)
      chart.series.push_back({r.protocol, {}});
    chart.series.back().points.push_back({std::log2(r.bytes), std::log2(factor(r))});
  }
  const auto saved = sim::save_file(path, sim::chart_file(chart));
  return saved ? std::string() : saved.error().text();
}

int run(const Args& a) {
  std::vector<const sim::ProtocolInfo*> shelf;
  for (const sim::ProtocolInfo& info : sim::simulated_protocols()) {
    if (info.kind != "broadcast") continue;
    if (a.only.empty() || a.only == info.name) shelf.push_back(&info);
  }
  if (const std::string problem = problem_of(a); !problem.empty()) return fail(kUsage, problem);
  if (const std::string problem = output_problem("--chart", a.chart); !problem.empty())
    return fail(kUsage, problem);
  if (!a.json) {
    std::printf("%-20s %4s %3s %8s %10s %12s %10s %7s %7s\n", "protocol", "n", "f", "|m|",
                "messages", "bytes", "/(n |m|)", "median", "last");
  }
  std::vector<Row> rows;
  for (const sim::ProtocolInfo* info : shelf) {
    for (const std::uint32_t n : kNodes) {
      for (const std::uint32_t bytes : kBytes) {
        if (n > a.most_nodes || bytes > a.most_bytes) continue;
        rows.push_back(measure(*info, n, bytes));
        print(a, rows.back());
      }
    }
  }
  if (a.chart.empty()) return kDone;
  std::stable_sort(rows.begin(), rows.end(), [](const Row& x, const Row& y) { return x.n < y.n; });
  const std::string problem = save_chart(a.chart, rows);
  return problem.empty() ? kDone : fail(kUsage, problem);
}

}  // namespace

Verb make_bench_broadcast() {
  auto a = std::make_shared<Args>();
  return {
      {"bench", "broadcast"},
      "Messages, bytes and delays of an instance of every reliable broadcast, in the simulator. "
      "Example: thresher bench broadcast --nodes 16 --bytes 1024",
      {{"--only", "one broadcast by name", &a->only},
       {"--nodes", "leave out larger committees", &a->most_nodes},
       {"--bytes", "leave out larger payloads", &a->most_bytes},
       {"--chart", "write a picture to this SVG file", &a->chart},
       {"--json", "an object a row", &a->json}},
      [a] { return run(*a); }};
}

}  // namespace thresher::cli
