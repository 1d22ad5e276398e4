// The node's figures over HTTP on loopback: /metrics (Prometheus text), /healthz, /readyz.
// Private to net/.
//
//   Metrics metrics(n, NodeId{2});
//   auto listens = metrics.listen("127.0.0.1:9464");   // before the log is read
//   metrics.starting("reads its log: slot 7");
//   metrics.update({...});                        // on the node's thread, a few times a second
//
// Guarantees: only loopback addresses; nobody who connects and says nothing keeps others from an
// answer; updates take no lock that a slow reader holds. /healthz answers 200 while the node starts
// and, from the first update on, while its thread is alive (updated in the last 10 s); /readyz
// while the node is also level with the others, else 503 with the reason.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "thresher/net/client.hpp"

namespace thresher::net {

/// One sample. Counters count from the start of the process.
struct Sample {
  std::uint64_t log_length = 0;
  std::uint64_t round = 0;
  std::uint64_t slot = 0;
  std::uint64_t frontier = 0;  ///< a round, or slot, that others have reached
  std::uint64_t behind = 0;    ///< how much of it this node has not decided
  std::uint64_t payload_bytes = 0;
  std::uint64_t node_bytes_sent = 0;
  std::uint64_t frames_dropped = 0;
  std::uint64_t syncs = 0;
  std::uint64_t pool_bytes = 0;
  std::uint64_t links_up = 0;
  std::uint64_t malformed = 0;
  std::uint64_t blocks_accepted = 0;
  std::uint64_t direct_commits = 0;
  std::uint64_t indirect_commits = 0;
  std::uint64_t skips = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t refused = 0;
  std::uint64_t equivocations = 0;
  std::uint64_t synced_commits = 0;
  std::uint64_t signatures = 0;
  std::uint64_t bad_signatures = 0;
  std::uint64_t verify_batches = 0;
  std::uint64_t certificate_calls = 0;
  std::uint64_t verified_wide = 0;
  std::uint64_t verify_retries = 0;
  std::uint64_t verify_waiting = 0;
  std::uint64_t verify_suspects = 0;
  std::uint64_t log_begins = 0;        ///< position of the first transaction that is kept
  std::uint64_t certified_slot = 0;    ///< of the newest certificate
  std::uint64_t snapshot_slot = 0;     ///< of the newest snapshot of this run, or restored by it
  std::uint64_t snapshots_differ = 0;  ///< 1: from those of f+1 peers, byte by byte
  std::uint64_t state_parts = 0;       ///< of the snapshot that comes from peers; 0: none does
  std::uint64_t state_parts_here = 0;
  std::string waits_for;          ///< why the node is not ready; empty: it is
  std::vector<PeerStatus> peers;  ///< of all other nodes, or of none: not taken this time
};

/// Where the time of a transaction goes, at the node that took it.
enum class Stage : std::uint8_t {
  kPool,   ///< until it is in a payload
  kOrder,  ///< until the payload is in a commit
  kApply,  ///< until the commit is applied and answered
};

class Metrics {
 public:
  /// For node `self` among `nodes`.
  Metrics(std::size_t nodes, NodeId self);
  ~Metrics();
  /// kMalformed: it is not an address of this machine alone. Also the system's errors. `where`: the
  /// address.
  Result<Unit, Error> listen(const std::string& address);
  /// What a node that does not run yet is doing, for /readyz.
  void starting(const std::string& what);
  void update(const Sample& sample);
  /// From any thread.
  void observe(Stage stage, std::uint64_t us);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace thresher::net
