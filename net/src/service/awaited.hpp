// Transactions that somebody here waits for, until they are ordered or never can be. Private to
// net/.
//
//   awaited.add(print, {client, sequence, valid});                    // submitted
//   if (auto it = awaited.take(print)) answer(it->client, it->sequence, position);    // ordered
//   awaited.expire(gone, [&](const Submission& s) { refuse(s); });    // now and then
//
// Guarantees: each is given out once. Found by its fingerprint, so by client, sequence and data:
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

struct Submission {
  ClientId client{};
  std::uint64_t sequence = 0;
  Validity valid{};
  ConnectionId from = 0;  ///< the link that submitted it last, which gets the answer
};

class Awaited {
 public:
  bool has_room() const { return index_.size() < kMostAwaited; }
  /// Whether anything of this client is awaited: cheaper than to look for one.
  bool holds(const ClientId& client) const { return held_.contains(client); }
  /// Whether it is awaited; `from` submitted it again, and gets the answer.
  bool again(const Fingerprint& print, ConnectionId from);
  /// Pre: has_room(); it is not there yet.
  void add(const Fingerprint& print, const Submission& submission);
  /// Removes it.
  std::optional<Submission> take(const Fingerprint& print);
  /// Removes those for which `gone` holds, and visits them.
  template <class Gone, class F>
  void expire(Gone gone, F visit) {
    for (std::uint32_t at = 0; at < entries_.size(); ++at) {
      const Entry& e = entries_[at];
      if (!e.used || !gone(e.submission.valid)) continue;
      const Submission submission = e.submission;
      remove(at);
      visit(submission);
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
  void remove(std::uint32_t at);

  FingerprintIndex index_;  // handles: places in entries_
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;       // unused ones
  std::map<ClientId, std::size_t> held_;  // by each client
};

}  // namespace thresher::net
