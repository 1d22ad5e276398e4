#include "thresher/net/parameters.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "thresher/core/committee.hpp"
#include "thresher/core/names.hpp"
#include "thresher/protocols/dag/two_delay.hpp"

namespace thresher::net {
namespace {

/// For a number that need not be there.
constexpr std::string_view kOff = "off";
/// Further apart they would not come within the life of a ledger.
constexpr std::uint32_t kMostCheckpointSlots = 1u << 30;

const ParameterOf* find(std::string_view protocol, std::string_view name) {
  for (const ParameterOf& p : node_parameters()) {
    if ((p.protocol == protocol || p.protocol == kEveryProtocol) && p.name == name) return &p;
  }
  return nullptr;
}

// One spelling a number: the genesis is compared as text as well.
std::optional<std::uint32_t> number_of(const std::string& text) {
  std::uint32_t value = 0;
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || last != end || std::to_string(value) != text) return std::nullopt;
  return value;
}

std::string quoted(const std::string& text) {
  return '\'' + text + '\'';
}

Error unknown(const std::string& protocol, const std::string& name) {
  std::vector<std::string> known;
  std::string list;
  for (const ParameterOf& p : node_parameters()) {
    if (p.protocol != protocol && p.protocol != kEveryProtocol) continue;
    known.emplace_back(p.name);
    list += (list.empty() ? "" : ", ") + known.back();
  }
  const std::string what = "protocol " + protocol + " has no parameter " + quoted(name);
  // A name of a letter or two is near to everything.
  const auto close = name.size() > 2 ? nearest(name, known) : std::nullopt;
  return {ErrorCode::kMissing, what, name,
          close ? "did you mean '" + *close + "'?" : "known: " + list};
}

}  // namespace

const std::vector<ParameterOf>& node_parameters() {
  constexpr std::uint32_t kAll = Committee::kMaxSize;
  static const std::vector<ParameterOf> kParameters{
      {kEveryProtocol, "checkpoint", "0", 0, kMostCheckpointSlots},
      {"anchored-bullshark", "D", "6", 0, kAll},
      {"anchored-bullshark", "schedule", "in-order", 0, 0, {"in-order", "prompt"}, "prompt"},
      {"honeybadger", "encrypt", kOff, 0, 0, {kOff, "on"}},
      {"mahi-mahi", "wave", "5", 4, 8},
      {"mysticeti", "schedule", "misses", 0, 0, {"misses", "prompt"}, "prompt"},
      // D of the published table (arXiv 2506.13998). Up to 53 nodes this is everybody.
      {"sparse-bullshark", "D", "50", 0, kAll},
      {"sparse-bullshark", "sampling", "local", 0, 0, {"local", "verifiable"}},
      {"thresher", "fast", kOff, 0, dag::kMostAbsent},
      {"thresher", "schedule", "misses", 0, 0, {"misses", "prompt"}, "prompt"},
  };
  return kParameters;
}

Parameters fresh_parameters(std::string_view protocol) {
  Parameters out;
  for (const ParameterOf& p : node_parameters()) {
    if (p.protocol == protocol && !p.fresh.empty()) out.emplace(p.name, p.fresh);
  }
  return out;
}

Result<Unit, Error> check_parameter(const std::string& protocol, const std::string& name,
                                    const std::string& value) {
  const ParameterOf* p = find(protocol, name);
  if (p == nullptr) return unknown(protocol, name);
  const auto must_be = [&](const std::string& values) {
    return Error{ErrorCode::kMalformed,
                 name + " of " + protocol + " must be " + values + ", not " + quoted(value), name};
  };
  if (!p->choices.empty()) {
    if (std::find(p->choices.begin(), p->choices.end(), value) != p->choices.end()) return Unit{};
    std::string list;
    for (const std::string_view choice : p->choices)
      list += (list.empty() ? "" : " or ") + std::string(choice);
    return must_be(list);
  }
  const bool may_be_off = p->standard == kOff;
  if (may_be_off && value == kOff) return Unit{};
  const auto number = number_of(value);
  if (number && *number >= p->least && *number <= p->most) return Unit{};
  return must_be((may_be_off ? "off, or a whole number from " : "a whole number from ") +
                 std::to_string(p->least) + " to " + std::to_string(p->most));
}

std::string parameter_text(const Parameters& given, std::string_view protocol,
                           std::string_view name) {
  const auto it = given.find(std::string(name));
  if (it != given.end()) return it->second;
  const ParameterOf* p = find(protocol, name);
  return p == nullptr ? std::string() : std::string(p->standard);
}

std::uint32_t parameter_number(const Parameters& given, std::string_view protocol,
                               std::string_view name) {
  return number_of(parameter_text(given, protocol, name)).value_or(0);
}

}  // namespace thresher::net
