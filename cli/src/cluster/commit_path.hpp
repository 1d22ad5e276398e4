// Where the time of one transaction went, from its client and back: the chain of blocks, each
// waiting for the one before, at whose end it was ordered.
//
//   if (const auto path = path_of(traces, transaction)) total += path->us[index_of(Step::kSync)];
//
// Guarantees: the steps of a path add up to the transaction's latency at its client. The chain is
// walked backwards: what made a node compose a block is taken to be the last block that it accepted
// before, of the round before or later. Empty: a node did not note all of it, as one that was
// killed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "node_trace.hpp"

namespace thresher::cli {

/// In the order of the way. From kHeld to kParents: once for each block of the chain.
enum class Step : std::uint8_t {
  kToNode,
  kPool,
  kBlock,
  kSign,
  kWriterWakes,
  kSync,
  kLoopWakes,
  kSend,
  kLink,
  kVerify,
  kParents,
  kHeld,
  kOrder,
  kOwnDisk,
  kApply,
  kToClient
};

struct StepName {
  const char* name;
  const char* what;
};
inline constexpr StepName kStepNames[] = {
    {"to node", "from the client's send until its node took it"},
    {"pool", "until the node gave it to the protocol"},
    {"block", "until the node composed a block with it"},
    {"sign", "signing blocks"},
    {"writer wakes", "until the writer's thread began to write them"},
    {"sync", "writing and syncing them"},
    {"loop wakes", "until the node's thread learned of it"},
    {"send", "encrypting, and the system calls"},
    {"link", "until the peer's thread read them"},
    {"verify", "until their signatures were verified"},
    {"parents", "until what they refer to was there"},
    {"held", "until the peer composed its next block"},
    {"order", "from the last block until it was ordered"},
    {"own disk", "of it, until an own block was durable"},
    {"apply", "until it was applied and answered"},
    {"to client", "until the client had the answer"}};
inline constexpr std::size_t kSteps = std::size(kStepNames);

struct TracedTransaction {
  std::uint64_t client = 0;  ///< the beginning of its id
  std::uint64_t sequence = 0;
  std::uint64_t position = 0;
  std::size_t node = 0;  ///< that answered
  std::uint64_t sent_us = 0, answered_us = 0;
};

struct CommitPath {
  std::array<std::uint64_t, kSteps> us{};
  std::uint64_t blocks = 0;  ///< in a row
};

std::optional<CommitPath> path_of(const std::vector<NodeTrace>& nodes, const TracedTransaction& t);

}  // namespace thresher::cli
