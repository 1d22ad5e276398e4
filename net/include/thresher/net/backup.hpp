// A copy of what a node has on its disk, of one that runs or does not.
//
//   auto copy = net::back_up(options_of_node0, "backup/node0");
//   if (!copy) return fail(copy.error());
//   std::cout << copy->length << " transactions\n";
//
// The copy is a folder `data` without the index, which a start makes again: the write-ahead log up
// to a place between two frames, each checked as it was read, the snapshots, and the evidence. It
// takes the place of a node's `data`. The secret key is not in it.
//
// Guarantees: what is copied is a state that the node had: a log without a hole, and with it a
// snapshot to start from where its front was pruned, read again from the copy before the call says
// so. The destination appears under its name when it is whole and durable; until then the copy
// grows in `DESTINATION.partial`, for one call at a time. The remains of an interrupted one are
// removed, and nothing that anybody else put there. Not guaranteed: that the key may sign with it.
// A node that has run since the copy was made has signed what the copy does not know; it starts
// with the copy as an observer alone, and says so (docs/operations.md).
#pragma once

#include <cstdint>
#include <string>

#include "thresher/core/error.hpp"
#include "thresher/net/node.hpp"

namespace thresher::net {

struct Backup {
  std::uint64_t slot = 0;    ///< of the last commit in it; 0: the log is empty
  std::uint64_t length = 0;  ///< transactions up to there; the last has the position before it
  std::uint64_t begins = 0;  ///< position of the first that was not pruned
  std::uint64_t bytes = 0;   ///< of the write-ahead log
  bool running = false;      ///< the node ran meanwhile
};

/// kExists: something is at `destination`. kBusy: another backup goes there. kUnsupported: the node
/// has a store of its own. Else the errors of load_genesis(), of reading the log, and of the disk;
/// `where` is the folder or file. Nothing is left at `destination` then.
Result<Backup, Error> back_up(const NodeOptions& options, const std::string& destination);

}  // namespace thresher::net
