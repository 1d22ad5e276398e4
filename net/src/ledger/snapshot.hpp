// A node's snapshot: the application's state and the ledger's, so that a restart need not replay
// the whole log. Private to net/.
//
//   save_snapshot(folder, {encode(own_state()), *app.snapshot(), app.state()});
//   if (auto s = load_snapshot(folder)) ...
//
// Guarantees: written beside and renamed, so a crash leaves the old one or the new one; a damaged
// one is not returned (the log has everything).
#pragma once

#include <optional>
#include <string>

#include "thresher/core/bytes.hpp"
#include "thresher/core/hash.hpp"

namespace thresher::net {

struct Snapshot {
  Bytes own;  ///< of the node: ledger and tree
  Bytes app;
  Digest state{};  ///< of the application
};

/// One that was read back.
struct StopSnapshot {
  Bytes file;
  ByteView own;  ///< of it, as the next one
  ByteView app;
  Digest state{};
};

/// Empty, or why it could not be written.
std::string save_snapshot(const std::string& folder, const Snapshot& snapshot);
std::optional<StopSnapshot> load_snapshot(const std::string& folder);

}  // namespace thresher::net
