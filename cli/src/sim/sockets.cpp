#include "sockets.hpp"

#include <algorithm>
#include <cstdio>

#include "../json.hpp"
#include "../text.hpp"
#include "thresher/net/genesis.hpp"
#include "thresher/sim/told.hpp"
#include "thresher/sim/wan.hpp"

namespace thresher::cli {
namespace {

/// Virtual time that a prediction covers at most; what follows is more of the same.
constexpr sim::Ticks kPredicted = 2000 * sim::kUnit;
constexpr sim::Ticks kOffered = 5000 * sim::kUnit;

sim::Ticks offered_time(const sim::Experiment& e) {
  return e.stop.time.value_or(kOffered);
}

// As a user writes it after --set.
std::string text_of(const sim::Parameter& value) {
  if (const auto* words = std::get_if<std::string>(&value)) return *words;
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const auto* real = std::get_if<double>(&value)) return std::to_string(*real);
  return std::get<bool>(value) ? "true" : "false";
}

// What the experiment asks for besides the defaults of the simulated protocol and of the nodes.
std::vector<std::pair<std::string, std::string>> asked_for(const sim::Experiment& e) {
  std::vector<std::pair<std::string, std::string>> out;
  const sim::ProtocolInfo* info = sim::simulated_protocol(e.protocol);
  if (info == nullptr) return out;
  for (const sim::ParameterInfo& p : info->parameters) {
    const auto it = e.parameters.find(p.name);
    // Nodes have the real coin, whichever the prediction is made with.
    if (p.name == "coin") continue;
    if (it != e.parameters.end() && it->second != p.standard)
      out.emplace_back(p.name, text_of(it->second));
  }
  return out;
}

ClusterOptions cluster_of(const sim::Experiment& e) {
  ClusterOptions o;
  o.nodes = e.n;
  o.protocol = e.protocol;
  for (const auto& [name, value] : asked_for(e))
    o.set.push_back(std::string(name).append("=").append(value));
  o.duration_us = offered_time(e);  // a tick of the events engine is a microsecond
  o.tx_bytes = std::max<std::uint64_t>(8, e.workload.bytes);
  o.clients = 1;
  o.delay_us = e.network.delay.mean;
  o.window = e.workload.one_at_a_time ? 1 : std::max<std::uint64_t>(1, e.workload.clients * e.n);
  if (e.workload.kind == sim::Workload::Kind::kOpen) {
    const double requests = static_cast<double>(e.workload.burst) * e.n;
    o.rate = 1e6 * requests / static_cast<double>(std::max<sim::Ticks>(1, e.workload.interval));
    o.window = 16384;
  }
  for (const sim::FaultAction& f : e.faults) {
    for (const NodeId id : f.who) {
      o.events.push_back({id.value, f.from, false});
      if (f.to) o.events.push_back({id.value, *f.to, true});
    }
  }
  std::stable_sort(o.events.begin(), o.events.end(),
                   [](const auto& a, const auto& b) { return a.at_us < b.at_us; });
  return o;
}

struct Figures {
  double tx_per_s = 0;
  double p50_ms = 0;
  double p99_ms = 0;
};

Figures figures_of(const sim::Outcome& o, double seconds) {
  Figures f;
  if (o.latencies.empty()) return f;
  std::vector<sim::Ticks> sorted = o.latencies;
  std::sort(sorted.begin(), sorted.end());
  const auto at = [&](double share) {
    const auto rank = static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1));
    return static_cast<double>(sorted[rank]) / static_cast<double>(sim::kUnit);
  };
  f.tx_per_s = static_cast<double>(sorted.size()) / seconds;
  f.p50_ms = at(0.5);
  f.p99_ms = at(0.99);
  return f;
}

Json latency_json(double p50, double p99) {
  Json out;
  out.set("p50", p50).set("p99", p99);
  return out;
}

// Real nodes take f from how many they are, and a two-delay path has an f of its own.
bool asks_for_another_f(const sim::Experiment& e) {
  const sim::ProtocolInfo* info = sim::simulated_protocol(e.protocol);
  const auto asked = asked_for(e);
  const bool fast =
      info != nullptr && !info->two_delays.empty() &&
      std::ranges::any_of(asked, [&](const auto& one) { return one.first == info->two_delays; });
  return info != nullptr && !fast && e.f != info->faults_of(e.n);
}

}  // namespace

std::vector<std::string> sockets_problems(const sim::Experiment& e) {
  std::vector<std::string> out;
  const auto refuse = [&](bool wrong, const std::string& key, const std::string& why) {
    if (wrong) out.push_back(key + ": real nodes cannot be told so; " + why);
  };
  const auto& known = net::node_protocols();
  refuse(std::find(known.begin(), known.end(), e.protocol) == known.end(), "protocol.name",
         "nodes run those that `thresher protocols` lists for a cluster");
  for (const auto& [name, value] : asked_for(e)) {
    refuse(!net::check_parameter(e.protocol, name, value), "protocol." + name,
           "leave it at its default");
  }
  if (e.n > 64) {
    out.push_back("committee.n: " + std::to_string(e.n) +
                  " real nodes are too many for one machine; set 64 at most");
  }
  refuse(asks_for_another_f(e), "committee.f", "leave it at what so many nodes bear");
  refuse(e.network.topology != sim::Topology::kComplete, "network.topology", "use complete");
  refuse(e.network.delay.kind != sim::DelayLaw::Kind::kConstant, "network.delay.law",
         "use constant");
  refuse(!e.network.links.empty() || sim::table_of(e.network) != nullptr, "network.links",
         "every link has the same delay");
  refuse(e.network.loss_ppm + e.network.duplicate_ppm + e.network.reorder_ppm > 0, "network.loss",
         "TCP loses, doubles and reorders nothing");
  refuse(!e.network.partitions.empty() || e.network.nic_bits_per_s > 0 || e.network.gst > 0,
         "network.partitions", "the loopback network has no partitions, limits or GST");
  refuse(e.network.scheduler != sim::Network::Scheduler::kFair, "network.scheduler",
         "TCP keeps the order of a link; use fair");
  refuse(e.workload.kind == sim::Workload::Kind::kNone, "workload.kind", "use closed or open");
  refuse(e.workload.requests > 0, "workload.requests", "the load ends with stop.time");
  refuse(e.workload.block_bytes > 0, "workload.block_bytes", "they pack blocks as they do");
  for (std::size_t i = 0; i < e.faults.size(); ++i) {
    refuse(e.faults[i].what != sim::FaultKind::kCrash, "faults[" + std::to_string(i) + "].what",
           "use crash");
  }
  return out;
}

sim::Experiment simulated_side(const sim::Experiment& e) {
  sim::Experiment model = e;
  model.engine = sim::Engine::kEvents;
  model.stop = {};
  model.stop.time = std::min(offered_time(e), kPredicted);
  return model;
}

SocketsRun run_on_sockets(const sim::Experiment& e) {
  if (!e.stop.time) {
    (void)std::fprintf(stderr,
                       "note: real nodes count no rounds: the load lasts %.0f s; say how long with "
                       "stop.time\n",
                       static_cast<double>(kOffered) / 1e6);
  }
  SocketsRun run;
  const sim::Experiment model = simulated_side(e);
  run.predicted_s = static_cast<double>(*model.stop.time) / 1e6;
  run.predicted = sim::simulate(model, {});
  ClusterOptions options = cluster_of(e);
  run.measured = run_temporary_cluster(options);
  return run;
}

int print_sockets(const sim::Experiment& e, const SocketsRun& run, bool json) {
  const ClusterReport& m = run.measured;
  if (m.interrupted) return fail(kInterrupted, m.problem);
  if (!m.problem.empty()) return fail(kFailed, m.problem);
  const Figures p = figures_of(run.predicted, run.predicted_s);
  const char* verdict = !m.agreement ? "Violated" : m.stalled ? "NoProgress" : "Pass";
  if (json) {
    Json predicted;
    predicted.set("verdict", std::string(sim::told_as(run.predicted)));
    predicted.set("tx_per_s", p.tx_per_s).set("latency_ms", latency_json(p.p50_ms, p.p99_ms));
    Json measured;
    measured.set("tx_per_s", m.tx_per_s).set("latency_ms", latency_json(m.p50_ms, m.p99_ms));
    measured.set("committed_tx", m.committed).set("cpu_us_per_tx", m.cpu_us_per_tx);
    measured.set("bytes_per_payload_byte", m.bytes_per_payload_byte);
    measured.set("log_hash", m.log_hash).set("state_hash", m.state_hash);
    Json out;
    out.set("verdict", std::string(verdict)).set("engine", std::string("sockets"));
    out.set("protocol", e.protocol).set("nodes", std::uint64_t{e.n});
    out.set("predicted", predicted).set("measured", measured);
    out.print();
  } else {
    std::printf("%s: %s on %u real nodes, %llu transactions committed, logs %s\n", verdict,
                e.protocol.c_str(), e.n, static_cast<unsigned long long>(m.committed),
                m.agreement ? "equal" : "DIFFERENT");
    std::printf("%-26s %12s %12s\n", "", "predicted", "measured");
    std::printf("%-26s %12.1f %12.1f\n", "latency p50, ms", p.p50_ms, m.p50_ms);
    std::printf("%-26s %12.1f %12.1f\n", "latency p99, ms", p.p99_ms, m.p99_ms);
    std::printf("%-26s %12.0f %12.0f\n", "transactions a second", p.tx_per_s, m.tx_per_s);
    std::printf(
        "The prediction counts network.delay and costs; sockets add TLS, disks and this "
        "machine.\n");
  }
  if (!m.agreement) return fail(kSafetyViolated, "the logs of the nodes differ");
  if (m.stalled) return fail(kNoProgress, "not everything that was submitted was committed");
  return kDone;
}

}  // namespace thresher::cli
