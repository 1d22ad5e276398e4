// The clients that are connected, by what they asked for. Private to net/.
//
//   visitors.arrive(link, client_id_of(key), now);
//   visitors.served(link, now);                          // it asked for something, or got it
//   transport.drop(visitors.least_useful(), "...");      // all places are taken, one more came
//
// Guarantees: every client gets a place, and keeps it for long enough to ask: those that asked for
// nothing share an eighth of the places, in which the oldest gives way; among the others it is the
// one whose last question or answer is longest ago. So idle connections lock nobody out, and a
// flood of them ends no client that is being served.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "thresher/net/client_id.hpp"
#include "thresher/net/transport.hpp"

namespace thresher::net {

class Visitors {
 public:
  /// Times are monotonic microseconds.
  void arrive(ConnectionId link, const ClientId& client, std::uint64_t now);
  void leave(ConnectionId link);
  void served(ConnectionId link, std::uint64_t now);

  /// The client at the other end; null when it is gone.
  const ClientId* client(ConnectionId link) const;
  /// The one that gives way; empty when there is none.
  std::optional<ConnectionId> least_useful() const;
  std::size_t size() const { return visitors_.size(); }

 private:
  struct Visitor {
    ClientId client{};
    std::uint64_t last_us = 0;  // of arriving, a question or an answer
    bool asked = false;
  };
  std::map<ConnectionId, Visitor> visitors_;
};

}  // namespace thresher::net
