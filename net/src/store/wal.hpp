// The write-ahead log, to which every record of a node goes first, with its body. One write and one
// sync make a whole batch durable; the index over it may be lost and is made again.
//
//   WriteAheadLog wal;
//   wal.open(path, {}, [&](const WalFrame& frame) { ... });       // what is there from a place on
//   wal.append(batch, places);                                    // in memory
//   wal.flush(Sync::kYes);                                     // on the disk
//   wal.begin_at({begin, records});                               // the front is not needed more
//   wal.give_back(begin.offset);                                  // and goes
//
// A batch is a frame (wal_frame.hpp). Written past the page cache (O_DIRECT, whole blocks of 4 KiB;
// the last one is written again when more follows), into space that was reserved before. Where
// frames are small, space is filled with zeros first, so that a sync has no file-system journal to
// wait for: measured with 4 KiB on ext4, 33 us of CPU instead of 92, and half the time.
//
// Guarantees: frames come back in order and whole. A frame that the power cut off ends the log, and
// what is left of it is made zeros; a durable frame that is damaged is an error, never an end, as
// far as wal_frame.hpp says. One process at a time. Where the file is no longer at its path,
// nothing is written any more: the folder was moved, and new files would be in another one. Not
// guaranteed: that bodies are still what they were when read_body() reads them later; their readers
// know their digests.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/wal_scan.hpp"
#include "store/wal_segments.hpp"
#include "thresher/core/effects.hpp"
#include "thresher/core/error.hpp"
#include "thresher/core/storage.hpp"

namespace thresher::net {

class WriteAheadLog {
 public:
  WriteAheadLog() = default;
  ~WriteAheadLog();
  WriteAheadLog(const WriteAheadLog&) = delete;
  WriteAheadLog& operator=(const WriteAheadLog&) = delete;

  /// Opens or creates, for this process alone. `segment`: bytes after which a new file begins, a
  /// multiple of WalSegments::kUnit; 0: never. kBusy: another process has the log. Also the errors
  /// of WalScan.
  Result<Unit, Error> open(const std::string& path, std::uint64_t segment = 0);
  /// Visits every frame from `from` on, and makes the log ready for more. Pre: open() was good.
  Result<Unit, Error> recover(const WalPlace& from, const WalScan::Visit& visit);
  /// Adds a frame in memory. `places` gets where each body will lie, one for each record.
  void append(std::span<const Persist> batch, std::vector<BodyPlace>& places);
  /// The places that append() would give.
  std::vector<BodyPlace> places_of(std::span<const Persist> batch) const;
  /// Bytes that flush() has to write.
  std::size_t pending() const { return pending_; }
  /// Writes what was appended; with `sync`, all before is durable when it returns true. After
  /// false, problem() says why and nothing may be appended any more.
  bool flush(Sync sync);
  /// Writes the body again that was written at `place`, in its place, and syncs: a frame that was
  /// damaged there alone is whole again. Flushes what was appended. After false, problem() says why
  /// and nothing may be appended any more. Pre: the frame of the body was flushed.
  bool mend_body(const BodyPlace& place, ByteView body);
  /// In front of the first frame that is there. Pre: open() was good.
  const WalPlace& begin() const { return scan_.begin(); }
  /// The log begins at `base.begin` for readers that open it after this, and `base.records` have to
  /// be all that is still needed of what lies in front of it. From any thread. Nothing is lost by
  /// an error.
  Result<Unit, Error> begin_at(const WalBase& base);
  /// Removes the files that end before byte `before`. From any thread. Pre: begin_at() was told
  /// that the log begins there; nobody needs a body in front of it any more, and who reads the log
  /// from the front knows.
  Result<Unit, Error> give_back(std::uint64_t before);
  /// After the last frame that was appended.
  const WalPlace& end() const { return end_; }
  /// From any thread. Pre: the frame of the body was flushed.
  Result<Bytes> read_body(const BodyPlace& place) const;
  /// Pre: flush() or mend_body() gave false.
  const Error& problem() const { return *problem_; }
  /// Bytes of the file up to the end of the last frame that was flushed. From any thread.
  std::uint64_t written() const { return written_; }
  /// Synced writes so far.
  std::uint64_t syncs() const { return syncs_; }

 private:
  bool fails(const char* what, int error);
  bool in_place();
  Result<Unit, Error> create(const std::string& path);
  bool clear_behind();
  void put(const void* data, std::size_t size);
  bool reserve(std::uint64_t until);
  bool fill_ahead();
  bool write_zeros(std::uint64_t from, std::uint64_t until);

  std::string path_;
  int lock_ = -1;      // on the first file
  WalSegments files_;  // for writing, past the page cache where the file system can
  std::uint64_t segment_ = 0;
  WalScan scan_;
  std::uint64_t tag_ = 0;
  // Whole blocks from `base_` on: the last block that was written, if it is not full, then what
  // was appended since.
  BlockBuffer buffer_;
  std::size_t used_ = 0;
  std::size_t pending_ = 0;
  std::uint64_t base_ = 0;
  WalPlace end_;
  std::uint64_t durable_ = 0;              // everything before it is
  std::uint64_t filled_ = 0;               // space before it needs no journal when it is written
  std::uint64_t reserved_ = 0;             // the file's size
  bool unsynced_ = false;                  // something before `base_` was written without a sync
  std::atomic<std::uint64_t> written_{0};  // bytes of frames that were flushed
  std::optional<Error> problem_;
  std::atomic<std::uint64_t> syncs_{0};
};

}  // namespace thresher::net
