// The files of one write-ahead log as one row of bytes, so that its front can be given back to the
// disk. Private to net/.
//
//   WalSegments files;
//   files.open("data/wal", O_RDWR | O_CREAT);
//   files.grow(16u << 20, /*segment=*/64u << 20);     // in front of writes
//   files.write(block, 4096, files.size() - 4096, /*sync=*/true);
//   files.release(begin);                             // what ends before it is gone
//
// The first file is `wal`; each other one is `wal.<offset>`, the place in the row at which it
// begins, and a file ends where the next one begins. Without segments the log is one file, as it
// was before there were any: offsets mean the same in both.
//
// Guarantees: any place from any thread; one thread writes, grows and syncs. sync() makes durable
// what was written before, whichever files it is in; a new file has a durable name before it is
// written to. Whole blocks past the page cache, as BlockBuffer has them. The first file keeps its
// first block for ever, which names the log, and is the one that is locked.
// Not guaranteed: that what release() left is still there; readers of it get an error.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace thresher::net {

class WalSegments {
 public:
  /// A file of the log begins at a multiple of this: a piece that is read lies in one file. Unit:
  /// bytes.
  static constexpr std::uint64_t kUnit = 1u << 20;

  WalSegments() = default;
  ~WalSegments();
  WalSegments(const WalSegments&) = delete;
  WalSegments& operator=(const WalSegments&) = delete;

  /// `flags` of the files. False leaves why in errno.
  bool open(const std::string& path, int flags);
  /// The path of the file that has the byte, or of the last one that begins before it.
  std::string file_at(std::uint64_t at) const;
  /// The path of the file that would begin where that one ends on the disk. Empty: it ends where
  /// none begins, having been cut, or given back but for its first block.
  std::string file_behind(std::uint64_t at) const;
  /// Where the last file ends.
  std::uint64_t size() const;
  /// Bytes from there on, of one file alone; 0: the row ends before, or was given back. -1 leaves
  /// why in errno.
  ssize_t read(void* data, std::size_t size, std::uint64_t at);
  /// False leaves why in errno. `sync`: durable when it returns.
  bool write(const std::byte* data, std::size_t size, std::uint64_t at, bool sync);
  /// Reserves space behind the end, in a new file when the last one has reached `segment` bytes; 0:
  /// it never has. False leaves why in errno. Pre: both are multiples of kUnit.
  bool grow(std::uint64_t by, std::uint64_t segment);
  /// False leaves why in errno.
  bool sync();
  /// Gives every file back that ends at `until` or before; of the first one its first block stays.
  /// From any thread. False leaves why in errno. Pre: nobody writes there any more.
  bool release(std::uint64_t until);

 private:
  struct Segment {
    std::uint64_t begin = 0;
    int file = -1;           // -1: closed
    bool dirty = false;      // written to without a sync
    std::uint64_t used = 0;  // when it was
  };
  std::string path_of(std::uint64_t begin) const;
  bool list();
  Segment* find(std::uint64_t at);
  bool opened(Segment& segment);
  bool begin_file(std::uint64_t at);
  std::uint64_t size_of(Segment& segment);

  mutable std::mutex mutex_;
  std::string path_;
  int flags_ = 0;
  std::vector<Segment> segments_;  // rising
  std::uint64_t size_ = 0;
  std::uint64_t clock_ = 0;
};

}  // namespace thresher::net
