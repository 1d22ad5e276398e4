#include "store/wal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "files/disk_problem.hpp"
#include "store/wal_frame.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/crypto/crc32c.hpp"
#include "thresher/net/node.hpp"
#include "thresher/net/synced_file.hpp"

namespace thresher::net {
namespace {

constexpr std::size_t kBlock = BlockBuffer::kBlock;
constexpr std::size_t kRecordHeader = 20;
constexpr std::uint64_t kReserve = 16u << 20;   // the file grows by this much
constexpr std::size_t kSmallWrite = 64u << 10;  // up to here space is filled ahead
constexpr std::size_t kFillAhead = 256u << 10;  // by this much at a time
constexpr std::size_t kKeepBuffer = 16u << 20;  // a larger buffer is given back

std::uint64_t up(std::uint64_t offset) {
  return BlockBuffer::up(offset);
}

std::size_t records_size(std::span<const Persist> batch) {
  std::size_t size = 0;
  for (const Persist& p : batch)
    size += kRecordHeader + p.key.size() + p.value.size() + p.body.size();
  return size;
}

// Who looks at a log at rest holds the lock for a moment, and a node that starts then is not
// second.
bool locks(int file) {
  constexpr int kTries = 20;
  for (int k = 0; ::flock(file, LOCK_EX | LOCK_NB) != 0; ++k) {
    if (errno != EWOULDBLOCK || k == kTries) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

}  // namespace

WriteAheadLog::~WriteAheadLog() {
  if (lock_ >= 0) ::close(lock_);
}

bool WriteAheadLog::fails(const char* what, int error) {
  problem_ = disk_error(what, error, path_);
  return false;
}

Result<Unit, Error> WriteAheadLog::open(const std::string& path, std::uint64_t segment) {
  path_ = path;
  segment_ = segment;
  lock_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kForOwner);
  const auto refused = [&](const std::string& what) {
    return disk_error(what + " '" + path + "'", errno, path);
  };
  if (lock_ < 0) return refused("cannot open");
  if (!locks(lock_)) {
    if (errno != EWOULDBLOCK) return refused("cannot lock");
    return Error{ErrorCode::kBusy, "'" + path + "' is in use: " + std::string(kNodeRuns), path,
                 "one key must never run twice"};
  }
  if (!files_.open(path, O_RDWR)) return refused("cannot open");
  if (auto opened = scan_.open(path); !opened) return opened;
  reserved_ = scan_.size();
  tag_ = scan_.tag();
  if (tag_ == 0) return create(path);
  // A release that was interrupted leaves files behind.
  if (begin().frame == 0 || files_.release(begin().offset)) return Unit{};
  return refused("cannot remove what lies in front of the log");
}

// The head is durable before the first frame, and the file's name before both.
Result<Unit, Error> WriteAheadLog::create(const std::string& path) {
  if (::getrandom(&tag_, sizeof tag_, 0) != static_cast<ssize_t>(sizeof tag_)) {
    return disk_error("cannot make '" + path + "': no random bytes", errno, path);
  }
  const auto head = encode_head(tag_);
  buffer_.grow(kBlock, 0);
  std::copy(head.begin(), head.end(), buffer_.data());
  if (!reserve(kFileHead) || !files_.write(buffer_.data(), kBlock, 0, Sync::kYes) ||
      !sync_folder_of(path)) {
    return disk_error("cannot write '" + path + "'", errno, path);
  }
  return scan_.open(path);
}

Result<Unit, Error> WriteAheadLog::recover(const WalPlace& from, const WalScan::Visit& visit) {
  if (auto read = scan_.read(from, visit); !read) return read;
  end_ = scan_.end();
  written_ = durable_ = filled_ = end_.offset;
  base_ = BlockBuffer::down(end_.offset);
  buffer_.grow(kBlock, 0);
  used_ = static_cast<std::size_t>(end_.offset - base_);
  const std::string what = "cannot make the log ready for more";
  if (!scan_.read_all(buffer_.data(), used_, base_, scan_.size()))
    return disk_error(what, errno, path_);
  if (!clear_behind()) return because(what, path_, problem());
  // The bytes read behind the last frame are about to be overwritten.
  scan_.forget();
  return Unit{};
}

// The rest of an unfinished frame, left by a cut, would look like damage of the next one.
bool WriteAheadLog::clear_behind() {
  if (scan_.zeros_from() <= end_.offset) return true;
  std::memset(buffer_.data() + used_, 0, kBlock - used_);
  if (used_ > 0 && !files_.write(buffer_.data(), kBlock, base_, Sync::kNo)) {
    return fails("clearing what a cut left", errno);
  }
  if (!write_zeros(up(end_.offset), up(scan_.zeros_from())) || !files_.sync()) {
    return fails("clearing what a cut left", errno);
  }
  return true;
}

void WriteAheadLog::put(const void* data, std::size_t size) {
  if (size == 0) return;
  std::memcpy(buffer_.data() + used_, data, size);
  used_ += size;
}

std::vector<BodyPlace> WriteAheadLog::places_of(std::span<const Persist> batch) const {
  std::vector<BodyPlace> out;
  out.reserve(batch.size());
  std::uint64_t at = records_begin(base_ + used_, frame_size(records_size(batch)));
  for (const Persist& p : batch) {
    at += kRecordHeader + p.key.size() + p.value.size();
    out.push_back({at, static_cast<std::uint32_t>(p.body.size())});
    at += p.body.size();
  }
  return out;
}

void WriteAheadLog::append(std::span<const Persist> batch, std::vector<BodyPlace>& places) {
  const std::vector<BodyPlace> where = places_of(batch);
  places.insert(places.end(), where.begin(), where.end());
  const std::size_t size = frame_size(records_size(batch));
  const std::size_t start = used_;
  const std::uint64_t at = base_ + start;
  buffer_.grow(static_cast<std::size_t>(up(start + kFrameHeader + size)), start);
  const auto records = static_cast<std::size_t>(records_begin(start, size));
  used_ = records;
  for (const Persist& p : batch) {
    Writer head;
    head.u32(p.table).u32(static_cast<std::uint32_t>(p.key.size())).u64(p.value.size());
    head.u32(static_cast<std::uint32_t>(p.body.size()));
    put(head.view().data(), head.view().size());
    put(p.key.view().data(), p.key.size());
    put(p.value.view().data(), p.value.size());
    put(p.body.view().data(), p.body.size());
  }
  while (used_ % 8 != 0) buffer_.data()[used_++] = std::byte{0};
  const std::span<std::byte> sums(buffer_.data() + start + kFrameHeader, sums_size(size));
  write_sums({buffer_.data() + records, used_ - records}, base_ + records, sums);
  const FrameHeader header{
      end_.chain,          size, end_.sequence, durable_, static_cast<std::uint32_t>(batch.size()),
      crypto::crc32c(sums)};
  const auto raw = encode_header(tag_, header);
  std::memcpy(buffer_.data() + start, raw.data(), raw.size());
  std::memset(buffer_.data() + used_, 0xff, kMark);
  used_ += kMark;
  pending_ += used_ - start;
  end_ = {base_ + used_, end_.sequence + batch.size(), at, chain_of(raw)};
}

bool WriteAheadLog::reserve(std::uint64_t until) {
  while (reserved_ < until) {
    if (!files_.grow(segment_ == 0 ? kReserve : std::min(kReserve, segment_), segment_)) {
      return fails("reserving space for the write-ahead log", errno);
    }
    reserved_ = files_.size();
  }
  return true;
}

// Zeros in front of a small write. A large one pays for its journal entry itself, and would be
// written twice.
bool WriteAheadLog::fill_ahead() {
  const std::uint64_t until = up(end_.offset);
  if (until <= filled_) return true;
  if (pending_ > kSmallWrite) {
    filled_ = until;
    return true;
  }
  if (!reserve(until + kFillAhead)) return false;
  const std::uint64_t from = std::max(up(filled_), until - kBlock);
  if (!write_zeros(from, until + kFillAhead)) return fails("filling the write-ahead log", errno);
  filled_ = until + kFillAhead;
  return true;
}

bool WriteAheadLog::write_zeros(std::uint64_t from, std::uint64_t until) {
  alignas(kBlock) static std::byte zeros[kFillAhead + kBlock];
  while (from < until) {
    const std::size_t part =
        static_cast<std::size_t>(std::min<std::uint64_t>(sizeof zeros, until - from));
    if (!files_.write(zeros, part, from, Sync::kNo)) return false;
    from += part;
  }
  return true;
}

// If it was moved away or replaced while in use, the next start finds something else at its path.
bool WriteAheadLog::in_place() {
  struct stat held {};
  struct stat named {};
  if (::fstat(lock_, &held) != 0) return fails("looking at the write-ahead log", errno);
  const bool there = ::stat(path_.c_str(), &named) == 0;
  if (!there && errno != ENOENT && errno != ENOTDIR) return true;  // the write says what is wrong
  if (there && named.st_dev == held.st_dev && named.st_ino == held.st_ino) return true;
  problem_ = {ErrorCode::kMissing,
              "'" + path_ + "' is " + (there ? "another file than" : "not there any more, as") +
                  " when it was opened: the folder was moved, removed or replaced while it was in "
                  "use. Nothing more was written",
              path_, "put the folder back where it was before you start again"};
  return false;
}

bool WriteAheadLog::flush(Sync sync) {
  if ((pending_ > 0 || sync == Sync::kYes) && !in_place()) return false;
  if (pending_ > 0) {
    if (!reserve(up(end_.offset)) || !fill_ahead()) return false;
    const std::size_t whole = static_cast<std::size_t>(up(used_));
    std::memset(buffer_.data() + used_, 0, whole - used_);
    // A sync of this write alone is enough where nothing else waits for one.
    const bool alone = sync == Sync::kYes && !unsynced_;
    if (!files_.write(buffer_.data(), whole, base_, alone ? Sync::kYes : Sync::kNo)) {
      return fails("writing the write-ahead log", errno);
    }
    if (!alone) unsynced_ = true;
    if (alone) ++syncs_;
    const std::size_t kept = used_ % kBlock;
    std::memmove(buffer_.data(), buffer_.data() + (used_ - kept), kept);
    base_ += used_ - kept;
    used_ = kept;
    pending_ = 0;
    written_ = end_.offset;
    if (buffer_.capacity() > kKeepBuffer) buffer_.shrink(used_);
  }
  if (sync == Sync::kNo) return true;
  if (std::exchange(unsynced_, false)) {
    if (!files_.sync()) return fails("syncing the write-ahead log", errno);
    ++syncs_;
  }
  durable_ = end_.offset;
  return true;
}

// The block at the end is held in memory and written again with what follows: it is mended there.
bool WriteAheadLog::mend_body(const BodyPlace& place, ByteView body) {
  if (!flush(Sync::kNo)) return false;
  const std::uint64_t from = BlockBuffer::down(place.offset);
  const std::uint64_t until = std::min(up(place.offset + body.size()), base_);
  if (from < until) {
    const auto size = static_cast<std::size_t>(until - from);
    BlockBuffer blocks;
    blocks.grow(size, 0);
    if (!scan_.read_all(blocks.data(), size, from, written_)) {
      return fails("reading what is to be mended", errno);
    }
    const ByteView part = body.first(
        static_cast<std::size_t>(std::min<std::uint64_t>(body.size(), until - place.offset)));
    std::copy(part.begin(), part.end(), blocks.data() + (place.offset - from));
    if (!files_.write(blocks.data(), size, from, Sync::kNo)) return fails("mending a body", errno);
  }
  if (place.offset + body.size() > base_) {
    const std::uint64_t begin = std::max(place.offset, base_);
    const ByteView part = body.subspan(static_cast<std::size_t>(begin - place.offset));
    std::copy(part.begin(), part.end(), buffer_.data() + (begin - base_));
    std::memset(buffer_.data() + used_, 0, kBlock - used_);
    if (!files_.write(buffer_.data(), kBlock, base_, Sync::kNo))
      return fails("mending a body", errno);
  }
  unsynced_ = true;
  scan_.forget();
  return flush(Sync::kYes);
}

Result<Unit, Error> WriteAheadLog::begin_at(const WalBase& base) {
  const std::string path = path_ + ".base";
  if (save_base(path, tag_, base)) return Unit{};
  return disk_error("cannot write '" + path + "'", errno, path);
}

Result<Unit, Error> WriteAheadLog::give_back(std::uint64_t before) {
  if (files_.release(before)) return Unit{};
  return disk_error(
      "cannot remove what lies in front of byte " + std::to_string(before) + " of '" + path_ + "'",
      errno, path_);
}

Result<Bytes> WriteAheadLog::read_body(const BodyPlace& place) const {
  return scan_.read_body(place, written_);
}

}  // namespace thresher::net
