#include "summary.hpp"

#include <algorithm>

#include "thresher/sim/results.hpp"
#include "thresher/sim/statistics.hpp"
#include "thresher/sim/told.hpp"
#include "thresher/text/json.hpp"

namespace thresher::sim {
namespace {

namespace fs = std::filesystem;
using text::Value;

// A column of the tables: its name, and where a result holds it.
struct Column {
  std::string name;
  std::string key;
  std::string inner{};
};

const Value* measure_of(const Value& result, const Column& column) {
  const Value* found = result.find(column.key);
  return found == nullptr || column.inner.empty() ? found : found->find(column.inner);
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

std::string shown(const Value* value) {
  if (value == nullptr || value->is_null()) return "";
  const std::string* words = value->as_text();
  return csv_field(words != nullptr ? *words : text::write(*value));
}

std::string rounded(double value) {
  return text::write(Value(value));
}

struct Row {
  const CellRow* cell;
  Value result;
};

// What is missing of the result of a run, as outcome_json() writes every one; empty: nothing.
// Tables would have holes in its place, and counts would take it for what its verdict says.
std::string_view lacking(const Value& result) {
  for (const char* words : {"verdict", "trace_hash"}) {
    const Value* value = result.find(words);
    if (value == nullptr || value->as_text() == nullptr) return words;
  }
  for (const char* number : {"seed", "rounds", "virtual_ms", "messages", "bytes", "decisions"}) {
    const Value* value = result.find(number);
    if (value == nullptr || !value->is_number()) return number;
  }
  const Value* latency = result.find("latency_ms");
  return latency == nullptr || !latency->is_object() ? "latency_ms" : std::string_view();
}

// Those that every run has, then protocols' own in the order in which they are met.
std::vector<Column> columns_of(const std::vector<Row>& rows) {
  std::vector<Column> out = {
      {"rounds", "rounds"},
      {"virtual_ms", "virtual_ms"},
      {"messages", "messages"},
      {"bytes", "bytes"},
      {"decisions", "decisions"},
      {"latency_mean_ms", "latency_ms", "mean"},
      {"latency_p50_ms", "latency_ms", "p50"},
      {"latency_p99_ms", "latency_ms", "p99"},
      {"requests_per_s", "requests", "per_s"},
      {"longest_gap_ms", "commits", "longest_gap_ms"},
  };
  for (const Row& row : rows) {
    const Value* own = row.result.find("measures");
    if (own == nullptr) continue;
    for (const text::Member& m : own->members()) {
      const auto known =
          std::find_if(out.begin(), out.end(), [&](const Column& c) { return c.inner == m.key; });
      if (known == out.end()) out.push_back({m.key, "measures", m.key});
    }
  }
  return out;
}

std::string runs_csv(const std::vector<Row>& rows, const std::vector<Column>& columns) {
  std::string out = "id";
  for (const Coordinate& c : rows.front().cell->at) out += "," + csv_field(c.key);
  out += ",repeat,seed,verdict,oracle,trace_hash";
  for (const Column& column : columns) out += "," + csv_field(column.name);
  out += "\n";
  for (const Row& row : rows) {
    out += row.cell->id;
    for (const Coordinate& c : row.cell->at) out += "," + csv_field(c.value);
    out += "," + std::to_string(row.cell->repeat);
    for (const char* key : {"seed", "verdict", "oracle", "trace_hash"}) {
      out += "," + shown(row.result.find(key));
    }
    for (const Column& column : columns) out += "," + shown(measure_of(row.result, column));
    out += "\n";
  }
  return out;
}

std::size_t count_verdict(const Row* first, const Row* last, std::string_view verdict) {
  return static_cast<std::size_t>(std::count_if(first, last, [&](const Row& row) {
    const Value* found = row.result.find("verdict");
    return found != nullptr && found->as_text() != nullptr && *found->as_text() == verdict;
  }));
}

// The repeats of one place of the sweep.
std::vector<std::string> summary_row(const Row* first, const Row* last,
                                     const std::vector<Column>& columns) {
  std::vector<std::string> out;
  for (const Coordinate& c : first->cell->at) out.push_back(c.value);
  out.push_back(std::to_string(last - first));
  for (const Verdict verdict : {Verdict::kPass, Verdict::kNoProgress, Verdict::kViolated}) {
    out.push_back(std::to_string(count_verdict(first, last, to_string(verdict))));
  }
  out.push_back(std::to_string(count_verdict(first, last, kUndecided)));
  out.push_back(std::to_string(std::count_if(
      first, last, [](const Row& row) { return row.result.find("unjudged") != nullptr; })));
  for (const Column& column : columns) {
    std::vector<double> values;
    for (const Row* row = first; row != last; ++row) {
      const Value* found = measure_of(row->result, column);
      if (found == nullptr || !found->is_number()) continue;
      values.push_back(*found->as_real());
    }
    const auto m = values.empty() ? MeanWithin{} : mean_within(values);
    out.push_back(values.empty() ? "" : rounded(m.mean));
    out.push_back(m.half ? rounded(*m.half) : "");
  }
  return out;
}

SummaryTable summary_table(const std::vector<Row>& rows) {
  std::vector<std::string> names;
  for (const Coordinate& c : rows.front().cell->at) names.push_back(c.key);
  for (const char* name : {"runs", "pass", "no_progress", "violated", "undecided", "unjudged"})
    names.emplace_back(name);
  const std::vector<Column> columns = columns_of(rows);
  for (const Column& column : columns) {
    names.push_back(column.name);
    names.push_back(column.name + "_ci95");
  }
  SummaryTable out{{std::move(names)}};
  const Row* const end = rows.data() + rows.size();
  for (const Row* first = rows.data(); first != end;) {
    const Row* last =
        std::find_if(first, end, [&](const Row& row) { return row.cell->at != first->cell->at; });
    out.rows.push_back(summary_row(first, last, columns));
    first = last;
  }
  return out;
}

std::string csv_of(const SummaryTable& table) {
  std::string out;
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) out += (i == 0 ? "" : ",") + csv_field(row[i]);
    out += "\n";
  }
  return out;
}

Value row_json(const CellRow& row) {
  Value at = Value::object();
  for (const Coordinate& c : row.at) {
    const auto value = text::parse(c.value);
    at.append({c.key, value ? *value : Value(c.value)});
  }
  Value out;
  out.set("id", row.id).set("at", std::move(at)).set("repeat", row.repeat);
  return out;
}

std::string results_text(const std::vector<Row>& rows) {
  std::string out;
  for (const Row& row : rows) {
    Value line = row_json(*row.cell);
    for (const text::Member& member : row.result.members()) {
      if (member.key != "per_node") line.set(member.key, member.value);
    }
    out += text::write(line) + "\n";
  }
  return out;
}

Result<Unit, Error> load_results(const fs::path& out, const std::vector<CellRow>& rows,
                                 std::vector<Row>& results) {
  for (const CellRow& row : rows) {
    auto result = load_result(out, row.id);
    if (!result) return result.error();
    results.push_back({&row, std::move(*result)});
  }
  return Unit{};
}

}  // namespace

std::string cells_text(const std::vector<CellRow>& rows) {
  std::string out;
  for (const CellRow& row : rows) out += text::write(row_json(row)) + "\n";
  return out;
}

Result<std::vector<CellRow>, Error> load_cells(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    const std::string folder = path.parent_path().string();
    return Error{ErrorCode::kMissing,
                 "'" + folder + "' holds no sweep: " + path.filename().string() + " is missing",
                 folder, "give a folder that `thresher sim sweep --out` made"};
  }
  const auto content = load_file(path);
  if (!content) return content.error();
  std::vector<CellRow> out;
  std::size_t begin = 0;
  for (std::size_t number = 1; begin < content->text.size(); ++number) {
    const std::size_t end = std::min(content->text.find('\n', begin), content->text.size());
    const auto line = text::parse(std::string_view(content->text).substr(begin, end - begin));
    begin = end + 1;
    const Value* id = line ? line->find("id") : nullptr;
    const Value* repeat = line ? line->find("repeat") : nullptr;
    if (id == nullptr || id->as_text() == nullptr || repeat == nullptr || !repeat->as_unsigned()) {
      const std::string line_of = path.string() + ":" + std::to_string(number);
      return Error{ErrorCode::kCorrupt, line_of + ": is no cell of a sweep", line_of};
    }
    CellRow row{*id->as_text(), {}, *repeat->as_unsigned()};
    if (const Value* at = line->find("at")) {
      for (const text::Member& m : at->members()) row.at.push_back({m.key, text::write(m.value)});
    }
    out.push_back(std::move(row));
  }
  if (out.empty())
    return Error{ErrorCode::kCorrupt, path.string() + ": holds no cells", path.string()};
  return out;
}

fs::path run_folder(const fs::path& out, const std::string& id) {
  return out / "runs" / id;
}

bool is_finished(const fs::path& out, const std::string& id) {
  std::error_code error;
  return fs::exists(run_folder(out, id) / "result.json", error);
}

Result<Value, Error> load_result(const fs::path& out, const std::string& id) {
  const fs::path path = run_folder(out, id) / "result.json";
  const auto content = load_file(path);
  if (!content) return content.error();
  const auto corrupt = [&](const std::string& how) {
    return Error{ErrorCode::kCorrupt, "'" + path.string() + "' is damaged" + how, path.string(),
                 "remove its folder and run again"};
  };
  auto result = text::parse(content->text);
  if (!result || !result->is_object()) return corrupt("");
  if (const auto what = lacking(*result); !what.empty())
    return corrupt(": it is no whole result, '" + std::string(what) + "' is missing");
  return std::move(*result);
}

Result<Unit, Error> load_summary(const fs::path& out, const std::vector<CellRow>& rows,
                                 SummaryTable& table) {
  std::vector<Row> results;
  if (auto loaded = load_results(out, rows, results); !loaded) return loaded;
  table = summary_table(results);
  return Unit{};
}

Result<Unit, Error> summarise(const fs::path& out, const std::vector<CellRow>& rows) {
  std::vector<Row> results;
  if (auto loaded = load_results(out, rows, results); !loaded) return loaded;
  if (auto saved = save_file(out / "results.ndjson", results_text(results)); !saved) return saved;
  if (auto saved = save_file(out / "runs.csv", runs_csv(results, columns_of(results))); !saved)
    return saved;
  return save_file(out / "summary.csv", csv_of(summary_table(results)));
}

}  // namespace thresher::sim
