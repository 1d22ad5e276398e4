// Protocols whose rule table can be exported and proved, by name.
#pragma once

#include <optional>
#include <string>

#include "thresher/protocols/broadcast/bracha.hpp"
#include "thresher/verify/export.hpp"

namespace thresher::cli {

inline std::optional<verify::Automaton> automaton_of(const std::string& protocol) {
  if (protocol == "bracha") return verify::export_broadcast(bracha::kTable);
  return std::nullopt;
}

}  // namespace thresher::cli
