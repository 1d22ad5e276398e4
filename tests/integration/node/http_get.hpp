// Asks a page of a node's metrics port.
//
//   EXPECT_EQ(http_get(port, "/healthz"), "200 ok\n");
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "raw_peer.hpp"

namespace thresher::net {

/// Status and text; empty when nobody answers within 20 s.
inline std::string http_get(std::uint16_t port, const std::string& path) {
  const int fd = connect_to(port);
  if (fd < 0) return {};
  const timeval patience{20, 0};
  (void)::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  const std::string request = "GET " + path + " HTTP/1.1\r\n\r\n";
  (void)::send(fd, request.data(), request.size(), MSG_NOSIGNAL);
  std::string out;
  char buffer[4096];
  for (ssize_t n = 0; (n = ::recv(fd, buffer, sizeof buffer, 0)) > 0;) {
    out.append(buffer, static_cast<std::size_t>(n));
  }
  ::close(fd);
  const std::size_t body = out.find("\r\n\r\n");
  if (out.size() < 12 || body == std::string::npos) return {};
  return out.substr(9, 4) + out.substr(body + 4);
}

}  // namespace thresher::net
