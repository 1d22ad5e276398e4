#include <memory>

#include "../sim/table.hpp"
#include "../text.hpp"
#include "thresher/text/json.hpp"

namespace thresher::cli {
namespace {

int report(const std::string& folder, bool json) {
  const auto table = sim::summary_of(folder);
  if (!table) return fail(kUsage, table.error());
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
  auto json = std::make_shared<bool>(false);
  return {{"sim", "report"},
          "Show the means of a finished sweep with their 95 % confidence. Example: thresher sim "
          "report results",
          {{"folder", "what `sim sweep --out` or `sim merge` made", folder.get(), true},
           {"--json", "one object on one line", json.get()}},
          [folder, json] { return report(*folder, *json); }};
}

}  // namespace thresher::cli
