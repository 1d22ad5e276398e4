#include "table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace thresher::cli {
namespace {

// Four digits that matter. What is not a number stays as it is, and so does a whole one, such as a
// seed: a double would make another of it.
std::string shortened(const std::string& text) {
  if (text.find_first_not_of("0123456789") == std::string::npos) return text;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return text;
  char out[32];
  const bool whole = value == std::round(value) || std::abs(value) >= 1e4;
  (void)std::snprintf(out, sizeof out, whole ? "%.0f" : "%.4g", value);
  return out;
}

// A mean and its confidence become one column.
std::vector<std::vector<std::string>> joined(const sim::SummaryTable& table) {
  const std::vector<std::string>& names = table.rows.front();
  std::vector<std::vector<std::string>> out(table.rows.size());
  for (std::size_t column = 0; column < names.size(); ++column) {
    if (names[column].ends_with("_ci95")) continue;
    const bool bounded = column + 1 < names.size() && names[column + 1] == names[column] + "_ci95";
    const bool empty = std::all_of(table.rows.begin() + 1, table.rows.end(),
                                   [&](const auto& row) { return row[column].empty(); });
    if (empty) continue;
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      std::string cell = table.rows[row][column];
      if (row != 0) cell = shortened(cell);
      if (row != 0 && bounded && !table.rows[row][column + 1].empty()) {
        cell += " +-" + shortened(table.rows[row][column + 1]);
      }
      out[row].push_back(std::move(cell));
    }
  }
  return out;
}

}  // namespace

void print_table(const sim::SummaryTable& table) {
  const auto rows = joined(table);
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line +=
          std::string(widths[i] - row[i].size(), ' ') + row[i] + (i + 1 < row.size() ? "  " : "");
    }
    std::puts(line.c_str());
  }
}

}  // namespace thresher::cli
