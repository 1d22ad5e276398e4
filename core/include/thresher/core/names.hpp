// Names in messages about typos: what was perhaps meant, and what there is.
//
//   if (auto near = nearest("treshold", known)) message += "; did you mean '" + *near + "'?";
//   message = unknown_name("protocol", "pbtf", known);  // "...; did you mean `pbft`?"
//   return unknown("protocol", "pbtf", known);          // the same as an Error: kMissing
//
// Guarantees: the known name with the fewest edits, the first of equals; empty when none is close
// (more than a third of the letters and one would change), the name has more than 200 letters, or
// more than 2,000 are known: it is asked for of whatever files hold. Whatever is chosen by name
// (protocols, broadcasts, backends, faults, stores, keys of files) says the same of a name that it
// does not know. Does not look whether the name is known after all.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "thresher/core/error.hpp"

namespace thresher {

/// Insertions, deletions and replacements that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b);
std::optional<std::string> nearest(std::string_view name, std::span<const std::string> known);
/// "a, b, c".
std::string name_list(std::span<const std::string> names);
/// Why no `kind` of thing is called `name`: what was perhaps meant, else all that are known.
/// `where`: said behind the name, as " in `coin`".
std::string unknown_name(std::string_view kind, std::string_view name,
                         const std::vector<std::string>& known, std::string_view where = {});
/// The same as an Error: kMissing, and `name` is where. What to try instead is the remedy.
Error unknown(std::string_view kind, std::string_view name, const std::vector<std::string>& known,
              std::string_view where = {});

}  // namespace thresher
