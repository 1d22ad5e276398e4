#include <filesystem>
#include <memory>

#include "../output_file.hpp"
#include "../sim/sweep_charts.hpp"
#include "../sim/table.hpp"
#include "../text.hpp"
#include "thresher/sim/results.hpp"
#include "thresher/text/json.hpp"

namespace thresher::cli {
namespace {

int save_page(const std::string& folder, const sim::SummaryTable& table, const std::string& path) {
  sim::Report page;
  page.title = "Sweep in " + folder;
  page.version = THRESHER_VERSION;
  page.charts = charts_of(table);
  page.rows = rows_of(table);
  const auto saved = sim::save_file(path, sim::report_html(page));
  return saved ? kDone : fail(kUsage, saved.error());
}

// Why the page must not take this place: what the sweep made would be lost.
std::string page_problem(const std::string& folder, const std::string& path) {
  namespace fs = std::filesystem;
  if (std::string why = output_problem("--html", path); !why.empty()) return why;
  for (const char* name : sim::kSweepFiles) {
    const std::string made = (fs::path(folder) / name).string();
    if (std::string why = same_file_problem("--html", path, made); !why.empty()) return why;
  }
  std::error_code error;
  for (const auto& made : fs::recursive_directory_iterator(fs::path(folder) / "runs", error)) {
    if (std::string why = same_file_problem("--html", path, made.path().string()); !why.empty())
      return why;
  }
  return {};
}

int report(const std::string& folder, const std::string& html, bool json) {
  if (const std::string why = page_problem(folder, html); !why.empty()) return fail(kUsage, why);
  const auto table = sim::summary_of(folder);
  if (!table) return fail(kUsage, table.error());
  if (!html.empty()) return save_page(folder, *table, html);
  if (!json) {
    print_table(*table);
    return kDone;
  }
  text::Value rows = text::Value::list();
  for (std::size_t i = 1; i < table->rows.size(); ++i) {
    text::Value row = text::Value::object();
    for (std::size_t c = 0; c < table->rows[i].size(); ++c) {
      const std::string& cell = table->rows[i][c];
      const auto value = text::parse(cell);
      row.set(table->rows[0][c], cell.empty() ? text::Value() : value ? *value : cell);
    }
    rows.push(std::move(row));
  }
  text::Value out;
  out.set("rows", std::move(rows));
  std::puts(text::write(out).c_str());
  return kDone;
}

}  // namespace

Verb make_sim_report() {
  auto folder = std::make_shared<std::string>();
  auto html = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  return {{"sim", "report"},
          "Show the means of a finished sweep with their 95 % confidence. Example: thresher sim "
          "report results",
          {{"folder", "what `sim sweep --out` or `sim merge` made", folder.get(), true},
           {"--html", "write charts and table to this page instead", html.get()},
           {"--json", "one object on one line", json.get()}},
          [folder, html, json] { return report(*folder, *html, *json); },
          {{{"--json"}, [html] { return !html->empty(); }, "--html writes a page instead"}}};
}

}  // namespace thresher::cli
