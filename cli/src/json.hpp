// One JSON object on one line, for --json.
//
//   Json out;
//   out.set("agreement", true).set("nodes", 4).set("latency_ms", Json().set("p50", 1.5));
//   out.print();                                  // one line on stdout
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "thresher/core/error.hpp"

namespace thresher::cli {

/// One JSON object of a line-by-line file: its texts and truth values by name, the rest ignored.
struct JsonLine {
  std::map<std::string, std::string> texts;
  std::map<std::string, bool> truths;
};
/// The error says what is wrong with the line.
Result<JsonLine, Error> read_json_line(const std::string& line);

class Json {
 public:
  Json();
  ~Json();
  Json(const Json&) = delete;
  Json& operator=(const Json&) = delete;
  Json(Json&&) noexcept;

  Json& set(const std::string& key, bool value);
  Json& set(const std::string& key, double value);
  Json& set(const std::string& key, std::uint64_t value);
  Json& set(const std::string& key, const std::string& value);
  Json& set(const std::string& key, const std::vector<std::uint64_t>& value);
  Json& set(const std::string& key, const Json& value);
  Json& set(const std::string& key, const std::vector<Json>& rows);
  Json& set_null(const std::string& key);
  std::string line() const;
  void print() const;
  /// All of them as one array on one line.
  static void print_array(const std::vector<Json>& rows);
  /// A text as JSON writes it, quotes included.
  static std::string quoted(const std::string& text);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace thresher::cli
