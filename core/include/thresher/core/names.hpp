// Nearest names, for messages about typos.
//
//   if (auto near = nearest("treshold", known)) message += "; did you mean '" + *near + "'?";
//
// Guarantees: the known name with the fewest edits, the first of equals; empty when none is close
// (more than a third of the letters and one would change).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace thresher {

/// Insertions, deletions and replacements that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b);
std::optional<std::string> nearest(std::string_view name, std::span<const std::string> known);

}  // namespace thresher
