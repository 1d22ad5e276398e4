// A recorded history of a key-value store: what clients asked, what they got, and when.
//
//   const auto history = history::read(content, "run.ndjson");
//   if (!history) return complain(history.error());            // every problem with its line
//
// The file:
//     {"client":"c0","op":"put","key":"x","value":"1","begin":10,"end":25}
//     {"client":"c1","op":"get","key":"x","value":null,"begin":12,"end":14}
//
// One operation a line. `begin` and `end` are whole numbers of any one clock and unit. `value`
// null: the key held nothing (get), or is emptied (put). An operation without `end` never returned:
// it may or may not have taken effect. One that failed for certain is left out of the file. `id`
// names an operation, and `after` lists the ids of those that it depends on beside its client's
// own. A value that is a number is a whole one, from -2^63 to 2^64-1, without point and exponent:
// others are written as texts.
//
// Guarantees: a client's operations follow each other; dependencies are known and form no cycle.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "thresher/core/errors.hpp"

namespace thresher::history {

enum class Kind : std::uint8_t { kGet, kPut };

/// The end of what never returned.
inline constexpr std::uint64_t kNever = ~std::uint64_t{0};

struct Operation {
  Kind kind = Kind::kGet;
  std::uint32_t client = 0;
  std::uint32_t key = 0;
  /// What was put or got, numbered over all keys: equal exactly if key and value are. The version
  /// `key` itself is nothing under that key.
  std::uint32_t version = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = kNever;
  std::uint32_t line = 0;            ///< in the file, from 1
  std::vector<std::uint32_t> after;  ///< indices of operations
};

struct History {
  std::vector<Operation> operations;  ///< by begin; gets that never returned are left out
  std::vector<std::string> clients;
  std::vector<std::string> keys;
  /// As JSON writes them; the first are one null for each key.
  std::vector<std::string> values;
};

/// The history of a file's content, or the first 20 things that are wrong with it: each kMalformed,
/// with "file:line:column" as its `where`, or `file` where it holds no operation.
Result<History, Errors> read(std::string_view content, const std::string& file);

/// "line 7 (c1: get x -> 3)".
std::string show(const History& history, const Operation& operation);

}  // namespace thresher::history
