// The node's figures over HTTP on loopback: /metrics (Prometheus text), /healthz, /readyz.
// Private to net/.
//
//   Metrics metrics;
//   std::string problem = metrics.listen("127.0.0.1:9464");
//   metrics.update({...});                        // on the node's thread, a few times a second
//
// Guarantees: only loopback addresses; updates take no lock that a slow reader holds. /healthz
// answers 200 while the node's thread is alive (updated in the last 10 s), /readyz while it is also
// level with the others.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace thresher::net {

/// One sample. Counters count from the start of the process.
struct Sample {
  std::uint64_t log_length = 0;
  std::uint64_t round = 0;
  std::uint64_t slot = 0;
  std::uint64_t frontier = 0;  ///< a round that others have reached
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
  bool ready = false;
};

class Metrics {
 public:
  Metrics();
  ~Metrics();
  /// Empty, or what is wrong and what to do.
  std::string listen(const std::string& address);
  void update(const Sample& sample);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace thresher::net
