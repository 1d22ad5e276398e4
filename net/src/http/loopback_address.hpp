// The address of a port that only this machine reaches. Private to net/.
//
//   const auto place = loopback_address("127.0.0.1:9464");       // {"127.0.0.1", 9464}
#pragma once

#include <arpa/inet.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace thresher::net {

struct LoopbackAddress {
  std::string host;
  std::uint16_t port = 0;
};

/// That `host` is an IPv4 address of loopback, with all its four numbers. What only looks like one
/// (127.999.1.1, 127.1) a resolver takes for a name, and somebody may answer for that.
inline bool is_loopback(std::string_view host) {
  in_addr address{};
  return host.starts_with("127.") && host.find('\0') == host.npos &&
         ::inet_pton(AF_INET, std::string(host).c_str(), &address) == 1;
}

/// Empty where `text` is no IPv4 address of loopback with a port from 1 on, and nothing behind it:
/// in a list another address could hide.
inline std::optional<LoopbackAddress> loopback_address(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) return std::nullopt;
  LoopbackAddress out{text.substr(0, colon)};
  if (!is_loopback(out.host)) return std::nullopt;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data() + colon + 1, last, out.port);
  if (error != std::errc{} || end != last || out.port == 0) return std::nullopt;
  return out;
}

}  // namespace thresher::net
