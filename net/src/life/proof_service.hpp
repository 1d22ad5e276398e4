// Proofs of positions of the log for clients, against the newest certificate: piece by piece, and
// within a share of the node's thread. Private to net/.
//
//   ProofService proofs(genesis, store, log, {newest, length, tell, &Loop::now_us});
//   if (!proofs.ask(link, position)) refuse();
//   if (const auto at = proofs.step()) call_at(*at);         // again and again until empty
//   proofs.leave(link);                                      // its link is down
//
// Guarantees: what is taken is told once, as a proof or as the reason why there is none, unless its
// link leaves before. A proof that was begun is ended against the certificate that was the newest
// then, however long it takes. Quotas and turns: proof_queue.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "life/kept_tree.hpp"
#include "life/proof_queue.hpp"
#include "thresher/core/error.hpp"
#include "thresher/net/genesis.hpp"

namespace thresher::net {

class ProofService {
 public:
  using Proof = Result<LogProof, Error>;
  struct Hooks {
    std::function<std::optional<Certificate>()> newest;  ///< certificate; empty: there is none
    std::function<std::uint64_t()> length;               ///< of the log
    std::function<void(const ProofQueue::Question&, const Proof&)> tell;
    std::function<std::uint64_t()> now_us;  ///< monotonic
  };

  /// Store and log live longer than this.
  ProofService(const Genesis& genesis, const NodeStore& store, const LogReader& log, Hooks hooks);

  /// False: too many of this link wait.
  bool ask(ConnectionId from, std::uint64_t position) { return queue_.ask(from, position); }
  void leave(ConnectionId link);
  /// The front of the log is about to go: what was begun begins again.
  void forget();
  /// What the share allows now. When to call again; empty: nobody waits. Unit: microseconds.
  std::optional<std::uint64_t> step();

 private:
  std::string unproved(std::uint64_t position, const std::optional<Certificate>& newest) const;
  std::optional<Proof> prove(std::uint64_t position, const Enough& enough);

  std::uint64_t every_;   // slots from one checkpoint to the next; 0: there are none
  std::uint32_t quorum_;  // signatures of a certificate
  const LogReader& log_;
  KeptTree tree_;
  Hooks hooks_;
  ProofQueue queue_;
  std::optional<Certificate> against_;  // of the proof that was begun
};

}  // namespace thresher::net
