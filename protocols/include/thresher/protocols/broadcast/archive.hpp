// Records that a broadcast erased from its working set and that its host still has on disk.
//
//   ChainedEcho node({.archive = &on_disk});                  // null: what is forgotten is gone
//   if (const auto value = archive->value(key)) ...
//
// A host that keeps everything that a protocol persisted, erased or not, can lend it to nodes that
// were away longer than memory reaches. Guarantees: what is returned was written by this protocol
// in its table kArchived under that key, and nothing newer was. Reads only: a protocol writes with
// Persist, as ever. Absent records are no error: a host may have begun later, or may be damaged.
#pragma once

#include <optional>

#include "thresher/core/bytes.hpp"

namespace thresher::broadcast {

class Archive {
 public:
  virtual ~Archive() = default;
  /// What was last written under `key`, whether it was erased since or not; empty: nothing.
  virtual std::optional<Bytes> value(const Bytes& key) const = 0;
  /// The body that was written with it. Dearer than value(): bodies are read from disk.
  virtual std::optional<Bytes> body(const Bytes& key) const = 0;
};

}  // namespace thresher::broadcast
