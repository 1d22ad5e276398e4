// Replaces a small file as a whole. Private to net/.
//
//   if (!replace_file("node0/node.key.signed", bytes)) ...
//
// Guarantees: when it returns true, the new content survives a power cut; whenever it is
// interrupted, the file is the old one or the new one, never a mixture.
#pragma once

#include <string>

#include "thresher/core/bytes.hpp"

namespace thresher::net {

/// Readable by the owner alone. False: the disk refused, errno says why.
bool replace_file(const std::string& path, ByteView content);

}  // namespace thresher::net
