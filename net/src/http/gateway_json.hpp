// What the gateway reads from targets and writes as JSON. Private to net/.
//
//   const auto target = Target::parse("/query?q=sum&length=8");
//   if (auto bad = target->unknown_of({"q", "length"})) refuse(*bad);
//   reply(json_of(outcome));
//
// Bytes are written as hexadecimal digits, and a second time as text where they are UTF-8 without
// control characters, for human readers.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/gateway.hpp"
#include "thresher/text/json.hpp"

namespace thresher::net {

/// A path with its parameters, both decoded.
struct Target {
  std::string path;
  std::map<std::string, std::string> parameters;

  /// Empty: malformed, or a parameter twice.
  static std::optional<Target> parse(std::string_view target);
  /// Empty: there is no such parameter.
  const std::string* find(const std::string& name) const;
  /// The value of a parameter that is a number; `otherwise` when it is not there. Empty: no number
  /// of 64 bits.
  std::optional<std::uint64_t> number(const std::string& name, std::uint64_t otherwise) const;
  /// A parameter that is none of these.
  std::optional<std::string> unknown_of(const std::vector<std::string>& known) const;
};

/// Whether a Host is a name of this machine, with or without a port.
bool is_this_machine(std::string_view host);

text::Value json_of(const CommitStatus& outcome);
text::Value json_of(const Answer& answer);
text::Value json_of(const NodeStatus& status);
text::Value json_of(const LoggedTransaction& transaction);
text::Value json_of(std::uint64_t from, const LogPage& page);
/// For a page that was pruned: why, and where the log begins.
text::Value pruned_json(const LogPage& page);
text::Value error_json(const std::string& what);

}  // namespace thresher::net
