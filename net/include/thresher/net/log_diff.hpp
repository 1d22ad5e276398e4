// Two nodes' folders held against each other: where their logs, their applications' results and
// their states part.
//
//   auto diff = net::diff_logs(options_of_node0, options_of_node1);
//   if (diff && diff->result) std::cout << "position " << diff->result->position << "\n";
//
// Guarantees: reads what lies on the disks of nodes that do not run, changes nothing, and compares
// as far as both have come. Results and states are compared where both nodes computed a checkpoint
// or a whole chunk of the tree; a ledger without checkpoints has none to compare.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "thresher/core/error.hpp"
#include "thresher/core/ids.hpp"
#include "thresher/net/node.hpp"

namespace thresher::net {

/// Two values of what should be one.
struct Differing {
  Digest first{};
  Digest second{};
};

struct LogDiff {
  std::uint64_t first_length = 0;   ///< transactions in the first log
  std::uint64_t second_length = 0;  ///< and in the second
  std::uint64_t same_length = 0;    ///< up to here the logs are the same
  /// The first slot at which they are not, and the log hashes there; empty: one is the beginning of
  /// the other.
  struct Slot : Differing {
    Round slot;
  };
  std::optional<Slot> log;
  /// The first position whose result differs, below same_length.
  struct Result : Differing {
    std::uint64_t position = 0;
  };
  std::optional<Result> result;
  std::uint64_t results_compared = 0;  ///< positions
  /// The first checkpoint with another state, where the logs are the same.
  struct State : Differing {
    Round slot;
    std::uint64_t length = 0;
  };
  std::optional<State> state;
  std::uint64_t states_compared = 0;  ///< checkpoints
};

/// Errors: those of load_genesis() and of reading a log at rest, as read_log() has them; kMismatch:
/// the two are of different networks.
thresher::Result<LogDiff, Error> diff_logs(const NodeOptions& first, const NodeOptions& second);

}  // namespace thresher::net
