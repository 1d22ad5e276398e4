// The traces of a cluster's nodes and clients, laid side by side: which stage takes how long.
//
//   CommitTraces traces(home, nodes);
//   processes.start(i, traces.verb(i));
//   traces.answered({client, sequence, position, node, sent_us, now_us});     // of the clients
//   auto table = traces.table(begin_us, end_us);           // when the nodes have ended
//
// Guarantees: every transaction while there are few, else every second, fourth, ... of them, at
// most kMost. A transaction of whom a node noted less than the whole way is counted, and left out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commit_path.hpp"
#include "thresher/core/result.hpp"

namespace thresher::cli {

/// Quantiles over transactions. Unit: milliseconds.
struct Spread {
  double p50 = 0, p99 = 0, mean = 0;
};

struct TraceTable {
  std::uint64_t transactions = 0;  ///< whose way is known
  std::uint64_t left_out = 0;
  Spread latency;
  Spread steps[kSteps];
  double blocks_p50 = 0, blocks_p99 = 0;  ///< in a row
  struct Use {
    std::string duty;
    double us = 0;     ///< of all nodes, since the first submission until the last answer
    double turns = 0;  ///< so many times
  };
  std::vector<Use> cpu;
};

class CommitTraces {
 public:
  static constexpr std::size_t kMost = 1u << 17;

  CommitTraces(std::string home, std::size_t nodes) : home_(std::move(home)), files_(nodes) {}

  /// The verb with which a node starts now: each start writes a file of its own.
  std::vector<std::string> verb(std::size_t node);
  void answered(const TracedTransaction& t);
  /// The error says what is wrong with a trace.
  Result<TraceTable, Error> table(std::uint64_t begin_us, std::uint64_t end_us) const;

 private:
  std::string home_;
  std::vector<std::vector<std::string>> files_;  // by node
  std::vector<TracedTransaction> transactions_;
  std::uint64_t seen_ = 0;
  std::uint64_t every_ = 1;
};

}  // namespace thresher::cli
