// Memory and reads for the write-ahead log past the page cache. Private to net/.
//
//   WalWindow window;
//   window.open(path);                               // of the first file
//   window.read(data, size, at, written);
//
// A node that serves its log reads each part once. Measured with 300 MB, cold: through the page
// cache 1.4 to 2.6 ms of CPU a MB (each fresh page is a fault in the host of a virtual machine),
// past it in pieces of 1 MiB 0.1 ms, and a third of the time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>

#include "store/wal_segments.hpp"

namespace thresher::net {

/// Memory that such reads and writes need: whole blocks, at addresses of whole blocks.
class BlockBuffer {
 public:
  static constexpr std::size_t kBlock = 4096;
  static constexpr std::uint64_t down(std::uint64_t offset) { return offset / kBlock * kBlock; }
  static constexpr std::uint64_t up(std::uint64_t offset) { return down(offset + kBlock - 1); }

  /// Makes it at least so large; the first `keep` bytes stay.
  void grow(std::size_t capacity, std::size_t keep);
  /// Gives back what is more than `keep` bytes need.
  void shrink(std::size_t keep);
  std::byte* data() { return memory_.get(); }
  std::size_t capacity() const { return capacity_; }

 private:
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  void resize(std::size_t capacity, std::size_t keep);

  std::unique_ptr<std::byte[], Free> memory_;
  std::size_t capacity_ = 0;
};

/// Opens a file past the page cache where its file system has such a way with blocks of
/// BlockBuffer::kBlock, through the page cache elsewhere. -1 leaves why in errno.
int open_past_cache(const std::string& path, int flags);

/// Guarantees: any place and size, from any thread; what was not written when it was read is read
/// again. Holds the pieces of 1 MiB that were read last: blocks lie near each other in the order in
/// which they came, the log asks for them in the order in which they were committed.
class WalWindow {
 public:
  WalWindow() = default;
  WalWindow(const WalWindow&) = delete;
  WalWindow& operator=(const WalWindow&) = delete;

  /// False leaves why in errno.
  bool open(const std::string& path);
  /// Bytes of the log when it was opened.
  std::uint64_t size() const { return files_.size(); }
  /// The file that has the byte, or the last one before it.
  std::string file_at(std::uint64_t at) const { return files_.file_at(at); }
  /// The file that would follow that one; empty: that one was cut, or given back.
  std::string file_behind(std::uint64_t at) const { return files_.file_behind(at); }
  /// `written`: bytes of the file that will not change. False leaves why in errno, 0 where the file
  /// ends before.
  bool read(std::byte* data, std::size_t size, std::uint64_t at, std::uint64_t written);
  /// Everything is read anew from here on.
  void forget();

 private:
  struct Piece {
    BlockBuffer buffer;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;   // of what is there and will not change
    std::uint64_t used = 0;  // when it was
  };
  Piece* piece_at(std::uint64_t at, std::uint64_t until, std::uint64_t written);

  std::mutex mutex_;
  WalSegments files_;
  std::array<Piece, 4> pieces_;
  std::uint64_t clock_ = 0;
};

}  // namespace thresher::net
