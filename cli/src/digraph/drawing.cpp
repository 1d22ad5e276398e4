#include "drawing.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace thresher::cli {
namespace {

using digraph::Digraph;
using digraph::Witness;

struct Paint {
  const char* fill;
  const char* says;
};

Paint paint_of(std::uint32_t node, const std::optional<Witness>& w) {
  const digraph::Mask me = digraph::bit(node);
  if (!w) return {"#f3f5f7", "node"};
  if ((w->a & w->b & me) != 0) return {"#ff8182", "faulty in A and in B"};
  if ((w->a & me) != 0) return {"#ffb77c", "faulty"};
  if ((w->b & me) != 0) return {"#ffaba8", "faulty in B"};
  if ((w->source_a & w->source_b & me) != 0) return {"#c2a6ff", "in both sources"};
  if ((w->source_a & me) != 0) return {"#80ccff", "in the first source"};
  if ((w->source_b & me) != 0) return {"#7ee2b8", "in the second source"};
  return {"#f3f5f7", "node"};
}

template <class F>
void each_edge(const Digraph& graph, F visit) {
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    digraph::for_each(graph.out(NodeId{static_cast<std::uint16_t>(i)}),
                      [&](std::uint32_t to) { visit(i, to); });
  }
}

}  // namespace

std::string as_dot(const Digraph& graph, const std::optional<Witness>& witness) {
  std::string out = "digraph network {\n  node [shape=circle style=filled fontname=Helvetica];\n";
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    const Paint paint = paint_of(i, witness);
    out += fmt::format("  {} [fillcolor=\"{}\" tooltip=\"{}\"];\n", i, paint.fill, paint.says);
  }
  each_edge(graph, [&](std::uint32_t from, std::uint32_t to) {
    out += fmt::format("  {} -> {};\n", from, to);
  });
  return out + "}\n";
}

std::string as_svg(const Digraph& graph, const std::optional<Witness>& witness) {
  constexpr double kNode = 16;  // radius of a node, in pixels
  const double circle = std::max(70.0, graph.size() * kNode * 3 / (2 * std::numbers::pi));
  const double middle = circle + 2 * kNode;
  const auto place = [&](std::uint32_t node) {
    const double angle = 2 * std::numbers::pi * node / graph.size() - std::numbers::pi / 2;
    return std::pair(middle + circle * std::cos(angle), middle + circle * std::sin(angle));
  };
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{0:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {0:.0f}\" font-family=\"Helvetica, Arial, sans-serif\" "
      "font-size=\"13\">\n<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
      "markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" "
      "fill=\"#57606a\"/></marker></defs>\n",
      2 * middle);
  each_edge(graph, [&](std::uint32_t from, std::uint32_t to) {
    const auto [x, y] = place(from);
    const auto [u, v] = place(to);
    const double length = std::hypot(u - x, v - y);
    const double dx = (u - x) / length * kNode;
    const double dy = (v - y) / length * kNode;
    out += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#57606a\" "
        "marker-end=\"url(#arrow)\"/>\n",
        x + dx, y + dy, u - dx, v - dy);
  });
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    const auto [x, y] = place(i);
    const Paint paint = paint_of(i, witness);
    out += fmt::format(
        "<circle cx=\"{0:.1f}\" cy=\"{1:.1f}\" r=\"{2:.0f}\" fill=\"{3}\" "
        "stroke=\"#57606a\"><title>{4}: {5}</title></circle><text x=\"{0:.1f}\" y=\"{6:.1f}\" "
        "text-anchor=\"middle\">{4}</text>\n",
        x, y, kNode, paint.fill, i, paint.says, y + 4.5);
  }
  return out + "</svg>\n";
}

}  // namespace thresher::cli
