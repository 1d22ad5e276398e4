#include "order_bench.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "thresher/net/genesis.hpp"
#include "thresher/sim/told.hpp"
#include "thresher/sim/wan.hpp"

namespace thresher::cli {
namespace {

constexpr std::uint64_t kRequests = 2;  // of a node, in flight
constexpr std::uint32_t kBytes = 256;
constexpr sim::Ticks kWanDelta = 200 * sim::kUnit;  // the longest way is shorter
constexpr sim::Ticks kWanTime = 12'000 * sim::kUnit;

sim::Experiment experiment_of(const sim::ProtocolInfo& protocol, const OrderSetting& s) {
  sim::Experiment e;
  e.protocol = protocol.name;
  e.n = s.n;
  e.f = protocol.faults_of(s.n);
  e.workload.clients = kRequests;
  e.workload.bytes = kBytes;
  e.stop.time = s.rounds * sim::kUnit;
  if (!s.wan.empty()) {
    e.engine = sim::Engine::kEvents;
    e.network.wan = s.wan;
    e.network.regions = sim::wan_table(s.wan)->regions;
    e.network.delta = kWanDelta;
    e.workload.clients = 1;
    e.workload.one_at_a_time = true;
    e.stop.time = kWanTime;
  }
  for (std::uint32_t k = 0; s.faults != OrderFaults::kNone && k < e.f; ++k) {
    const NodeId id{static_cast<std::uint16_t>(k * s.n / e.f)};
    const bool silent = s.faults == OrderFaults::kSilent;
    e.faults.push_back(
        {.who = {id}, .what = silent ? sim::FaultKind::kSilent : sim::FaultKind::kTwins});
  }
  return e;
}

double at_share(const std::vector<sim::Ticks>& sorted, double share) {
  if (sorted.empty()) return 0;
  const auto at = static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1));
  return static_cast<double>(sorted[at]) / sim::kUnit;
}

double signatures_of(sim::Experiment e) {
  e.signatures = sim::Signatures::kReal;
  for (const sim::Measure& m : sim::simulate(e, {}).measures) {
    if (m.name == "signatures_verified") return m.value;
  }
  return 0;
}

}  // namespace

std::string to_string(OrderFaults faults) {
  return faults == OrderFaults::kNone     ? "none"
         : faults == OrderFaults::kSilent ? "silent"
                                          : "twins";
}

// A node of a cluster runs exactly those that order.
std::vector<const sim::ProtocolInfo*> total_orders() {
  const std::vector<std::string>& names = net::node_protocols();
  std::vector<const sim::ProtocolInfo*> out;
  for (const sim::ProtocolInfo& p : sim::simulated_protocols()) {
    if (std::find(names.begin(), names.end(), p.name) != names.end()) out.push_back(&p);
  }
  return out;
}

bool bears(const sim::ProtocolInfo& protocol, OrderFaults faults) {
  return protocol.byzantine() || faults != OrderFaults::kTwins;
}

OrderRow measure_order(const sim::ProtocolInfo& protocol, const OrderSetting& setting) {
  const sim::Experiment e = experiment_of(protocol, setting);
  const sim::Outcome o = sim::simulate(e, {});
  OrderRow row{.protocol = protocol.name, .setting = setting, .f = e.f};
  row.verdict = o.oracle.empty() ? std::string(sim::told_as(o)) : o.oracle + ": " + o.why;
  std::vector<sim::Ticks> latencies = o.latencies;
  std::sort(latencies.begin(), latencies.end());
  row.ordered = latencies.size();
  row.median = at_share(latencies, 0.5);
  row.last = at_share(latencies, 0.99);
  const double each = std::max<double>(1, static_cast<double>(row.ordered));
  row.messages = static_cast<double>(o.messages) / each;
  row.bytes = static_cast<double>(o.bytes) / each;
  row.cpu_us = o.cpu_s * 1e6 / each;
  row.signatures = signatures_of(e) / each;
  const double units = static_cast<double>(o.time) / sim::kUnit;
  row.throughput = static_cast<double>(row.ordered) / (setting.wan.empty() ? units : units / 1000);
  return row;
}

}  // namespace thresher::cli
