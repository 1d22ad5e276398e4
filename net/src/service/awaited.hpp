// Transactions that somebody here waits for, until they are ordered or never can be. Private to
// net/.
//
//   awaited.add(print, {client, sequence, valid});                    // submitted
//   awaited.take(print, [&](const Submission& s) { answer(s.from, s.sequence); });    // ordered
//   awaited.expire(gone, [&](const Submission& s) { refuse(s); });    // now and then
//
// Guarantees: each is given out once to each link that waits for it, of which it knows the last
// kMostLinks. Found by its fingerprint, so by client, sequence and data:
// what somebody else writes under a client's name answers none of that client's, and of two links
// with one key each waits for its own data, whatever numbers they gave them. At most
// kMostAwaited; who gives way for whom is the pool's to say (pool.hpp).
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "ledger/fingerprint_index.hpp"
#include "thresher/net/transport.hpp"
#include "wire/transactions.hpp"

namespace thresher::net {

/// 64 bytes each, and their places in the index.
inline constexpr std::size_t kMostAwaited = 1u << 19;
/// That are told of one transaction; a client that comes back again and again leaves dead ones.
inline constexpr std::size_t kMostLinks = 8;
/// Transactions for which more than one link waits; of others the last link is told.
inline constexpr std::size_t kMostShared = 1u << 14;

struct Submission {
  ClientId client{};
  std::uint64_t sequence = 0;
  Validity valid{};
  ConnectionId from = 0;  ///< the link that gets the answer
};

class Awaited {
 public:
  bool has_room() const { return index_.size() < kMostAwaited; }
  /// Whether anything of this client is awaited: cheaper than to look for one.
  bool holds(const ClientId& client) const { return held_.contains(client); }
  /// Whether it is awaited; `from` submitted it again, and gets the answer too.
  bool again(const Fingerprint& print, ConnectionId from);
  /// Pre: has_room(); it is not there yet.
  void add(const Fingerprint& print, const Submission& submission);
  /// Removes it, and visits it once for each link that waits. False: it is not awaited.
  template <class F>
  bool take(const Fingerprint& print, F visit) {
    const auto at = find(print);
    if (at) give_out(*at, visit);
    return at.has_value();
  }
  /// Removes those for which `gone` holds, and visits them.
  template <class Gone, class F>
  void expire(Gone gone, F visit) {
    for (std::uint32_t at = 0; at < entries_.size(); ++at) {
      const Entry& e = entries_[at];
      if (e.used && gone(e.submission.valid)) give_out(at, visit);
    }
  }
  std::size_t size() const { return index_.size(); }

 private:
  struct Entry {
    Fingerprint print{};
    Submission submission{};
    bool used = false;
  };
  std::optional<std::uint32_t> find(const Fingerprint& print) const {
    return index_.find(print, [&](std::uint32_t at) { return entries_[at].print == print; });
  }
  template <class F>
  void give_out(std::uint32_t at, F& visit) {
    Submission submission = entries_[at].submission;
    const std::vector<ConnectionId> others = remove(at);
    visit(submission);
    for (const ConnectionId link : others) {
      submission.from = link;
      visit(submission);
    }
  }
  // The links that wait beside `from`.
  std::vector<ConnectionId> remove(std::uint32_t at);

  FingerprintIndex index_;  // handles: places in entries_
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;                            // unused ones
  std::map<ClientId, std::size_t> held_;                       // by each client
  std::map<std::uint32_t, std::vector<ConnectionId>> others_;  // by place: links before the last
};

}  // namespace thresher::net
