// The write-ahead log: one file to which every record of a node goes first, with its body. One
// write and one sync make a whole batch durable; the index over it may be lost and is made again.
//
//   WriteAheadLog wal;
//   wal.open(path, {}, [&](const WalFrame& frame) { ... });       // what is there from a place on
//   wal.append(batch, places);                                    // in memory
//   wal.flush(/*sync=*/true);                                     // on the disk
//
// A batch is a frame: a header with its size, its place in the order, the checksum of the frame
// before and its own, then the records. Written past the page cache (O_DIRECT, whole blocks of
// 4 KiB; the last one is written again when more follows), into space that was reserved before.
// Where frames are small, space is filled with zeros first, so that a sync has no file-system
// journal to wait for: measured with 4 KiB on ext4, 33 us of CPU instead of 92, and half the time.
//
// Guarantees: frames come back in order and whole. A frame that the power cut off ends the log; a
// frame that was durable and is damaged is an error, never an end.
// Not guaranteed: that bodies are still what they were when read_body() reads them later; their
// readers know their digests.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "thresher/core/effects.hpp"
#include "thresher/core/result.hpp"
#include "thresher/net/node_store.hpp"
#include "wal_window.hpp"

namespace thresher::net {

/// A place between two frames.
struct WalPlace {
  std::uint64_t offset = 0;    // bytes from the start of the file
  std::uint64_t sequence = 0;  // records before it
  std::uint32_t chain = 0;     // checksum of the header of the frame before
};

/// A record as it lies in the log.
struct WalRecord {
  std::uint32_t table = 0;
  ByteView key;
  ByteView value;
  BodyPlace body;
};

struct WalFrame {
  std::uint64_t sequence = 0;  // of its first record
  std::vector<WalRecord> records;
  WalPlace end;
};

class WriteAheadLog {
 public:
  WriteAheadLog() = default;
  ~WriteAheadLog();
  WriteAheadLog(const WriteAheadLog&) = delete;
  WriteAheadLog& operator=(const WriteAheadLog&) = delete;

  /// Opens or creates, and visits every frame from `from` on; the views live as long as the call.
  /// A visit that returns false ends it. The error says what, where and what to do; empty: none.
  std::string open(const std::string& path, const WalPlace& from,
                   const std::function<bool(const WalFrame&)>& visit);
  /// Adds a frame in memory. `places` gets where each body will lie, one for each record.
  void append(std::span<const Persist> batch, std::vector<BodyPlace>& places);
  /// The places that append() would give.
  std::vector<BodyPlace> places_of(std::span<const Persist> batch) const;
  /// Bytes that flush() has to write.
  std::size_t pending() const { return pending_; }
  /// Writes what was appended; with `sync`, all before is durable when it returns true. After
  /// false, problem() says why and nothing may be appended any more.
  bool flush(bool sync);
  /// After the last frame that was appended.
  const WalPlace& end() const { return end_; }
  /// From any thread. Pre: the frame of the body was flushed.
  Result<Bytes> read_body(const BodyPlace& place) const;
  const std::string& problem() const { return problem_; }
  /// Synced writes so far.
  std::uint64_t syncs() const { return syncs_; }

 private:
  bool fails(const char* what, int error);
  std::string recover(const std::string& path, const WalPlace& from,
                      const std::function<bool(const WalFrame&)>& visit);
  bool damaged_at(std::uint64_t offset) const;
  bool read_all(std::byte* data, std::size_t size, std::uint64_t at) const;
  void put(const void* data, std::size_t size);
  bool reserve(std::uint64_t until);
  bool fill_ahead();
  bool write_blocks(const std::byte* data, std::size_t size, std::uint64_t at, bool sync);

  int file_ = -1;  // for writing, past the page cache where the file system can
  mutable WalWindow window_;
  // Whole blocks from `base_` on: the last block that was written, if it is not full, then what
  // was appended since.
  BlockBuffer buffer_;
  std::size_t used_ = 0;
  std::size_t pending_ = 0;
  std::uint64_t base_ = 0;
  WalPlace end_;
  std::uint64_t durable_ = 0;   // everything before it is
  std::uint64_t filled_ = 0;    // space before it needs no journal when it is written
  std::uint64_t reserved_ = 0;  // the file's size
  bool unsynced_ = false;       // something before `base_` was written without a sync
  // Bytes of frames that were flushed; while the log is opened it is what was there before.
  std::atomic<std::uint64_t> written_{~std::uint64_t{0}};
  std::string problem_;
  std::atomic<std::uint64_t> syncs_{0};
};

}  // namespace thresher::net
