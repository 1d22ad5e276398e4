// Copies files of a node that may run meanwhile, durably. Private to net/.
//
//   const CopyEnd end = copy_file("data/wal", "copy/data/wal", 4096);
//   if (!end.good()) return end.why;
//
// Guarantees: what is good is on the disk, names and all, once the folder around it is synced too;
// nothing is overwritten. A failed call is told by its own error, and apart whether it was the
// node's side or the copy's: a running node may have removed what was copied, so another try may go
// well.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "thresher/core/error.hpp"

namespace thresher::net {

struct CopyEnd {
  enum class Kind : std::uint8_t {
    kGood,
    kAbsent,      ///< there is nothing to copy
    kUnreadable,  ///< the node's side
    kUnwritable,  ///< the copy's side
  };
  Kind kind = Kind::kGood;
  Error why{};  ///< with what to do; means nothing when good

  bool good() const { return kind == Kind::kGood; }
  bool good_or_absent() const { return good() || kind == Kind::kAbsent; }
};

inline constexpr std::uint64_t kWholeFile = std::numeric_limits<std::uint64_t>::max();

/// The first `size` bytes of a file, or all of it: a new file.
CopyEnd copy_file(const std::string& from, const std::string& to, std::uint64_t size = kWholeFile);
/// A folder with all in it, without what is unfinished (`.partial` of SnapshotFile, `.incoming` of
/// IncomingSnapshot) and what goes meanwhile: a new folder.
CopyEnd copy_folder(const std::string& from, const std::string& to);

/// What to say of a call that failed on the copy's side. `error`: as in errno.
Error cannot_write(const std::string& path, int error);

}  // namespace thresher::net
