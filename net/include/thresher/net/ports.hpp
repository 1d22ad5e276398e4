// Loopback ports for nodes that somebody starts on one machine.
//
//   for (const std::uint16_t port : free_ports(4)) ...
//
// Guarantees: the ports differ, and were free a moment ago; none is one that the kernel could give
// to an outgoing connection before the node listens, or while it is down (a node that dials one
// that is down could even be connected to itself). As long as this process runs no other one gets
// them from here, so a node may stop and start again. Not a reservation: another process may take
// one.
#pragma once

#include <cstdint>
#include <vector>

namespace thresher::net {

/// Fewer than `n` when the machine has no more.
std::vector<std::uint16_t> free_ports(std::uint64_t n);

}  // namespace thresher::net
