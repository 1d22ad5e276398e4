#include "progress.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "lanes.hpp"

namespace thresher::sim {
namespace {

/// More lines cannot be told apart, and their legend would be larger than the plot.
constexpr std::size_t kMostLines = 6;
/// More points than these would lie closer to each other than a pixel.
constexpr std::size_t kMostPoints = 400;

struct Decision {
  Ticks at = 0;
  std::size_t node = 0;  ///< its place among the correct nodes
};

double units(Ticks at) {
  return static_cast<double>(at) / kUnit;
}

std::vector<std::size_t> correct_nodes(const Outcome& outcome) {
  std::vector<std::size_t> out;
  for (std::size_t id = 0; id < outcome.nodes.size(); ++id) {
    if (!outcome.nodes[id].faulty) out.push_back(id);
  }
  return out;
}

// What a node says again after a restart it had decided before.
std::vector<Decision> decisions_of(const std::vector<std::size_t>& nodes,
                                   const TraceRecorder& trace) {
  std::vector<Decision> out;
  std::set<std::pair<std::size_t, std::uint64_t>> decided;
  for (const auto& kept : trace.events()) {
    if (kept.event.kind != TraceEvent::Kind::kDecide) continue;
    const auto at = std::lower_bound(nodes.begin(), nodes.end(), kept.event.node.value);
    if (at == nodes.end() || *at != kept.event.node.value) continue;
    const auto node = static_cast<std::size_t>(at - nodes.begin());
    if (decided.emplace(node, kept.event.number).second) out.push_back({kept.event.at, node});
  }
  return out;
}

std::vector<Series> by_node(const std::vector<std::size_t>& nodes,
                            const std::vector<Decision>& decisions) {
  std::vector<Series> out(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) out[i].name = "node " + std::to_string(nodes[i]);
  for (const Decision& d : decisions) {
    std::vector<Point>& points = out[d.node].points;
    points.push_back({units(d.at), static_cast<double>(points.size() + 1)});
  }
  return out;
}

std::vector<Series> spread(std::size_t nodes, const std::vector<Decision>& decisions) {
  std::vector<Series> out{{"fewest", {}}, {"median", {}}, {"most", {}}};
  std::vector<std::size_t> counts(nodes, 0);
  // Nothing is drawn until the next moment comes, because many nodes may decide at the same one.
  const std::size_t every = decisions.size() / kMostPoints + 1;
  std::size_t undrawn = 0;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    ++counts[decisions[i].node];
    ++undrawn;
    const bool last = i + 1 == decisions.size();
    if (!last && (decisions[i + 1].at == decisions[i].at || undrawn < every)) continue;
    undrawn = 0;
    std::vector<std::size_t> sorted = counts;
    std::sort(sorted.begin(), sorted.end());
    const double x = units(decisions[i].at);
    out[0].points.push_back({x, static_cast<double>(sorted.front())});
    out[1].points.push_back({x, static_cast<double>(sorted[(nodes - 1) / 2])});
    out[2].points.push_back({x, static_cast<double>(sorted.back())});
  }
  return out;
}

std::string caption_of(const Experiment& experiment, const Outcome& outcome, std::size_t correct,
                       const TraceRecorder& trace, bool goes_on) {
  const std::size_t faulty = outcome.nodes.size() - correct;
  const std::string all = std::to_string(correct) + " correct node" + (correct == 1 ? "" : "s");
  std::string out = correct > kMostLines
                        ? "Fewest, median and most decisions among the " + all + "."
                        : "One line for each of the " + all + ".";
  if (faulty > 0) {
    out += " " + std::to_string(faulty) + " faulty node" + (faulty == 1 ? " is" : "s are") +
           " left out.";
  }
  if (goes_on) {
    out += " The run stopped at " + time_text(experiment, outcome.time) +
           ", where its measures were taken; what is later shows that it healed.";
  }
  if (trace.seen() > trace.events().size()) {
    out += " Only the first " + std::to_string(trace.events().size()) + " of " +
           std::to_string(trace.seen()) + " events were kept, so the lines end early.";
  }
  return out;
}

}  // namespace

Progress progress_of(const Experiment& experiment, const Outcome& outcome,
                     const TraceRecorder& trace) {
  const std::vector<std::size_t> nodes = correct_nodes(outcome);
  const std::vector<Decision> decisions = decisions_of(nodes, trace);
  const char* unit = experiment.engine == Engine::kRounds ? "round" : "virtual ms";
  Progress out{{"Decisions over time", unit, "decisions", {}}, {}};
  out.chart.series =
      nodes.size() > kMostLines ? spread(nodes.size(), decisions) : by_node(nodes, decisions);
  const bool goes_on = outcome.time > 0 && !decisions.empty() && decisions.back().at > outcome.time;
  out.caption = caption_of(experiment, outcome, nodes.size(), trace, goes_on);
  return out;
}

}  // namespace thresher::sim
