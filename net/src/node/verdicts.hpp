// What the protocol asks about signatures, until it has the verdicts. Private to net/.
//
//   Verdicts verdicts(keys, self, options, {answered, judged}, wake);
//   verdicts.ask(verify, from, crypto::Purpose::kQuorum);
//   while (engine.run() || verdicts.are_due()) verdicts.collect();
//   if (const auto at = verdicts.due_us()) alarm.set_at(*at);     // a batch that is still open
//
// Guarantees: every question has one verdict, under its ticket: that of a list comes with the last
// of its signatures. A sender that has too much waiting has what waits verified first, and delays
// nobody else (batcher.hpp). Does not know what was signed: the digest is the asker's.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "thresher/core/effects.hpp"
#include "thresher/crypto/batcher.hpp"
#include "thresher/crypto/list_checks.hpp"

namespace thresher::net {

class Verdicts {
 public:
  struct Options {
    crypto::BatcherOptions batches{};
    std::string accelerator{};  ///< empty: the processor alone
  };
  struct Hooks {
    /// Of each signature, before what follows from it.
    std::function<void(const crypto::VerifyAnswer&)> answered;
    std::function<void(const Ticket&, bool good)> judged;
    /// From another thread: the accelerator is done, and collect() is due on the node's.
    std::function<void()> wake;
  };

  /// `keys`: of the members, by id. A signature that nobody sent is the node's own, `self`'s.
  Verdicts(const std::vector<PublicKey>& keys, NodeId self, const Options& options, Hooks hooks);

  /// `from` sent it; empty: this node.
  void ask(const Verify& v, std::optional<NodeId> from, crypto::Purpose purpose);
  void ask(const VerifyAll& v, std::optional<NodeId> from, crypto::Purpose purpose);
  /// Verifies what is due, and tells it.
  void collect();
  /// When collect() has something to do; empty: nothing waits, or only for the accelerator.
  std::optional<std::uint64_t> due_us() const { return batcher_.due(); }
  bool are_due() const;
  crypto::BatcherFigures figures() const { return batcher_.figures(); }

 private:
  crypto::VerifyRequest request_of(const Ticket& ticket, const Digest& digest,
                                   std::optional<NodeId> from, crypto::Purpose purpose) const;
  void add(crypto::VerifyRequest request, NodeId signer, const Signature& signature);

  std::vector<PublicKey> keys_;
  NodeId self_;
  Hooks hooks_;
  crypto::Batcher batcher_;
  crypto::ListChecks lists_;  // whose signatures it verifies
};

}  // namespace thresher::net
