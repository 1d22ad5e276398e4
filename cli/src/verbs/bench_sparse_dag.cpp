#include <filesystem>
#include <memory>

#include "../json.hpp"
#include "../sim/sparse_dag.hpp"
#include "../text.hpp"
#include "thresher/core/committee.hpp"
#include "thresher/sim/read.hpp"
#include "thresher/sim/report.hpp"
#include "thresher/sim/results.hpp"

namespace thresher::cli {
namespace {

struct Args {
  std::uint64_t n = 1000;
  double virtual_s = 10;
  std::string only;
  std::string files;
  std::string charts;
  bool scaling = false;
  bool json = false;
};

constexpr std::uint32_t kLeastScale = 100;

bool wanted(const SparseRow& row, const std::string& only) {
  if (only.empty()) return true;
  for (std::size_t at = 0; at <= only.size();) {
    const std::size_t end = std::min(only.find(',', at), only.size());
    if (only.substr(at, end - at) == row.name) return true;
    at = end + 1;
  }
  return false;
}

struct Done {
  SparseRow row;
  std::uint32_t n;
  SparseFigures figures;
};

Json json_of(const Done& done) {
  Json out;
  out.set("name", done.row.name).set("protocol", done.row.protocol);
  out.set("n", std::uint64_t{done.n}).set("D", std::uint64_t{done.row.sample});
  out.set("nic_gbit_s", done.row.gbit_s).set("vertices_per_s", done.figures.vertices_per_s);
  out.set("latency_ms", done.figures.latency_ms).set("mbit_per_s", done.figures.mbit_per_s);
  out.set("bytes_per_vertex", done.figures.bytes_per_vertex);
  out.set("violations", done.figures.violations).set("verdict", done.figures.verdict);
  out.set("messages", done.figures.messages).set("cpu_s", done.figures.cpu_s);
  out.set("rss_gb", done.figures.rss_gb);
  return out;
}

void print_row(const Done& done) {
  const SparseFigures& f = done.figures;
  std::printf("%-16s %5u %4u %4llu %10.0f %9.1f %9.1f %9.0f %s %8.1f %6.2f\n",
              done.row.name.c_str(), done.n, done.row.sample,
              static_cast<unsigned long long>(done.row.gbit_s), f.vertices_per_s, f.latency_ms,
              f.mbit_per_s, f.bytes_per_vertex, f.verdict.c_str(), f.cpu_s, f.rss_gb);
  (void)std::fflush(stdout);
}

Result<Unit, std::string> save_files(const std::string& folder, const SparseScale& scale) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  for (const SparseRow& row : sparse_rows()) {
    const std::string content = sim::write_experiment(sparse_experiment(row, scale)) + "\n";
    auto saved = sim::save_file(std::filesystem::path(folder) / (row.name + ".json"), content);
    if (!saved) return saved;
  }
  return Unit{};
}

// One picture for each measure: by n where there are several, else by the speed of the NIC.
Result<Unit, std::string> save_charts(const Args& a, const std::vector<Done>& all) {
  struct Measure {
    const char* name;
    const char* label;
    double SparseFigures::*value;
  };
  constexpr Measure kMeasures[] = {
      {"latency", "latency, ms", &SparseFigures::latency_ms},
      {"throughput", "vertices/s", &SparseFigures::vertices_per_s},
      {"bytes", "bytes received per vertex", &SparseFigures::bytes_per_vertex},
      {"cpu", "CPU of the run, s", &SparseFigures::cpu_s},
  };
  std::error_code failed;
  std::filesystem::create_directories(a.charts, failed);
  for (const Measure& m : kMeasures) {
    sim::Chart chart{std::string(m.label) + (a.scaling ? " by n" : " by NIC"),
                     a.scaling ? "n" : "NIC, Gbit/s",
                     m.label,
                     {}};
    for (const Done& done : all) {
      std::string name = a.scaling ? done.row.name : done.row.protocol;
      if (!a.scaling && done.row.sample > 0) name += " D=" + std::to_string(done.row.sample);
      auto at = std::find_if(chart.series.begin(), chart.series.end(),
                             [&](const sim::Series& s) { return s.name == name; });
      if (at == chart.series.end()) at = chart.series.insert(at, sim::Series{name, {}});
      const double x = a.scaling ? done.n : static_cast<double>(done.row.gbit_s);
      at->points.push_back({x, done.figures.*m.value, 0});
    }
    const std::string name = (a.scaling ? "scaling-" : "sparse-") + std::string(m.name) + ".svg";
    auto saved = sim::save_file(std::filesystem::path(a.charts) / name, sim::line_chart(chart));
    if (!saved) return saved;
  }
  return Unit{};
}

std::vector<std::uint32_t> sizes_of(const Args& a) {
  const auto n = static_cast<std::uint32_t>(a.n);
  if (!a.scaling) return {n};
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t size = kLeastScale; size < n; size *= 2) sizes.push_back(size);
  sizes.push_back(n);
  return sizes;
}

int run(const Args& a) {
  if (a.n < 4 || a.n > Committee::kMaxSize)
    return fail(kUsage, "--n must be 4 to " + std::to_string(Committee::kMaxSize));
  if (a.virtual_s <= 0 || a.virtual_s > 3600)
    return fail(kUsage, "--virtual-s must be above 0 and at most 3600");
  SparseScale scale{static_cast<std::uint32_t>(a.n),
                    static_cast<std::uint64_t>(a.virtual_s * 1000)};
  if (!a.files.empty()) {
    if (const auto saved = save_files(a.files, scale); !saved) return fail(kFailed, saved.error());
    return kDone;
  }
  std::vector<Done> all;
  std::vector<Json> rows;
  if (!a.json)
    std::printf("%-16s %5s %4s %4s %10s %9s %9s %9s %s %8s %6s\n", "row", "n", "D", "Gbit",
                "vertices/s", "ms", "Mbit/s", "B/vertex", "verdict", "cpu s", "GB");
  for (const std::uint32_t n : sizes_of(a)) {
    for (const SparseRow& row : sparse_rows()) {
      if (!wanted(row, a.only)) continue;
      scale.n = n;
      all.push_back({row, n, measure(row, scale)});
      if (!a.json) print_row(all.back());
      rows.push_back(json_of(all.back()));
    }
  }
  if (all.empty()) return fail(kUsage, "--only '" + a.only + "' names no row of the table");
  if (!a.charts.empty()) {
    if (const auto saved = save_charts(a, all); !saved) return fail(kFailed, saved.error());
  }
  if (a.json) {
    Json out;
    out.set("rows", rows);
    out.print();
  }
  return kDone;
}

}  // namespace

Verb make_bench_sparse_dag() {
  auto a = std::make_shared<Args>();
  return {{"bench", "sparse-dag"},
          "Run the published table of sparse Bullshark in the simulator. Example: thresher bench "
          "sparse-dag --n 100 --virtual-s 10",
          {{"--n", "nodes", &a->n},
           {"--virtual-s", "virtual seconds of each row", &a->virtual_s},
           {"--only", "rows by name, separated by commas", &a->only},
           {"--scaling", "each row at 100, 200, 400, ... nodes up to --n", &a->scaling},
           {"--files", "write the experiment files to this folder, run nothing", &a->files},
           {"--charts", "write pictures to this folder", &a->charts},
           {"--json", "one object on one line", &a->json}},
          [a] { return run(*a); }};
}

}  // namespace thresher::cli
