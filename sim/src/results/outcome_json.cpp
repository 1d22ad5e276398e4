#include <algorithm>

#include "thresher/core/hex.hpp"
#include "thresher/sim/results.hpp"
#include "thresher/sim/statistics.hpp"
#include "thresher/sim/told.hpp"

namespace thresher::sim {
namespace {

double units(Ticks ticks) {
  return static_cast<double>(ticks) / static_cast<double>(kUnit);
}

text::Value latency(const Outcome& outcome) {
  text::Value out;
  if (outcome.latencies.empty()) {
    for (const char* key : {"mean", "p50", "p99"}) out.set(key, text::Value());
    return out;
  }
  std::vector<double> sorted;
  for (const Ticks ticks : outcome.latencies) sorted.push_back(units(ticks));
  std::sort(sorted.begin(), sorted.end());
  out.set("mean", mean_within(sorted).mean);
  out.set("p50", percentile(sorted, 0.5)).set("p99", percentile(sorted, 0.99));
  return out;
}

text::Value requests(const Experiment& experiment, const Outcome& outcome) {
  text::Value out;
  out.set("delivered", outcome.latencies.size()).set("per_s", outcome.throughput.per_second);
  if (experiment.workload.block_bytes == 0) return out;
  out.set("backlog", outcome.throughput.backlog);
  return std::move(out.set("most_backlog", outcome.throughput.most_backlog));
}

text::Value commits(const CommitTimes& times) {
  text::Value all = text::Value::list();
  for (const FirstCommit& first : times.first_after) {
    text::Value row;
    row.set("what", first.what).set("at_ms", units(first.at));
    row.set("ms", first.after ? text::Value(units(*first.after)) : text::Value());
    all.push(std::move(row));
  }
  text::Value out;
  const auto gap = [](const std::optional<Ticks>& ticks) {
    return ticks ? text::Value(units(*ticks)) : text::Value();
  };
  out.set("longest_gap_ms", gap(times.longest_gap)).set("p99_gap_ms", gap(times.p99_gap));
  return std::move(out.set("first_after", std::move(all)));
}

text::Value sent(const std::vector<SentKind>& kinds) {
  text::Value out = text::Value::object();
  for (const SentKind& kind : kinds) {
    text::Value row;
    row.set("messages", kind.messages).set("bytes", kind.bytes);
    if (kind.payload_bytes > 0) row.set("payload_bytes", kind.payload_bytes);
    out.append({std::string(kind.label), std::move(row)});
  }
  return out;
}

text::Value idle(const Outcome& outcome) {
  text::Value out;
  for (const auto& [name, places] : {std::pair("faults", &outcome.idle_faults),
                                     std::pair("partitions", &outcome.idle_partitions)}) {
    if (places->empty()) continue;
    text::Value list = text::Value::list();
    for (const std::size_t place : *places) list.push(place);
    out.set(name, std::move(list));
  }
  return out;
}

}  // namespace

text::Value outcome_json(const Experiment& experiment, const Outcome& outcome,
                         const OutcomeParts& parts) {
  text::Value out;
  out.set("verdict", told_as(outcome)).set("seed", experiment.seed);
  out.set("trace_hash", to_hex(outcome.trace_hash.bytes)).set("rounds", outcome.rounds);
  out.set("virtual_ms", units(outcome.time)).set("messages", outcome.messages);
  out.set("bytes", outcome.bytes).set("decisions", outcome.decisions);
  out.set("latency_ms", latency(outcome));
  out.set("requests", requests(experiment, outcome)).set("commits", commits(outcome.commits));
  out.set("sent", sent(outcome.sent));
  if (parts.per_node) {
    text::Value nodes = text::Value::object();
    for (std::size_t i = 0; i < outcome.nodes.size(); ++i) {
      nodes.append({std::to_string(i), node_json(outcome.nodes[i])});
    }
    out.set("per_node", std::move(nodes));
  }
  if (parts.costs) out.set("cpu_s", outcome.cpu_s).set("rss_bytes", outcome.rss_bytes);
  out.set("faults_fired", outcome.faults_fired);
  if (text::Value none = idle(outcome); !none.is_null()) out.set("idle", std::move(none));
  if (!outcome.measures.empty()) {
    text::Value measures = text::Value::object();
    for (const Measure& m : outcome.measures) measures.append({m.name, m.value});
    out.set("measures", std::move(measures));
  }
  if (experiment.beyond_f) out.set("beyond_f", true);
  if (!outcome.oracle.empty()) out.set("oracle", outcome.oracle);
  if (!outcome.why.empty())
    out.set(outcome.verdict == Verdict::kPass ? "unjudged" : "why", outcome.why);
  return out;
}

text::Value node_json(const NodeMeasures& node) {
  text::Value out;
  out.set("decisions", node.decisions).set("messages_sent", node.messages_sent);
  out.set("messages_received", node.messages_received).set("bytes_sent", node.bytes_sent);
  out.set("round", node.round).set("refused", node.refused).set("faulty", node.faulty);
  return out;
}

}  // namespace thresher::sim
