#include "thresher/net/ports.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <fstream>

#include "thresher/crypto/signing_key.hpp"

namespace thresher::net {
namespace {

constexpr std::uint16_t kFirst = 10'000;

// Where the ports begin that the kernel gives to outgoing connections (ip(7)).
std::uint16_t first_outgoing_port() {
  std::ifstream in("/proc/sys/net/ipv4/ip_local_port_range");
  std::uint16_t first = 0;
  return in >> first ? first : 32768;
}

}  // namespace

// All are held until the last one is known, so they differ.
std::vector<std::uint16_t> free_ports(std::uint64_t n) {
  // Processes that look at the same time look in different places, and one never twice in a row.
  static std::atomic<std::uint64_t> next{
      hash(crypto::SigningKey::generate().public_key()).prefix() >> 1};
  const std::uint16_t end = first_outgoing_port();
  const std::uint64_t range = end > kFirst ? end - kFirst : 0;
  std::vector<int> held;
  std::vector<std::uint16_t> ports;
  for (std::uint64_t i = 0; i < range && ports.size() < n; ++i) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) break;
    held.push_back(fd);
    const auto port = static_cast<std::uint16_t>(kFirst + ++next % range);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      ports.push_back(port);
    }
  }
  for (const int fd : held) ::close(fd);
  return ports;
}

}  // namespace thresher::net
