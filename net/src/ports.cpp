#include "thresher/net/ports.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

namespace thresher::net {

// All are held until the last one is known, so they differ.
std::vector<std::uint16_t> free_ports(std::uint64_t n) {
  std::vector<int> held;
  std::vector<std::uint16_t> ports;
  for (std::uint64_t i = 0; i < n; ++i) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* raw = reinterpret_cast<sockaddr*>(&address);
    if (fd < 0 || ::bind(fd, raw, size) != 0 || ::getsockname(fd, raw, &size) != 0) break;
    held.push_back(fd);
    ports.push_back(ntohs(address.sin_port));
  }
  for (const int fd : held) ::close(fd);
  return ports;
}

}  // namespace thresher::net
