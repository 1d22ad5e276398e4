// Sweeps: which keys of a file take which values together, and changing a tree by a key's path.
//
//   std::vector<Axis> axes = read_axes(*tree.find("sweep"), complaints);
//   set_path(tree, axes[0].keys[0], axes[0].rows[2][0]);
//
// Guarantees: {"a": [1, 2], "b": [3, 4]} is a product, [{"a": [1, 2], "b": [3, 4]}] a zip; a range
// is {"from": 1, "to": 64, "step": 3} or {"from": 1, "to": 64, "factor": 2}. No list is empty.
#pragma once

#include <string>
#include <vector>

#include "field_reader.hpp"
#include "thresher/text/json.hpp"

namespace thresher::sim {

/// Keys that move together, and their values: a row for each step, in the order of the keys.
struct Axis {
  std::vector<std::string> keys;
  std::vector<std::vector<text::Value>> rows;
};

/// Complains of keys that set the same, and of equal rows.
std::vector<Axis> read_axes(const text::Value& sweep, Complaints& complaints);

/// Whether set_path() for `path` changes what `key` names, or a part of that.
bool is_within(const std::string& path, const std::string& key);

/// Puts `value` at "a.b" or "a.0.b", making objects on the way, if that can be. What follows
/// "sweep." is one key.
Result<Unit, Error> set_path(text::Value& root, const std::string& path, text::Value value);

}  // namespace thresher::sim
