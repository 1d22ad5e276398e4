// Loopback ports for nodes that somebody starts on one machine.
//
//   for (const std::uint16_t port : free_ports(4)) ...
//
// Guarantees: the ports differ, and were free a moment ago. Not a reservation: another process may
// take one before the node does.
#pragma once

#include <cstdint>
#include <vector>

namespace thresher::net {

/// Fewer than `n` when the machine has no more.
std::vector<std::uint16_t> free_ports(std::uint64_t n);

}  // namespace thresher::net
