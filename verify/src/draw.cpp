#include "thresher/verify/draw.hpp"

#include <algorithm>
#include <optional>

#include "thresher/text/xml.hpp"
#include "thresher/verify/text.hpp"

namespace thresher::verify {
namespace {

constexpr int kColumn = 90;
constexpr int kRow = 56;
constexpr int kMargin = 60;
constexpr int kTextWidth = 420;

std::string dot_escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string update_text(const Automaton& ta, const Update& u) {
  const std::string& name = ta.shared[u.shared];
  if (u.reset) return name + " := " + std::to_string(u.amount);
  const std::string size = std::to_string(u.amount < 0 ? -u.amount : u.amount);
  return name + (u.amount < 0 ? " -= " : " += ") + size;
}

// What holds in one configuration, for the margin: variables that are not zero.
std::string shared_text(const Automaton& ta, const Configuration& at) {
  std::string out;
  for (std::size_t i = 0; i < at.shared.size(); ++i) {
    if (at.shared[i] == 0) continue;
    out += (out.empty() ? "" : "  ") + ta.shared[i] + "=" + std::to_string(at.shared[i]);
  }
  return out;
}

std::string svg_text(int x, int y, const std::string& anchor, const std::string& text) {
  return "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" text-anchor=\"" +
         anchor + "\">" + text::xml_escaped(text) + "</text>\n";
}

std::string svg_arrow(int x1, int y1, int x2, int y2) {
  return "<line x1=\"" + std::to_string(x1) + "\" y1=\"" + std::to_string(y1) + "\" x2=\"" +
         std::to_string(x2) + "\" y2=\"" + std::to_string(y2) +
         "\" stroke=\"black\" marker-end=\"url(#head)\"/>\n";
}

// The start and the configuration after every accelerated step.
Result<std::vector<Configuration>, Error> after_steps(const Automaton& ta, const Execution& run) {
  auto all = replay(ta, run);
  if (!all) return all;
  std::vector<Configuration> out{all->front()};
  std::size_t at = 0;
  for (const Step& step : run.steps) {
    at += static_cast<std::size_t>(std::max<std::int64_t>(step.times, 0));
    out.push_back((*all)[at]);
  }
  return out;
}

// The x of every location that some process visits.
std::vector<std::optional<int>> columns_of(const Automaton& ta,
                                           const std::vector<Configuration>& rows) {
  std::vector<std::optional<int>> x(ta.locations.size());
  int next = kMargin;
  for (std::size_t l = 0; l < x.size(); ++l) {
    const auto visited = [l](const Configuration& c) { return c.processes[l] != 0; };
    if (std::none_of(rows.begin(), rows.end(), visited)) continue;
    x[l] = next;
    next += kColumn;
  }
  return x;
}

struct Canvas {
  std::string body;
  int width = kTextWidth;
  int y = kMargin / 2;
};

void draw_row(const Automaton& ta, const Configuration& c, const std::vector<std::optional<int>>& x,
              Canvas& canvas) {
  for (std::size_t l = 0; l < x.size(); ++l) {
    if (!x[l] || c.processes[l] == 0) continue;
    canvas.body += "<circle cx=\"" + std::to_string(*x[l]) + "\" cy=\"" + std::to_string(canvas.y) +
                   "\" r=\"14\" fill=\"white\" stroke=\"black\"/>\n";
    canvas.body += svg_text(*x[l], canvas.y + 4, "middle", std::to_string(c.processes[l]));
  }
  const auto columns =
      std::count_if(x.begin(), x.end(), [](const auto& v) { return v.has_value(); });
  const int margin = kMargin + static_cast<int>(columns) * kColumn;
  canvas.body += svg_text(margin, canvas.y + 4, "start", shared_text(ta, c));
  canvas.width = std::max(canvas.width, margin + kTextWidth);
}

void draw_picture(const Automaton& ta, const Picture& picture, Canvas& canvas) {
  canvas.body += svg_text(kMargin / 2, canvas.y, "start", picture.title + " is violated");
  canvas.y += kRow / 2;
  const auto rows = after_steps(ta, picture.run);
  if (!rows) {
    canvas.body += svg_text(kMargin / 2, canvas.y, "start", "no run: " + rows.error().text());
    canvas.y += kRow;
    return;
  }
  std::string parameters;
  for (std::size_t i = 0; i < ta.parameters.size(); ++i) {
    parameters += ta.parameters[i] + "=" + std::to_string(picture.run.parameters[i]) + "  ";
  }
  canvas.body += svg_text(kMargin / 2, canvas.y, "start", parameters);
  canvas.y += kRow / 2;
  const auto x = columns_of(ta, *rows);
  for (std::size_t l = 0; l < x.size(); ++l) {
    if (x[l]) canvas.body += svg_text(*x[l], canvas.y, "middle", ta.locations[l]);
  }
  canvas.y += kRow / 2;
  draw_row(ta, rows->front(), x, canvas);
  for (std::size_t i = 0; i < picture.run.steps.size(); ++i) {
    const Step& step = picture.run.steps[i];
    const int above = canvas.y;
    canvas.y += kRow;
    if (step.times > 0) {
      const Rule& rule = ta.rules[step.rule];
      const int from = *x[rule.from];
      const int to = *x[rule.to];
      canvas.body += svg_arrow(from, above + 15, to, canvas.y - 17);
      canvas.body +=
          svg_text((from + to) / 2 + 6, (above + canvas.y) / 2 + 4, "start",
                   "rule " + std::to_string(rule.id) + " x " + std::to_string(step.times));
    }
    draw_row(ta, (*rows)[i + 1], x, canvas);
  }
  canvas.y += kRow;
}

}  // namespace

std::string draw_dot(const Automaton& ta) {
  std::string out = "digraph \"" + dot_escaped(ta.name) + "\" {\n  rankdir=LR;\n";
  for (std::size_t l = 0; l < ta.locations.size(); ++l) {
    out += "  l" + std::to_string(l) + " [label=\"" + dot_escaped(ta.locations[l]) + "\"];\n";
  }
  for (const Rule& rule : ta.rules) {
    if (rule.from == rule.to && rule.updates.empty()) continue;
    std::string label = std::to_string(rule.id) + ":";
    if (rule.guard.kind != Formula::Kind::kTrue) label += " " + print_formula(ta, rule.guard);
    label = dot_escaped(label);
    for (const Update& u : rule.updates) label += "\\n" + dot_escaped(update_text(ta, u));
    out += "  l" + std::to_string(rule.from) + " -> l" + std::to_string(rule.to) + " [label=\"" +
           label + "\"];\n";
  }
  return out + "}\n";
}

std::string draw_svg(const Automaton& ta, const std::vector<Picture>& pictures) {
  Canvas canvas;
  for (const Picture& p : pictures) draw_picture(ta, p, canvas);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + std::to_string(canvas.width) +
         "\" height=\"" + std::to_string(canvas.y) +
         "\" font-family=\"sans-serif\" font-size=\"12\">\n<defs><marker id=\"head\" refX=\"8\" "
         "refY=\"4\" markerWidth=\"9\" markerHeight=\"8\" orient=\"auto\"><path d=\"M0,0 L9,4 "
         "L0,8 z\"/></marker></defs>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" +
         canvas.body + "</svg>\n";
}

}  // namespace thresher::verify
