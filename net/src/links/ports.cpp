#include "thresher/net/ports.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <utility>

#include "links/port_blocks.hpp"

namespace thresher::net {
namespace {

constexpr std::uint16_t kFirst = 10'000;

// Where the ports begin that the kernel gives to outgoing connections.
std::uint16_t first_outgoing_port() {
  std::ifstream in("/proc/sys/net/ipv4/ip_local_port_range");
  std::uint16_t first = 0;
  return in >> first ? first : 32768;
}

// A socket that is bound there, or -1.
int bound_to(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
  ::close(fd);
  return -1;
}

bool can_bind(std::uint16_t port) {
  const int fd = bound_to(port);
  if (fd >= 0) ::close(fd);
  return fd >= 0;
}

}  // namespace

PortBlocks::PortBlocks(std::uint16_t first, std::uint16_t end, std::uint32_t seed)
    : begin_(first),
      blocks_(static_cast<std::uint32_t>(std::max(end, first) - first) / kSize),
      seed_(seed) {}

PortBlocks::~PortBlocks() {
  for (const int fd : markers_) ::close(fd);
}

bool PortBlocks::hold_another() {
  for (; looked_ < blocks_; ++looked_) {
    const auto first = static_cast<std::uint16_t>(begin_ + (seed_ + looked_) % blocks_ * kSize);
    const int marker = bound_to(first);
    if (marker < 0) continue;
    ++looked_;
    markers_.push_back(marker);
    // From somewhere in it: a program that ends leaves its ports to the nodes that it named them
    // for, and the next one that has this block gives out others first.
    for (std::uint32_t i = 0; i + 1 < kSize; ++i) {
      ports_.push_back(static_cast<std::uint16_t>(first + 1 + (seed_ / blocks_ + i) % (kSize - 1)));
    }
    return true;
  }
  return false;
}

std::vector<std::uint16_t> PortBlocks::take(std::uint64_t n) {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint16_t> out;
  bool again = false;  // from the first one that was given out
  while (out.size() < n) {
    if (next_ == ports_.size() && !hold_another()) {
      if (std::exchange(again, true)) break;
      next_ = 0;
      looked_ = 0;  // other processes may have left some
      continue;
    }
    const std::uint16_t port = ports_[next_++];
    const bool taken = again && std::ranges::find(out, port) != out.end();
    if (!taken && can_bind(port)) out.push_back(port);
  }
  return out;
}

std::vector<std::uint16_t> free_ports(std::uint64_t n) {
  static PortBlocks blocks(kFirst, first_outgoing_port(), std::random_device{}());
  return blocks.take(n);
}

}  // namespace thresher::net
