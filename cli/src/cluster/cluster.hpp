// A cluster of real processes on loopback, a load, faults, and what was measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commit_traces.hpp"
#include "wan_delays.hpp"

namespace thresher::cli {

struct ClusterEvent {
  std::size_t node = 0;
  std::uint64_t at_us = 0;  ///< from the first submission
  bool restart = false;
};

struct ClusterOptions {
  std::uint64_t nodes = 4;
  std::string protocol = "thresher";
  std::vector<std::string> set;  ///< NAME=VALUE: parameters of the protocol
  std::uint64_t duration_us = 20'000'000;
  std::vector<std::string> lines;  ///< transactions; empty: generated ones for the duration
  bool from_file = false;
  double rate = 0;               ///< transactions a second in total; 0: as fast as they commit
  std::uint64_t window = 16384;  ///< transactions in flight in total
  std::uint64_t clients = 4;
  std::uint64_t tx_bytes = 512;
  std::vector<ClusterEvent> events;
  bool memory = false;         ///< store in memory instead of RocksDB
  std::uint64_t threads = 1;   ///< NodeOptions::threads of each node
  std::uint64_t delay_us = 0;  ///< added to every frame between nodes
  WanDelays wan{};             ///< in place of delay_us, if it has delays
  std::string home;
  std::string history;  ///< a file: clients of a key-value store, and what they did goes there
  bool replica_gets = false;  ///< their gets are not transactions
  bool trace = false;         ///< nodes note when each stage of a commit was reached
  bool live = false;
};

/// How signatures were verified; a call is a batch of them.
struct VerifyCalls {
  double per_round = 0;
  double certificates_per_round = 0;
  double signatures_per_call = 0;
};

struct ClusterReport {
  std::string problem;       ///< not empty: the run failed, and why
  bool agreement = false;    ///< all nodes that are up hold the same log and state
  std::uint64_t others = 0;  ///< transactions in it that nobody here was told of
  bool stalled = false;
  bool interrupted = false;  ///< by SIGINT or SIGTERM
  std::uint64_t committed = 0;
  double seconds = 0;
  double tx_per_s = 0;
  double p50_ms = 0, p90_ms = 0, p99_ms = 0, max_ms = 0;
  double cpu_us_per_tx = 0;
  double bytes_per_payload_byte = 0;
  double longest_gap_ms = 0;
  double cpu_share = 0;     ///< of all cores of this machine, from 0 to 1, until all was quiet
  double catch_up_ms = -1;  ///< negative: nothing was restarted
  std::uint64_t syncs = 0;
  std::optional<VerifyCalls> calls;  ///< of the nodes that were never stopped, if any were not
  std::string log_hash, state_hash;
  std::vector<std::uint64_t> killed;
  std::optional<TraceTable> trace;  ///< where it was asked for
};

ClusterReport run_cluster(const ClusterOptions& options);
/// The same in a new folder of its own; what a bad run left behind stays there, as evidence. What
/// an interrupted one left goes. `options.home` is set to it.
ClusterReport run_temporary_cluster(ClusterOptions& options);

/// What held the throughput where it was, in a sentence.
std::string why_not_faster(const ClusterOptions& options, const ClusterReport& report);

}  // namespace thresher::cli
