#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "lanes.hpp"
#include "svg.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/sim/report.hpp"

namespace thresher::sim {
namespace {

constexpr double kColumn = 46;
constexpr double kLane = 30;

struct Vertex {
  NodeId author;
  std::uint64_t round = 0;
  std::string id;
  std::vector<std::string> parents;
};

std::map<std::string, Vertex> vertices(const TraceRecorder& trace, std::uint64_t rounds) {
  std::map<std::string, Vertex> out;
  std::uint64_t first = UINT64_MAX;
  for (const auto& kept : trace.events()) {
    if (kept.event.kind == TraceEvent::Kind::kVertex) first = std::min(first, kept.event.round);
  }
  for (const auto& kept : trace.events()) {
    if (kept.event.kind != TraceEvent::Kind::kVertex || kept.event.round >= first + rounds)
      continue;
    std::istringstream words(kept.detail);
    Vertex v{kept.event.node, kept.event.round, {}, {}};
    words >> v.id;
    for (std::string parent; words >> parent;) v.parents.push_back(parent);
    out.try_emplace(v.id, v);
  }
  return out;
}

std::set<std::string> committed_leaders(const TraceRecorder& trace) {
  std::set<std::string> out;
  for (const auto& kept : trace.events()) {
    if (kept.event.kind == TraceEvent::Kind::kDecide) out.insert(kept.detail);
  }
  return out;
}

}  // namespace

std::string dag_picture(const Experiment& experiment, const TraceRecorder& trace,
                        std::uint64_t rounds) {
  const auto all = vertices(trace, rounds);
  if (all.empty()) return {};
  const auto leaders = committed_leaders(trace);
  const auto byzantine = byzantine_nodes(experiment);
  std::uint64_t first = UINT64_MAX;
  std::uint64_t last = 0;
  for (const auto& [id, v] : all) {
    first = std::min(first, v.round);
    last = std::max(last, v.round);
  }
  const double bottom = kLaneTop + kLane * experiment.n;
  Svg svg(kLaneLeft + kColumn * static_cast<double>(last - first + 1) + 20, bottom + 30);
  const auto x = [&](std::uint64_t round) {
    return kLaneLeft + kColumn * (static_cast<double>(round - first) + 0.5);
  };
  const auto y = [&](NodeId id) { return kLaneTop + kLane * (id.value + 0.5); };
  for (const NodeId i : node_ids(experiment.n)) {
    svg.text(8, y(i) + 4, node_text(i), byzantine[i.value] ? "label byzantine" : "label");
  }
  for (std::uint64_t r = first; r <= last; ++r) {
    svg.text(x(r), kLaneTop - 8, std::to_string(r), "tick", "middle");
  }
  for (const auto& [id, v] : all) {
    for (const std::string& parent : v.parents) {
      const auto to = all.find(parent);
      if (to == all.end()) continue;
      const bool vote = leaders.contains(parent) && to->second.round + 1 == v.round;
      svg.line(x(v.round), y(v.author), x(to->second.round), y(to->second.author),
               vote ? "edge vote" : "edge");
    }
  }
  for (const auto& [id, v] : all) {
    std::string css = leaders.contains(id) ? "vertex leader" : "vertex";
    if (byzantine[v.author.value]) css += " byzantine";
    svg.circle(x(v.round), y(v.author), 6, css,
               id + ": round " + std::to_string(v.round) + " of " + node_text(v.author) +
                   (leaders.contains(id) ? ", committed leader" : ""));
  }
  const std::string caption = "Rounds " + std::to_string(first) + " to " + std::to_string(last) +
                              "; filled: committed leaders; strong lines: their votes";
  svg.text(kLaneLeft, bottom + 20, caption, "label");
  return svg.finish("The DAG. " + caption);
}

}  // namespace thresher::sim
