// Protocols whose rule table can be exported and proved, by name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "thresher/core/names.hpp"
#include "thresher/protocols/agreement/tables.hpp"
#include "thresher/protocols/broadcast/imbs_raynal.hpp"
#include "thresher/verify/export.hpp"

namespace thresher::cli {

inline constexpr const RuleTable* kBroadcastTables[] = {&bracha::kTable, &imbs_raynal::kTable};

inline std::optional<verify::Automaton> automaton_of(const std::string& protocol) {
  for (const RuleTable* table : kBroadcastTables) {
    if (protocol == table->name) return verify::export_broadcast(*table);
  }
  for (const VoteTable* table : agreement::kTables) {
    if (protocol == table->name) return verify::export_votes(*table);
  }
  return std::nullopt;
}

inline std::vector<std::string> rule_tables() {
  std::vector<std::string> out;
  for (const RuleTable* table : kBroadcastTables) out.emplace_back(table->name);
  for (const VoteTable* table : agreement::kTables) out.emplace_back(table->name);
  return out;
}

/// All of them, for messages and help.
inline std::string rule_table_names() {
  return name_list(rule_tables());
}

inline std::string no_rule_table(const std::string& asked) {
  return unknown_name("rule table", asked, rule_tables());
}

}  // namespace thresher::cli
