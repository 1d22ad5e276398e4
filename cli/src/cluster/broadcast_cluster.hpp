// Broadcast channels in processes of their own on loopback, a load, and what was measured.
//
//   BroadcastReport r = run_broadcasts({.nodes = 4, .protocol = "chained-echo", ...});
//   if (!r.problem.empty()) return fail(r.problem);
//
// Guarantees: every process that is up at the end delivers all that any of them did before they are
// compared, or the report's problem says who lacks what. One that was away, or so slow, that the
// others forgot what it lacks may lack what it said that it missed, and has the last payload of
// each node. How much that is is counted. `agreement` is that of the payloads by origin and number,
// those of killed processes included. No process outlives the call. Pre: this process has one
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cluster.hpp"

namespace thresher::cli {

struct BroadcastOptions {
  std::uint64_t nodes = 4;
  std::string protocol = "bracha";
  std::uint64_t duration_us = 20'000'000;
  std::uint64_t payload_bytes = 512;
  std::uint64_t window = 64;           ///< payloads of a node on the way
  std::string home;                    ///< records lie in folders here; empty: in memory
  std::vector<ClusterEvent> events{};  ///< in the order of time; restarts need a home
};

struct BroadcastReport {
  std::string problem;       ///< not empty: the run failed, and why
  bool stalled = false;      ///< the problem is that nothing was delivered any more
  bool interrupted = false;  ///< by SIGINT or SIGTERM
  bool agreement = false;
  std::uint64_t delivered = 0;        ///< at each node that missed nothing
  double seconds = 0;                 ///< of the load
  double deliveries_per_s = 0;        ///< at each node
  double p50_ms = 0, p99_ms = 0;      ///< from sending to the sender's own delivery
  double bytes_per_payload_byte = 0;  ///< sent by those up at the end, for a byte broadcast
  double cpu_us_per_delivery = 0;     ///< of all processes, for a delivery at one node
  double cpu_ms_per_mib = 0;          ///< of all processes, for a MiB delivered at one node
  std::uint64_t syncs = 0;
  std::uint64_t missed = 0;  ///< by all processes that are up at the end, together
};

BroadcastReport run_broadcasts(const BroadcastOptions& options);

}  // namespace thresher::cli
