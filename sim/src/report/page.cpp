#include <charconv>
#include <cstdio>
#include <map>

#include "svg.hpp"
#include "thresher/sim/report.hpp"
#include "thresher/text/xml.hpp"

namespace thresher::sim {
namespace {

constexpr std::string_view kStyle = R"(
body{font:15px/1.5 system-ui,sans-serif;max-width:1240px;margin:1.5em auto;padding:0 1em;color:#222;background:#fff}
h1{font-size:1.5em;overflow-wrap:anywhere}h2{font-size:1.15em;margin-top:2em}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
td,th{border:1px solid #ddd;padding:3px 9px;text-align:right;white-space:nowrap}
th{background:#f5f5f5}pre{background:#f5f5f5;padding:1em;overflow:auto;max-height:30em}
.wide{overflow-x:auto}figure{margin:0}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr));gap:1.5em}
.charts svg{width:100%;height:auto}
.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(150px,1fr));gap:.7em 1.2em;margin:0}
.facts dt{color:#666;font-size:.85em}.facts dd{margin:0;font-weight:600;overflow-wrap:anywhere}
.pass{color:#17692f}.bad{color:#b3261e}
text{font:12px system-ui,sans-serif;fill:#333}text.title{font-size:14px;font-weight:600}
text.tick{fill:#777;font-size:11px}text.byzantine{fill:#b3261e}
.grid{stroke:#e8e8e8}.bar{stroke-width:1.2}
.lane{stroke:#999;stroke-width:1.5}.lane.byzantine{stroke:#b3261e}
.message{stroke:#2f6fab;stroke-opacity:.35}.message:hover{stroke-opacity:1;stroke-width:2.5}
.message.byzantine{stroke:#b3261e;stroke-opacity:.6}.message.lost{stroke-dasharray:3 3}
path.lost{stroke:#b3261e;stroke-width:1.6;fill:none}
.arrow{fill:#2f6fab}.arrow.byzantine{fill:#b3261e}
.timer{stroke:#8a6d1d;stroke-width:1.2}.decide{fill:#17692f}.crash{fill:#fff;stroke:#222;stroke-width:1.5}
circle.fault{fill:#b3261e}path.fault{stroke:#b3261e;stroke-width:2;fill:none}
.edge{stroke:#bbb;stroke-width:.7}.edge.vote{stroke:#17692f;stroke-width:1.3}
.vertex{fill:#fff;stroke:#2f6fab;stroke-width:1.3}.vertex.leader{fill:#17692f;stroke:#17692f}
.vertex.byzantine{stroke:#b3261e}
)";

std::string section(const std::string& id, const std::string& heading, const std::string& body) {
  return "<section id=\"" + id + "\"><h2>" + text::xml_escaped(heading) + "</h2>\n" + body +
         "</section>\n";
}

std::string figure(const std::string& svg) {
  return "<figure>\n" + svg + "</figure>\n";
}

// What keeps its own width and is moved sideways where the screen is narrower.
std::string wide(const std::string& body) {
  return "<div class=\"wide\">\n" + body + "</div>\n";
}

// Side by side as far as there is room.
std::string charts(const std::string& figures) {
  return "<div class=\"charts\">\n" + figures + "</div>\n";
}

std::string fact(const std::string& name, const std::string& value) {
  return "<div><dt>" + text::xml_escaped(name) + "</dt><dd>" + text::xml_escaped(value) +
         "</dd></div>\n";
}

// 1234567 as 1 234 567, with spaces that do not break.
std::string grouped(std::uint64_t value) {
  std::string out = std::to_string(value);
  for (std::size_t at = out.size(); at > 3; at -= 3) out.insert(at - 3, "\u202f");
  return out;
}

// A number with more digits than anybody reads is shown with four; the cell's title has them all.
std::string cell(const std::string& value) {
  double number = 0;
  const char* last = value.data() + value.size();
  const auto [end, error] = std::from_chars(value.data(), last, number);
  const bool real = error == std::errc{} && end == last && value.find('.') != std::string::npos;
  if (!real) return "<td>" + text::xml_escaped(value) + "</td>";
  char shown[32];
  (void)std::snprintf(shown, sizeof shown, "%.4g", number);
  return "<td title=\"" + text::xml_escaped(value) + "\">" + shown + "</td>";
}

std::string summary(const Experiment& e, const Outcome& o) {
  std::string out = "<p class=\"";
  out += o.verdict == Verdict::kPass ? "pass" : "bad";
  out += "\" id=\"verdict\"><strong>" + std::string(to_string(o.verdict)) + "</strong>";
  if (!o.why.empty()) out += ": " + text::xml_escaped(o.oracle + ": " + o.why);
  if (e.beyond_f) out += " (more faults than f were asked for)";
  out += "</p>\n<dl class=\"facts\">\n";
  out += fact("protocol", e.protocol) + fact("nodes", std::to_string(e.n));
  out += fact("f", std::to_string(e.f)) + fact("seed", std::to_string(e.seed));
  out += fact("rounds", grouped(o.rounds));
  out += fact(e.engine == Engine::kRounds ? "virtual time, rounds" : "virtual time, ms",
              short_number(static_cast<double>(o.time) / kUnit));
  out += fact("messages delivered", grouped(o.messages));
  out += fact("bytes delivered", grouped(o.bytes));
  out += fact("decisions of a correct node", grouped(o.decisions));
  return out + "</dl>\n";
}

std::string nodes_table(const Outcome& o) {
  std::string out =
      "<table><tr><th>node</th><th>faulty</th><th>decisions</th><th>sent</th><th>received</th>"
      "<th>bytes sent</th><th>round</th><th>refused</th></tr>\n";
  for (std::size_t i = 0; i < o.nodes.size(); ++i) {
    const NodeMeasures& m = o.nodes[i];
    out += "<tr><td>" + std::to_string(i) + "</td><td>" + (m.faulty ? "yes" : "") + "</td>";
    for (const std::uint64_t v :
         {m.decisions, m.messages_sent, m.messages_received, m.bytes_sent, m.round, m.refused}) {
      out += "<td>" + grouped(v) + "</td>";
    }
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

// Decisions of each node over time.
Chart decisions_chart(const Experiment& e, const TraceRecorder& trace) {
  Chart chart{
      "Decisions over time", e.engine == Engine::kRounds ? "round" : "virtual ms", "decisions", {}};
  std::map<std::uint16_t, Series> by_node;
  for (const auto& kept : trace.events()) {
    if (kept.event.kind != TraceEvent::Kind::kDecide || kept.event.node.value >= 6) continue;
    Series& s = by_node[kept.event.node.value];
    s.name = "node " + std::to_string(kept.event.node.value);
    s.points.push_back(
        {static_cast<double>(kept.event.at) / kUnit, static_cast<double>(s.points.size() + 1)});
  }
  for (auto& [id, series] : by_node) chart.series.push_back(std::move(series));
  return chart;
}

std::string run_sections(const Report& r) {
  const Experiment& e = *r.experiment;
  std::string out = section("summary", "Result", summary(e, *r.outcome));
  std::vector<double> latencies;
  for (const Ticks t : r.outcome->latencies) latencies.push_back(static_cast<double>(t) / kUnit);
  const std::string unit = e.engine == Engine::kRounds ? "rounds" : "ms";
  std::string figures = figure(cdf_chart("Latency, submission to delivery", unit, latencies));
  if (r.trace != nullptr) figures += figure(line_chart(decisions_chart(e, *r.trace)));
  out += section("charts", "Latency and progress", charts(figures));
  if (r.trace != nullptr) {
    out += section("space-time", "Space-time diagram", wide(figure(space_time(e, *r.trace))));
    const std::string dag = dag_picture(e, *r.trace);
    if (!dag.empty()) out += section("dag", "The DAG by rounds", wide(figure(dag)));
  }
  return out + section("nodes", "Nodes", wide(nodes_table(*r.outcome)));
}

std::string rows_table(const std::vector<ReportRow>& rows) {
  std::string out = "<table><tr>";
  for (const auto& [name, value] : rows.front().cells)
    out += "<th>" + text::xml_escaped(name) + "</th>";
  out += "</tr>\n";
  for (const ReportRow& r : rows) {
    out += "<tr>";
    for (const auto& [name, value] : r.cells) out += cell(value);
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

}  // namespace

std::string report_html(const Report& r) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
      text::xml_escaped(r.title) + "</title>\n<style>" + std::string(kStyle) + series_style() +
      "</style></head>\n<body><h1>" + text::xml_escaped(r.title) + "</h1>\n<p>thresher " +
      text::xml_escaped(r.version) + "</p>\n";
  if (r.experiment != nullptr && r.outcome != nullptr) out += run_sections(r);
  if (!r.charts.empty()) {
    std::string figures;
    for (const Chart& chart : r.charts) figures += figure(line_chart(chart));
    out += section("sweep", "Sweep", charts(figures));
  }
  if (!r.rows.empty()) out += section("rows", "All runs", wide(rows_table(r.rows)));
  if (!r.command.empty()) {
    out += section("repeat", "To repeat it", "<pre>" + text::xml_escaped(r.command) + "</pre>\n");
  }
  if (!r.experiment_text.empty()) {
    out += section("experiment", "The resolved experiment",
                   "<pre>" + text::xml_escaped(r.experiment_text) + "</pre>\n");
  }
  return out + "</body></html>\n";
}

}  // namespace thresher::sim
