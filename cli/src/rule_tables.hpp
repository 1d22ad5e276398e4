// Protocols whose rule table can be exported and proved, by name.
#pragma once

#include <optional>
#include <string>

#include "thresher/protocols/agreement/tables.hpp"
#include "thresher/protocols/broadcast/bracha.hpp"
#include "thresher/verify/export.hpp"

namespace thresher::cli {

inline std::optional<verify::Automaton> automaton_of(const std::string& protocol) {
  if (protocol == bracha::kTable.name) return verify::export_broadcast(bracha::kTable);
  for (const VoteTable* table : agreement::kTables) {
    if (protocol == table->name) return verify::export_votes(*table);
  }
  return std::nullopt;
}

/// All of them, for messages and help.
inline std::string rule_table_names() {
  std::string out(bracha::kTable.name);
  for (const VoteTable* table : agreement::kTables) out += ", " + std::string(table->name);
  return out;
}

}  // namespace thresher::cli
