// A file that is written once, from its beginning to its end, with the hash of each MiB. Private to
// net/.
//
//   HashedFile file(descriptor);                      // which it closes
//   file.append(bytes); ... file.finish();            // in parts of any size
//   use(file.bytes(), file.chunks());
//
// Guarantees: after finish() all is durable; what was appended goes to the disk every few MiB, so
// that the log's own syncs do not wait for a gigabyte of it. Holds a few MiB, which are hashed
// beside each other. Errors are told by the system's errno.
#pragma once

#include <cstdint>
#include <vector>

#include "thresher/core/hash.hpp"

namespace thresher::net {

class HashedFile {
 public:
  static constexpr std::size_t kChunk = 1u << 20;  ///< bytes; the last one may be shorter

  explicit HashedFile(int descriptor) : file_(descriptor) {}
  ~HashedFile();
  HashedFile(const HashedFile&) = delete;
  HashedFile& operator=(const HashedFile&) = delete;

  /// False: the disk refused.
  bool append(ByteView bytes);
  bool finish();
  std::uint64_t bytes() const { return bytes_; }
  /// H of each chunk. Pre: it is finished.
  const std::vector<Digest>& chunks() const { return chunks_; }

 private:
  bool write_chunk();
  void hash_chunks();

  int file_;
  std::vector<std::byte> unhashed_;  // some MiB to be hashed beside each other
  std::size_t written_ = 0;          // of these
  std::uint64_t bytes_ = 0;
  std::uint64_t synced_ = 0;
  std::vector<Digest> chunks_;
};

/// The MiB of that number. Pre: there is one.
ByteView chunk_of(ByteView file, std::size_t index);
/// The hashes of its MiB.
std::vector<Digest> chunk_hashes(ByteView file);

}  // namespace thresher::net
