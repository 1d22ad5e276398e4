#include <algorithm>
#include <filesystem>

#include "../input_file.hpp"
#include "sparse_dag.hpp"
#include "thresher/core/committee.hpp"
#include "thresher/core/errors.hpp"
#include "thresher/sim/report.hpp"
#include "thresher/sim/results.hpp"

namespace thresher::cli {
namespace {

struct Measure {
  const char* name;
  const char* label;
  double SparseFigures::*value;
};
constexpr Measure kCharts[] = {
    {"latency", "latency, ms", &SparseFigures::latency_ms},
    {"throughput", "vertices/s", &SparseFigures::vertices_per_s},
    {"bytes", "bytes received per vertex", &SparseFigures::bytes_per_vertex},
    {"verify", "CPU of a node per vertex for signatures, ms", &SparseFigures::verify_ms},
};
constexpr Measure kReals[] = {
    {"vertices_per_s", "", &SparseFigures::vertices_per_s},
    {"latency_ms", "", &SparseFigures::latency_ms},
    {"mbit_per_s", "", &SparseFigures::mbit_per_s},
    {"bytes_per_vertex", "", &SparseFigures::bytes_per_vertex},
    {"signatures_per_vertex", "", &SparseFigures::signatures},
    {"verify_ms_per_vertex", "", &SparseFigures::verify_ms},
    {"cpu_s", "", &SparseFigures::cpu_s},
    {"rss_gb", "", &SparseFigures::rss_gb},
};

text::Value json_of(const SparseDone& done) {
  text::Value out;
  out.set("name", done.name).set("protocol", done.protocol);
  out.set("n", done.n).set("D", done.sample).set("nic_gbit_s", done.gbit_s);
  out.set("virtual_s", done.virtual_s);
  for (const Measure& m : kReals) out.set(m.name, done.figures.*m.value);
  out.set("violations", done.figures.violations).set("verdict", done.figures.verdict);
  out.set("messages", done.figures.messages);
  return out;
}

std::optional<SparseDone> row_of(const text::Value& row) {
  const auto text = [&](const char* key) {
    const text::Value* v = row.find(key);
    return v != nullptr && v->as_text() != nullptr ? *v->as_text() : std::string();
  };
  const auto real = [&](const char* key) {
    const text::Value* v = row.find(key);
    return v != nullptr ? v->as_real().value_or(0) : 0.0;
  };
  SparseDone out;
  out.name = text("name");
  out.protocol = text("protocol");
  const auto whole = [&](const char* key) {
    const text::Value* v = row.find(key);
    return v != nullptr ? v->as_unsigned().value_or(0) : 0;
  };
  if (whole("n") > Committee::kMaxSize || whole("D") > Committee::kMaxSize) return std::nullopt;
  out.n = static_cast<std::uint32_t>(whole("n"));
  out.sample = static_cast<std::uint32_t>(whole("D"));
  out.gbit_s = whole("nic_gbit_s");
  out.virtual_s = real("virtual_s");
  for (const Measure& m : kReals) out.figures.*m.value = real(m.name);
  out.figures.violations = whole("violations");
  out.figures.verdict = text("verdict");
  out.figures.messages = whole("messages");
  if (out.name.empty() || out.n == 0) return std::nullopt;
  return out;
}

}  // namespace

text::Value json_of(const std::vector<SparseDone>& all) {
  text::Value rows = text::Value::list();
  for (const SparseDone& done : all) rows.push(json_of(done));
  text::Value out;
  out.set("rows", rows);
  return out;
}

Result<std::vector<SparseDone>, Error> read_rows(const std::string& folder) {
  std::error_code failed;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  if (files.empty())
    return Error{ErrorCode::kMissing,
                 "no .json file in '" + folder + "': give a folder with files that --json printed",
                 folder};
  std::sort(files.begin(), files.end());
  std::vector<SparseDone> out;
  for (const auto& file : files) {
    const auto content = read_input(file.string(), "files that bench sparse-dag --json printed");
    if (!content) return content.error();
    const auto tree = text::parse(*content);
    const text::Value* rows = tree ? tree->find("rows") : nullptr;
    if (rows == nullptr || rows->items().empty())
      return error_at(ErrorCode::kMalformed, file.string(),
                      "holds no rows: give files that bench sparse-dag --json printed");
    for (const text::Value& row : rows->items()) {
      const auto done = row_of(row);
      if (!done)
        return error_at(
            ErrorCode::kMalformed, file.string(),
            "a row has no name, or no n that a committee can have: run it again with --json");
      out.push_back(*done);
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const SparseDone& a, const SparseDone& b) { return a.n < b.n; });
  return out;
}

Result<Unit, Error> save_sparse_charts(const std::string& folder, bool scaling,
                                       const std::vector<SparseDone>& all) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  for (const Measure& m : kCharts) {
    sim::Chart chart{std::string(m.label) + (scaling ? " by n" : " by NIC"),
                     scaling ? "n" : "NIC, Gbit/s",
                     m.label,
                     {}};
    for (const SparseDone& done : all) {
      std::string name = scaling ? done.name : done.protocol;
      if (!scaling && done.sample > 0) name += " D=" + std::to_string(done.sample);
      if (!scaling && done.name.ends_with("-late")) name += ", as the authors";
      auto at = std::find_if(chart.series.begin(), chart.series.end(),
                             [&](const sim::Series& s) { return s.name == name; });
      if (at == chart.series.end()) at = chart.series.insert(at, sim::Series{name, {}});
      const double x = scaling ? done.n : static_cast<double>(done.gbit_s);
      at->points.push_back({x, done.figures.*m.value, 0});
    }
    const std::string name = (scaling ? "scaling-" : "sparse-") + std::string(m.name) + ".svg";
    auto saved = sim::save_file(std::filesystem::path(folder) / name, sim::chart_file(chart));
    if (!saved) return saved;
  }
  return Unit{};
}

}  // namespace thresher::cli
