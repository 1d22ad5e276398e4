#include "sweep_charts.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace thresher::cli {
namespace {

// A column of the table, and what it is called over a chart.
constexpr std::pair<const char*, const char*> kMeasures[] = {
    {"decisions", "Decisions of a correct node"},
    {"latency_mean_ms", "Latency, mean"},
    {"latency_p99_ms", "Latency, 99th percentile"},
    {"messages", "Messages delivered"},
    {"bytes", "Bytes delivered"}};

// A text without the quotes that JSON puts around it.
std::string plain(const std::string& value) {
  const bool quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
  return quoted ? value.substr(1, value.size() - 2) : value;
}

std::optional<double> number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::size_t> column(const sim::SummaryTable& table, const std::string& name) {
  const auto& head = table.rows.front();
  const auto it = std::find(head.begin(), head.end(), name);
  if (it == head.end()) return std::nullopt;
  return static_cast<std::size_t>(it - head.begin());
}

// The first varied key with numbers.
std::optional<std::size_t> x_column(const sim::SummaryTable& table, std::size_t keys) {
  for (std::size_t c = 0; c < keys; ++c) {
    std::set<std::string> values;
    bool numbers = true;
    for (std::size_t r = 1; r < table.rows.size(); ++r) {
      values.insert(table.rows[r][c]);
      numbers &= number(table.rows[r][c]).has_value();
    }
    if (numbers && values.size() > 1) return c;
  }
  return std::nullopt;
}

std::string series_name(const sim::SummaryTable& table, std::size_t row, std::size_t keys,
                        std::optional<std::size_t> x) {
  std::string name;
  for (std::size_t c = 0; c < keys; ++c) {
    if (c == x) continue;
    const std::string& value = table.rows[row][c];
    name += name.empty() ? "" : ", ";
    name += number(value) ? table.rows.front()[c] + " " + value : plain(value);
  }
  return name.empty() ? "all" : name;
}

}  // namespace

std::vector<sim::Chart> charts_of(const sim::SummaryTable& table) {
  std::vector<sim::Chart> out;
  if (table.rows.size() < 2) return out;
  const std::size_t keys = column(table, "runs").value_or(0);
  const auto x = x_column(table, keys);
  for (const auto& [column_name, title] : kMeasures) {
    const std::string measure = column_name;
    const auto y = column(table, measure);
    if (!y) continue;
    const auto half = column(table, measure + "_ci95");
    std::map<std::string, sim::Series> series;
    for (std::size_t r = 1; r < table.rows.size(); ++r) {
      const auto value = number(table.rows[r][*y]);
      if (!value) continue;  // nothing was measured, as the latency of a run without decisions
      const std::string name = series_name(table, r, keys, x);
      sim::Series& s = series[name];
      s.name = name;
      s.points.push_back({x ? *number(table.rows[r][*x]) : static_cast<double>(r), *value,
                          half ? number(table.rows[r][*half]).value_or(0) : 0});
    }
    sim::Chart chart{title, x ? table.rows.front()[*x] : "row of the table", measure, {}};
    for (auto& [name, s] : series) {
      std::sort(s.points.begin(), s.points.end(),
                [](const sim::Point& a, const sim::Point& b) { return a.x < b.x; });
      chart.series.push_back(std::move(s));
    }
    out.push_back(std::move(chart));
  }
  return out;
}

std::vector<sim::ReportRow> rows_of(const sim::SummaryTable& table) {
  std::vector<sim::ReportRow> out;
  for (std::size_t r = 1; r < table.rows.size(); ++r) {
    sim::ReportRow& row = out.emplace_back();
    for (std::size_t c = 0; c < table.rows[r].size(); ++c) {
      row.cells.emplace_back(table.rows.front()[c], plain(table.rows[r][c]));
    }
  }
  return out;
}

}  // namespace thresher::cli
