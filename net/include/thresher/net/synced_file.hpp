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

/// Creates (0600) or overwrites.
bool write_synced(const std::string& path, ByteView content);
/// Makes the names in a folder durable.
bool sync_folder(const std::string& folder);
/// The same of the folder that holds `path`.
bool sync_folder_of(const std::string& path);

}  // namespace thresher::net
