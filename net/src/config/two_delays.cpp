#include "thresher/net/two_delays.hpp"

#include <algorithm>
#include <charconv>

#include "thresher/protocols/dag/two_delay.hpp"

namespace thresher::net {

std::optional<std::uint32_t> fast_of(const Parameters& given, std::string_view protocol) {
  const auto its = [&](const ParameterOf& p) { return p.protocol == protocol && p.name == "fast"; };
  const auto& known = node_parameters();
  if (std::none_of(known.begin(), known.end(), its)) return std::nullopt;
  const std::string text = parameter_text(given, protocol, "fast");
  std::uint32_t p = 0;
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, p);
  if (error != std::errc{} || last != end) return std::nullopt;
  return p;
}

Result<Unit, Error> check_fast(const Parameters& given, std::string_view protocol,
                               const Committee& committee) {
  const auto p = fast_of(given, protocol);
  return p ? dag::check_two_delays(committee, *p) : Unit{};
}

}  // namespace thresher::net
