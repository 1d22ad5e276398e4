// Clients of wire version 2, which the node goes on serving: they name a client number in every
// transaction, and get acknowledgements and refusals in the layout of that version. Private to
// net/.
//
//   older.arrive(link);
//   if (const auto entries = older.entries_of(link, payload)) submit(*entries);      // as version
//   3 has them send(link, {kAck, {}, older.acks_of(link, acks)});
//
// Guarantees: what such a client calls itself binds nobody: as for all, its id is that of its TLS
// key, and its numbers only tell its own transactions apart. So nothing of what an id by key
// prevents comes back. Each answer of version 3 becomes one of version 2, or none where that has no
// word for it. Remembers at most kMostAwaited names a link.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "awaited.hpp"
#include "thresher/net/client.hpp"
#include "thresher/net/codec.hpp"

namespace thresher::net {

class OlderClients {
 public:
  void arrive(ConnectionId link) { names_[link]; }
  void leave(ConnectionId link) { names_.erase(link); }
  bool speaks(ConnectionId link) const { return names_.contains(link); }

  /// The entries of a Submit as version 3 has them; empty: malformed, or too much without an
  /// answer.
  std::optional<Bytes> entries_of(ConnectionId link, ByteView payload);
  /// (sequence, position) pairs as acknowledgements of (client, sequence, position).
  Bytes acks_of(ConnectionId link, ByteView payload);
  /// The same of a refusal. `limit`: bytes that a transaction may have.
  Frame refusal_of(ConnectionId link, Refusal why, const std::vector<std::uint64_t>& sequences,
                   std::uint64_t limit);
  /// Runs of the log as entries of (client, sequence, data), where a client is the head of its id.
  static Bytes log_of(ByteView runs);

 private:
  struct Name {
    std::uint64_t client = 0;
    std::uint64_t sequence = 0;
  };
  using Names = std::map<std::uint64_t, Name>;  // by the sequence of version 3
  std::map<ConnectionId, Names> names_;
};

}  // namespace thresher::net
