// Small helpers that several verbs share: errors, durations.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine.hpp"
#include "thresher/core/errors.hpp"
#include "verb.hpp"

namespace thresher::cli {

/// Bytes that somebody else wrote, for a terminal or a line of a list: no control character, no
/// line break and no broken UTF-8 comes through; those stand as \\n, \\t or \\xNN, a backslash as
/// two.
std::string escaped(std::string_view bytes);

/// The same for words of our own in which somebody else's are quoted: line breaks and backslashes
/// stay.
inline std::string escaped_words(std::string_view words) {
  std::string out;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find_first_of("\n\\"), words.size());
    out += escaped(words.substr(0, end));
    out += words.substr(end, 1);
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return out;
}

/// Prints "thresher: why" and hands the exit status back, or kResourceMissing where the machine
/// refused (machine.hpp). What a file or a name brought along reaches no terminal as it is.
inline int fail(int status, const std::string& why) {
  (void)std::fprintf(stderr, "thresher: %s\n", escaped_words(why).c_str());
  return status_of(status, why);
}

inline int fail(int status, const Error& error) {
  return fail(status, error.text());
}

/// The same for several problems, one a line: the status is that of the last.
inline int fail_all(int status, const std::vector<std::string>& problems) {
  int out = status;
  for (const std::string& p : problems) out = fail(status, p);
  return out;
}

inline int fail_all(int status, const Errors& errors) {
  return fail_all(status, texts_of(errors));
}

/// The parts of a list separated by commas; none of an empty one.
std::vector<std::string> names_in(const std::string& list);

/// Why `name`, which `option` was given, is none of `known`, and what was perhaps meant; empty: it
/// is one. Pre: something is known.
std::string option_problem(std::string_view option, const std::string& name,
                           const std::vector<std::string>& known);

/// "20s", "500ms", "3" (seconds). Unit: microseconds.
inline std::optional<std::uint64_t> parse_duration(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (error != std::errc{} || !(value >= 0 && value <= 1e6)) return std::nullopt;
  if (unit == "ms") return static_cast<std::uint64_t>(value * 1e3);
  if (unit == "s" || unit.empty()) return static_cast<std::uint64_t>(value * 1e6);
  if (unit == "min") return static_cast<std::uint64_t>(value * 60e6);
  return std::nullopt;
}

/// "3@10s": which node, and when. Unit: microseconds.
struct NodeAt {
  std::uint64_t node = 0;
  std::uint64_t at_us = 0;
};
std::optional<NodeAt> parse_node_at(std::string_view text);

}  // namespace thresher::cli
