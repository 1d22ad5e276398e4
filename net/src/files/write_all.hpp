// All bytes into a file, however few a call takes. Private to net/.
//
//   if (const int error = write_all(file, bytes)) return cannot_write(path, error);
//
// Guarantees: 0 only when the system took every byte; else why not, as in errno, which a full disk
// says only at the call after the one that took a part. Does not sync.
#pragma once

#include <unistd.h>

#include <cerrno>

#include "thresher/core/bytes.hpp"

namespace thresher::net {

inline int write_all(int file, ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) return EIO;  // no file does this; asking again would have no end
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return 0;
}

}  // namespace thresher::net
