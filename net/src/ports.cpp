#include "thresher/net/ports.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <random>

namespace thresher::net {
namespace {

constexpr std::uint16_t kFirst = 10'000;

// Where the ports begin that the kernel gives to outgoing connections.
std::uint16_t first_outgoing_port() {
  std::ifstream in("/proc/sys/net/ipv4/ip_local_port_range");
  std::uint16_t first = 0;
  return in >> first ? first : 32768;
}

bool can_bind(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  const int bound = ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  ::close(fd);
  return bound == 0;
}

}  // namespace

std::vector<std::uint16_t> free_ports(std::uint64_t n) {
  // Processes that look at the same time look in different places; one process never twice at one
  // port before it has seen all.
  static std::atomic<std::uint32_t> next{std::random_device{}()};
  const std::uint16_t end = first_outgoing_port();
  std::vector<std::uint16_t> ports;
  if (end <= kFirst) return ports;
  const std::uint32_t range = end - kFirst;
  for (std::uint32_t i = 0; i < range && ports.size() < n; ++i) {
    const auto port = static_cast<std::uint16_t>(kFirst + next.fetch_add(1) % range);
    if (can_bind(port)) ports.push_back(port);
  }
  return ports;
}

}  // namespace thresher::net
