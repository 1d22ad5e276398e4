// Clients of wire version 2, which the node goes on serving: they name a client number in every
// transaction, and get acknowledgements and refusals in the layout of that version. Private to
// net/.
//
//   older.arrive(link);
//   const auto entries = OlderClients::entries_of(payload);            // as version 3 has them
//   if (entries && older.expect(link, payload)) submit(*entries);
//   send(link, {kAck, {}, older.acks_of(link, acks)});
//
// Guarantees: what such a client calls itself binds nobody: as for all, its id is that of its TLS
// key, and its numbers only tell its own transactions apart. So nothing of what an id by key
// prevents comes back. Each answer of version 3 becomes one of version 2, or none where that has no
// word for it. A name is kept from expect() to its answer: kAlwaysKept of a link, beyond them as
// many as are left to others of kMostAwaited. So what is refused as a whole keeps nothing.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "service/awaited.hpp"
#include "thresher/net/client.hpp"
#include "thresher/net/codec.hpp"

namespace thresher::net {

class OlderClients {
 public:
  void arrive(ConnectionId link) { names_[link]; }
  void leave(ConnectionId link);
  bool speaks(ConnectionId link) const { return names_.contains(link); }

  /// The entries of a Submit as version 3 has them; empty: malformed. Keeps nothing.
  static std::optional<Bytes> entries_of(ByteView payload);
  /// Keeps the names of a Submit that is going to be answered. False: too many are without an
  /// answer, and none was kept. Pre: speaks(link); entries_of() could read it.
  bool expect(ConnectionId link, ByteView payload);
  /// (sequence, position) pairs as acknowledgements of (client, sequence, position).
  Bytes acks_of(ConnectionId link, ByteView payload);
  /// The same of a refusal. `limit`: bytes that a transaction may have.
  Frame refusal_of(ConnectionId link, Refusal why, const std::vector<std::uint64_t>& sequences,
                   std::uint64_t limit);
  /// Runs of the log as entries of (client, sequence, data), where a client is the head of its id.
  static Bytes log_of(ByteView runs);
  /// Names that are kept, of all links.
  std::size_t kept() const { return kept_; }

  /// Names that a link may have kept whatever others have.
  static constexpr std::size_t kAlwaysKept = 1024;

 private:
  struct Name {
    std::uint64_t client = 0;
    std::uint64_t sequence = 0;
  };
  using Names = std::map<std::uint64_t, Name>;  // by the sequence of version 3
  Names::iterator forget(Names& names, Names::iterator at);

  std::map<ConnectionId, Names> names_;
  std::size_t kept_ = 0;
};

}  // namespace thresher::net
