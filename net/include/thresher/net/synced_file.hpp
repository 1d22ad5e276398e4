// Files that are there, whole and under their name, when the call returns, whatever happens to the
// machine afterwards.
//
//   if (!write_synced(path, content)) return "cannot write '" + path + "'";
//
// Guarantees: after true the content and the name of the file survive a power cut. After false
// errno says why, and a part of the file may be there.
#pragma once

#include <string>

#include "thresher/core/bytes.hpp"

namespace thresher::net {

/// Mode of a new file: who may read it.
inline constexpr unsigned kForOwner = 0600;
inline constexpr unsigned kForAll = 0644;

/// Creates or overwrites.
bool write_synced(const std::string& path, ByteView content, unsigned mode = kForOwner);
/// Creates or replaces as a whole: whenever it is interrupted, the file is the old one or the new
/// one.
bool replace_synced(const std::string& path, ByteView content, unsigned mode = kForOwner);
/// Makes the names in a folder durable.
bool sync_folder(const std::string& folder);
/// The same of the folder that holds `path`.
bool sync_folder_of(const std::string& path);

}  // namespace thresher::net
