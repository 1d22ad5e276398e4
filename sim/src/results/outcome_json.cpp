#include <algorithm>

#include "thresher/core/hex.hpp"
#include "thresher/sim/results.hpp"
#include "thresher/sim/statistics.hpp"

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

}  // namespace

text::Value outcome_json(const Experiment& experiment, const Outcome& outcome,
                         const OutcomeParts& parts) {
  text::Value out;
  out.set("verdict", to_string(outcome.verdict)).set("seed", experiment.seed);
  out.set("trace_hash", to_hex(outcome.trace_hash.bytes)).set("rounds", outcome.rounds);
  out.set("virtual_ms", units(outcome.time)).set("messages", outcome.messages);
  out.set("bytes", outcome.bytes).set("decisions", outcome.decisions);
  out.set("latency_ms", latency(outcome));
  if (parts.per_node) {
    text::Value nodes = text::Value::object();
    for (std::size_t i = 0; i < outcome.nodes.size(); ++i) {
      nodes.append({std::to_string(i), node_json(outcome.nodes[i])});
    }
    out.set("per_node", std::move(nodes));
  }
  if (parts.costs) out.set("cpu_s", outcome.cpu_s).set("rss_bytes", outcome.rss_bytes);
  out.set("faults_fired", outcome.faults_fired);
  if (!outcome.measures.empty()) {
    text::Value measures = text::Value::object();
    for (const Measure& m : outcome.measures) measures.append({m.name, m.value});
    out.set("measures", std::move(measures));
  }
  if (experiment.beyond_f) out.set("beyond_f", true);
  if (!outcome.oracle.empty()) out.set("oracle", outcome.oracle);
  if (!outcome.why.empty()) out.set("why", outcome.why);
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
