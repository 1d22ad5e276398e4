#include <algorithm>
#include <cstdio>

#include "published_wan.hpp"
#include "wide_area.hpp"

namespace thresher::cli {
namespace {

template <class... A>
std::string printed(const char* format, A... a) {
  char out[320];
  (void)std::snprintf(out, sizeof out, format, a...);
  return out;
}

text::Value json_of(const WanRow& row) {
  text::Value out;
  out.set("part", name_of(row.run.part)).set("protocol", row.run.protocol).set("n", row.run.n);
  out.set("offered_per_s", row.run.load).set("verdict", row.verdict);
  out.set("delivered_per_s", row.per_second).set("mean_ms", row.mean_ms);
  out.set("p50_ms", row.p50_ms).set("p99_ms", row.p99_ms).set("first_commit_ms", row.first_ms);
  out.set("longest_gap_ms", row.gap_ms).set("bytes_per_payload_byte", row.bytes_ratio);
  if (row.header_bytes > 0) out.set("header_bytes_per_block", row.header_bytes);
  return std::move(out.set("backlog", row.backlog).set("cpu_s", row.cpu_s));
}

text::Value json_of(const PublishedPoint& p) {
  text::Value out;
  out.set("system", p.system).set("n", p.n).set("load_per_s", p.load).set("p50_ms", p.p50_ms);
  return out;
}

sim::Series& series_of(sim::Chart& chart, const std::string& name) {
  for (sim::Series& series : chart.series) {
    if (series.name == name) return series;
  }
  return chart.series.emplace_back(sim::Series{name, {}});
}

}  // namespace

text::Value json_of(const WanPlan& plan, const std::vector<WanRow>& rows) {
  text::Value measured = text::Value::list();
  for (const WanRow& row : rows) measured.push(json_of(row));
  text::Value published = text::Value::list();
  for (const PublishedPoint& p : published_sizes()) published.push(json_of(p));
  for (const PublishedPoint& p : published_loads()) published.push(json_of(p));
  text::Value out;
  out.set("wan", plan.wan).set("virtual_s", static_cast<double>(plan.virtual_ms) / 1000);
  out.set("seed", plan.seed).set("rows", std::move(measured));
  return std::move(out.set("published", std::move(published)));
}

std::string wan_head() {
  return "| part | protocol | n | offered a s | delivered a s | p50 ms | mean | p99 | first commit "
         "| longest gap | bytes x | header bytes | backlog | CPU s | verdict |\n"
         "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|";
}

std::string line_of(const WanRow& row) {
  return printed(
      "| %s | `%s` | %u | %llu | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.2f | %.0f | %llu | "
      "%.1f | %s |",
      name_of(row.run.part), row.run.protocol.c_str(), row.run.n,
      static_cast<unsigned long long>(row.run.load), row.per_second, row.p50_ms, row.mean_ms,
      row.p99_ms, row.first_ms, row.gap_ms, row.bytes_ratio, row.header_bytes,
      static_cast<unsigned long long>(row.backlog), row.cpu_s, row.verdict.c_str());
}

sim::Chart sizes_chart(const std::vector<WanRow>& rows) {
  sim::Chart chart{"Median latency, 4,000 requests a second", "nodes", "ms", {}};
  for (const WanRow& row : rows) {
    if (row.run.part != WanPart::kSizes || row.per_second <= 0) continue;
    series_of(chart, row.run.protocol)
        .points.push_back({static_cast<double>(row.run.n), row.p50_ms});
  }
  for (const PublishedPoint& p : published_sizes()) {
    series_of(chart, p.system).points.push_back({static_cast<double>(p.n), p.p50_ms});
  }
  return chart;
}

sim::Chart loads_chart(const std::vector<WanRow>& rows) {
  sim::Chart chart{"Median latency by throughput", "thousand requests a second", "ms", {}};
  for (const WanRow& row : rows) {
    if (row.run.part != WanPart::kLoads || row.per_second <= 0) continue;
    series_of(chart, row.run.protocol).points.push_back({row.per_second / 1000, row.p50_ms});
  }
  for (const PublishedPoint& p : published_loads()) {
    series_of(chart, p.system).points.push_back({static_cast<double>(p.load) / 1000, p.p50_ms});
  }
  return chart;
}

}  // namespace thresher::cli
