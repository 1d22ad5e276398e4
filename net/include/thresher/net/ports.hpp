// Loopback ports for nodes that somebody starts on one machine.
//
//   for (const std::uint16_t port : free_ports(4)) ...
//
// Guarantees: the ports differ, were free a moment ago, and are none that the kernel gives to
// outgoing connections: one of those may be taken before the node listens or while it is down, and
// a node that dials it meanwhile may even be connected to itself. Not a reservation: another
// process that listens may still come first.
#pragma once

#include <cstdint>
#include <vector>

namespace thresher::net {

/// Fewer than `n` when the machine has no more.
std::vector<std::uint16_t> free_ports(std::uint64_t n);

}  // namespace thresher::net
