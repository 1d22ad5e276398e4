// The address of a port that only this machine reaches. Private to net/.
//
//   const auto place = loopback_address("127.0.0.1:9464");       // {"127.0.0.1", 9464}
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

namespace thresher::net {

struct LoopbackAddress {
  std::string host;
  std::uint16_t port = 0;
};

/// Empty where `text` is no IPv4 address of loopback with a port from 1 on, and nothing behind it:
/// in a list another address could hide.
inline std::optional<LoopbackAddress> loopback_address(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos || text.rfind("127.", 0) != 0) return std::nullopt;
  LoopbackAddress out{text.substr(0, colon)};
  if (out.host.find_first_not_of("0123456789.") != out.host.npos) return std::nullopt;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data() + colon + 1, last, out.port);
  if (error != std::errc{} || end != last || out.port == 0) return std::nullopt;
  return out;
}

}  // namespace thresher::net
