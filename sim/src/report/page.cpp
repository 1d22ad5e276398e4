#include <charconv>
#include <cstdio>

#include "page_parts.hpp"
#include "progress.hpp"
#include "svg.hpp"
#include "thresher/sim/report.hpp"
#include "thresher/sim/told.hpp"
#include "thresher/text/xml.hpp"

namespace thresher::sim {
namespace {

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
  out += o.verdict == Verdict::kPass && !undecided(o) ? "pass" : "bad";
  out += "\" id=\"verdict\"><strong>" + std::string(told_as(o)) + "</strong>";
  if (o.verdict != Verdict::kPass) out += ": " + text::xml_escaped(o.oracle + ": " + o.why);
  if (o.verdict == Verdict::kPass && !o.why.empty())
    out += " (liveness was not judged: " + text::xml_escaped(o.why) + ")";
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

std::string run_sections(const Report& r) {
  const Experiment& e = *r.experiment;
  std::string out = section("summary", "Result", summary(e, *r.outcome));
  std::vector<double> latencies;
  for (const Ticks t : r.outcome->latencies) latencies.push_back(static_cast<double>(t) / kUnit);
  const std::string unit = e.engine == Engine::kRounds ? "rounds" : "ms";
  std::string figures = figure(cdf_chart("Latency, submission to delivery", unit, latencies));
  if (r.trace != nullptr) {
    const Progress progress = progress_of(e, *r.outcome, *r.trace);
    figures += figure(line_chart(progress.chart), progress.caption);
  }
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
  std::string out = page_begin(r.title, r.version);
  if (r.experiment != nullptr && r.outcome != nullptr) out += run_sections(r);
  if (!r.charts.empty()) {
    std::string figures;
    for (const Chart& chart : r.charts) figures += figure(line_chart(chart));
    out += section("sweep", "Sweep", charts(figures));
  }
  if (!r.rows.empty()) out += section("rows", "All runs", wide(rows_table(r.rows)));
  if (!r.command.empty()) out += to_repeat(r.command);
  if (!r.experiment_text.empty()) {
    out += section("experiment", "The resolved experiment",
                   "<pre>" + text::xml_escaped(r.experiment_text) + "</pre>\n");
  }
  return out + page_end();
}

}  // namespace thresher::sim
