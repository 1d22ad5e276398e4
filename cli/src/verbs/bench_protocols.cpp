#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "../cluster/cluster.hpp"
#include "../durations.hpp"
#include "../json.hpp"
#include "../output_file.hpp"
#include "../sim/order_bench.hpp"
#include "../text.hpp"
#include "thresher/core/names.hpp"
#include "thresher/sim/report.hpp"
#include "thresher/sim/results.hpp"
#include "thresher/sim/wan.hpp"

namespace thresher::cli {
namespace {

struct Args {
  std::string nodes = "4,16,64";
  std::string only;
  std::string faults = "none,silent,twins";
  std::string wan;
  std::string charts;
  std::uint64_t rounds = 200;
  std::uint64_t seconds = 5;
  bool sockets = false;
  bool json = false;
};

constexpr std::uint64_t kMostNodes = 256;
constexpr std::uint64_t kMostSockets = 64;  // processes on one machine

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> out(1);
  for (const char c : list) {
    if (c == ',') {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

std::optional<std::uint64_t> whole(const std::string& text) {
  const bool digits =
      !text.empty() && text.size() < 7 &&
      std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  return digits ? std::optional(std::stoull(text)) : std::nullopt;
}

/// What the options ask for; `problem` says what is wrong with them.
struct Plan {
  std::string problem;
  std::vector<std::uint32_t> nodes;
  std::vector<OrderFaults> faults;
  std::vector<const sim::ProtocolInfo*> protocols;
};

void plan_protocols(const Args& a, Plan& plan) {
  std::vector<std::string> known;
  for (const sim::ProtocolInfo* p : total_orders()) known.push_back(p->name);
  for (const sim::ProtocolInfo* p : total_orders()) {
    if (a.only.empty() || p->name == a.only) plan.protocols.push_back(p);
  }
  if (plan.protocols.empty())
    plan.problem = "--only: " + unknown_name("total order", a.only, known);
}

Plan plan_of(const Args& a) {
  Plan plan;
  plan_protocols(a, plan);
  for (const std::string& text : split(a.nodes)) {
    const auto n = whole(text);
    const std::uint64_t most = a.sockets ? kMostSockets : kMostNodes;
    if (!n || *n < 4 || *n > most) {
      plan.problem = "--n: '" + text + "' is no number from 4 to " + std::to_string(most) +
                     "; write a list such as 4,16";
      return plan;
    }
    plan.nodes.push_back(static_cast<std::uint32_t>(*n));
  }
  for (const std::string& name : split(a.faults)) {
    for (const OrderFaults f : {OrderFaults::kNone, OrderFaults::kSilent, OrderFaults::kTwins}) {
      if (to_string(f) == name) plan.faults.push_back(f);
    }
    if (name != "none" && name != "silent" && name != "twins")
      plan.problem = "--faults: " + unknown_name("fault", name, {"none", "silent", "twins"});
  }
  if (a.rounds < 10 || a.rounds > 10'000)
    plan.problem = "--rounds must be from 10 to 10000: fewer order nothing";
  if (a.wan.empty()) return plan;
  const sim::WanTable* table = sim::wan_table(a.wan);
  if (table == nullptr) {
    std::vector<std::string> names;
    for (const sim::WanTable& t : sim::wan_tables()) names.push_back(t.name);
    plan.problem = "--wan: " + unknown_name("table", a.wan, names);
  } else {
    plan.nodes = {static_cast<std::uint32_t>(table->regions.size())};
  }
  return plan;
}

void print(const Args& a, const OrderRow& r) {
  if (a.json) {
    Json out;
    out.set("protocol", r.protocol)
        .set("n", std::uint64_t{r.setting.n})
        .set("f", std::uint64_t{r.f});
    out.set("faults", to_string(r.setting.faults)).set("wan", r.setting.wan);
    out.set("verdict", r.verdict).set("ordered", r.ordered).set("median", r.median);
    out.set("p99", r.last).set("messages", r.messages).set("bytes", r.bytes);
    out.set("signatures", r.signatures).set("cpu_us", r.cpu_us).set("throughput", r.throughput);
    return out.print();
  }
  std::printf("| `%s` | %u | %s | %.1f | %.1f | %.0f | %.0f | %.1f | %.0f | %.2f |%s\n",
              r.protocol.c_str(), r.setting.n, to_string(r.setting.faults).c_str(), r.median,
              r.last, r.messages, r.bytes, r.signatures, r.cpu_us, r.throughput,
              r.verdict == "Pass" ? "" : (" " + r.verdict).c_str());
  (void)std::fflush(stdout);
}

struct Measure {
  const char* file;
  const char* title;
  const char* unit;
  double OrderRow::*value;
};
constexpr Measure kMeasures[] = {
    {"messages", "Messages for each request", "messages, log2", &OrderRow::messages},
    {"delays", "From submission to delivery, median", "delays, log2", &OrderRow::median},
};

// A run that ordered nothing has no points.
sim::Chart chart_of(const Measure& m, OrderFaults faults, const std::vector<OrderRow>& rows) {
  const std::string who = faults == OrderFaults::kNone     ? "nobody faulty"
                          : faults == OrderFaults::kSilent ? "f nodes silent"
                                                           : "f nodes are twins";
  sim::Chart chart{std::string(m.title) + ", " + who, "nodes, log2", m.unit, {}};
  for (const OrderRow& r : rows) {
    if (r.setting.faults != faults || r.ordered == 0) continue;
    auto at = std::find_if(chart.series.begin(), chart.series.end(),
                           [&](const auto& s) { return s.name == r.protocol; });
    if (at == chart.series.end()) at = chart.series.insert(at, {r.protocol, {}});
    at->points.push_back({std::log2(r.setting.n), std::log2(r.*m.value)});
  }
  return chart;
}

std::string chart_path(const std::string& folder, OrderFaults faults, const Measure& m) {
  return (std::filesystem::path(folder) / (to_string(faults) + "-" + m.file + ".svg")).string();
}

// Before runs that may take minutes each.
std::string charts_problem(const std::string& folder, const Plan& plan) {
  for (const OrderFaults faults : plan.faults) {
    for (const Measure& m : kMeasures) {
      std::string why = output_problem("--charts", chart_path(folder, faults, m));
      if (!why.empty()) return why;
    }
  }
  return {};
}

std::string save_charts(const std::string& folder, const Plan& plan,
                        const std::vector<OrderRow>& rows) {
  for (const OrderFaults faults : plan.faults) {
    for (const Measure& m : kMeasures) {
      const auto saved =
          sim::save_file(chart_path(folder, faults, m), sim::chart_file(chart_of(m, faults, rows)));
      if (!saved) return saved.error().text();
    }
  }
  return {};
}

int run_simulated(const Args& a, const Plan& plan) {
  if (!a.charts.empty()) {
    if (const std::string problem = charts_problem(a.charts, plan); !problem.empty())
      return fail(kUsage, problem);
  }
  if (!a.json) {
    std::printf(
        "| protocol | n | faulty | median %s | p99 | messages | bytes | signatures | CPU, us | "
        "requests a %s |\n|---|---|---|---|---|---|---|---|---|---|\n",
        a.wan.empty() ? "delays" : "ms", a.wan.empty() ? "delay" : "second");
  }
  std::vector<OrderRow> rows;
  for (const OrderFaults faults : plan.faults) {
    for (const std::uint32_t n : plan.nodes) {
      for (const sim::ProtocolInfo* p : plan.protocols) {
        if (!bears(*p, faults)) continue;
        rows.push_back(measure_order(*p, {n, faults, a.rounds, a.wan}));
        print(a, rows.back());
      }
    }
  }
  const bool good =
      std::all_of(rows.begin(), rows.end(), [](const OrderRow& r) { return r.verdict == "Pass"; });
  if (!a.charts.empty()) {
    if (const std::string problem = save_charts(a.charts, plan, rows); !problem.empty())
      return fail(kUsage, problem);
  }
  return good ? kDone : kNoProgress;
}

int run_on_loopback(const Args& a, const Plan& plan) {
  if (const std::string why = too_long("--seconds", a.seconds); !why.empty())
    return fail(kUsage, why);
  if (!a.json) {
    std::printf(
        "| protocol | n | transactions a second | p50 ms | p99 ms | CPU, us | bytes for each "
        "byte |\n|---|---|---|---|---|---|---|\n");
  }
  for (const std::uint32_t n : plan.nodes) {
    for (const sim::ProtocolInfo* p : plan.protocols) {
      ClusterOptions options;
      options.nodes = n;
      options.protocol = p->name;
      options.duration_us = a.seconds * 1'000'000;
      const ClusterReport r = run_temporary_cluster(options);
      if (r.interrupted) return kInterrupted;
      if (!r.problem.empty()) return fail(kFailed, p->name + ": " + r.problem);
      if (!r.agreement) return fail(kSafetyViolated, p->name + ": the logs differ");
      if (a.json) {
        Json out;
        out.set("protocol", p->name).set("n", std::uint64_t{n}).set("tx_per_s", r.tx_per_s);
        out.set("p50_ms", r.p50_ms).set("p99_ms", r.p99_ms).set("cpu_us_per_tx", r.cpu_us_per_tx);
        out.set("bytes_per_payload_byte", r.bytes_per_payload_byte).print();
      } else {
        std::printf("| `%s` | %u | %.0f | %.1f | %.1f | %.1f | %.1f |\n", p->name.c_str(), n,
                    r.tx_per_s, r.p50_ms, r.p99_ms, r.cpu_us_per_tx, r.bytes_per_payload_byte);
        (void)std::fflush(stdout);
      }
    }
  }
  return kDone;
}

}  // namespace

Verb make_bench_protocols() {
  auto a = std::make_shared<Args>();
  return {
      {"bench", "protocols"},
      "Every total order on one workload and one network: delays, messages, bytes, signatures, "
      "CPU and throughput. Example: thresher bench protocols --n 4,16 --faults none",
      {{"--n", "how many nodes, a list", &a->nodes},
       {"--only", "one protocol by name", &a->only},
       {"--faults", "of f nodes: none, silent, twins, a list", &a->faults},
       {"--rounds", "delays that a run takes", &a->rounds},
       {"--wan", "a table of round trips, one node in each region", &a->wan},
       {"--sockets", "real nodes on loopback in place of the simulator", &a->sockets},
       {"--seconds", "of load on each, with --sockets", &a->seconds},
       {"--charts", "write pictures of messages and delays, for each of --faults, to this folder",
        &a->charts},
       {"--json", "an object a row", &a->json}},
      [a] {
        const Plan plan = plan_of(*a);
        if (!plan.problem.empty()) return fail(kUsage, plan.problem);
        return a->sockets ? run_on_loopback(*a, plan) : run_simulated(*a, plan);
      },
      {{{"--faults", "--rounds", "--wan", "--charts"},
        [a] { return a->sockets; },
        "--sockets runs real nodes on loopback, all of them well, for --seconds each"},
       {{"--seconds"}, [a] { return !a->sockets; }, "--seconds goes with --sockets"},
       {{"--n"}, [a] { return !a->wan.empty(); }, "--wan has a node in each of its regions"}}};
}

}  // namespace thresher::cli
