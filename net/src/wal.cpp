#include "wal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "disk_problem.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/crypto/crc32c.hpp"
#include "thresher/net/node.hpp"
#include "thresher/net/synced_file.hpp"
#include "wal_frame.hpp"

namespace thresher::net {
namespace {

constexpr std::size_t kBlock = BlockBuffer::kBlock;
constexpr std::size_t kRecordHeader = 20;
constexpr std::uint64_t kReserve = 16u << 20;   // the file grows by this much
constexpr std::size_t kSmallWrite = 64u << 10;  // up to here space is filled ahead
constexpr std::size_t kFillAhead = 256u << 10;  // by this much at a time
constexpr std::size_t kKeepBuffer = 4u << 20;   // a larger buffer is given back

std::uint64_t up(std::uint64_t offset) {
  return BlockBuffer::up(offset);
}

std::size_t records_size(std::span<const Persist> batch) {
  std::size_t size = 0;
  for (const Persist& p : batch)
    size += kRecordHeader + p.key.size() + p.value.size() + p.body.size();
  return size;
}

}  // namespace

WriteAheadLog::~WriteAheadLog() {
  if (file_ >= 0) ::close(file_);
}

bool WriteAheadLog::fails(const char* what, int error) {
  problem_ = std::string(what) + ": " + disk_problem(error);
  return false;
}

std::string WriteAheadLog::open(const std::string& path) {
  file_ = open_past_cache(path, O_RDWR | O_CREAT);
  if (file_ < 0) return "cannot open '" + path + "': " + disk_problem(errno);
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return "cannot lock '" + path + "': " + disk_problem(errno);
    return "'" + path + "' is in use: " + std::string(kNodeRuns) + "; one key must never run twice";
  }
  if (std::string why = scan_.open(path); !why.empty()) return why;
  reserved_ = scan_.size();
  tag_ = scan_.tag();
  return tag_ == 0 ? create(path) : std::string();
}

// The head is durable before the first frame, and the file's name before both.
std::string WriteAheadLog::create(const std::string& path) {
  if (::getrandom(&tag_, sizeof tag_, 0) != static_cast<ssize_t>(sizeof tag_)) {
    return "cannot make '" + path + "': no random bytes: " + disk_problem(errno);
  }
  const auto head = encode_head(tag_);
  buffer_.grow(kBlock, 0);
  std::copy(head.begin(), head.end(), buffer_.data());
  if (!reserve(kFileHead) || !write_blocks(buffer_.data(), kBlock, 0, true) ||
      !sync_folder_of(path)) {
    return "cannot write '" + path + "': " + disk_problem(errno);
  }
  return scan_.open(path);
}

std::string WriteAheadLog::recover(const WalPlace& from, const WalScan::Visit& visit) {
  if (std::string why = scan_.read(from, visit); !why.empty()) return why;
  end_ = scan_.end();
  written_ = durable_ = filled_ = end_.offset;
  base_ = BlockBuffer::down(end_.offset);
  buffer_.grow(kBlock, 0);
  used_ = static_cast<std::size_t>(end_.offset - base_);
  if (!scan_.read_all(buffer_.data(), used_, base_, scan_.size()) || !clear_behind()) {
    return "cannot make the log ready for more: " +
           (problem_.empty() ? disk_problem(errno) : problem_);
  }
  // What was read behind the last frame is about to be written.
  scan_.forget();
  return {};
}

// What a cut left of an unfinished frame would look like damage of the next one.
bool WriteAheadLog::clear_behind() {
  if (scan_.zeros_from() <= end_.offset) return true;
  std::memset(buffer_.data() + used_, 0, kBlock - used_);
  if (used_ > 0 && !write_blocks(buffer_.data(), kBlock, base_, false)) {
    return fails("clearing what a cut left", errno);
  }
  if (!write_zeros(up(end_.offset), up(scan_.zeros_from())) || ::fdatasync(file_) != 0) {
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
    int done = ::fallocate(file_, 0, static_cast<off_t>(reserved_), static_cast<off_t>(kReserve));
    if (done != 0 && errno == EINTR) continue;
    // Where space cannot be reserved a full disk is met by the write instead.
    if (done != 0 && errno == EOPNOTSUPP) {
      done = ::ftruncate(file_, static_cast<off_t>(reserved_ + kReserve));
    }
    if (done != 0) return fails("reserving space for the write-ahead log", errno);
    reserved_ += kReserve;
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
    if (!write_blocks(zeros, part, from, false)) return false;
    from += part;
  }
  return true;
}

bool WriteAheadLog::write_blocks(const std::byte* data, std::size_t size, std::uint64_t at,
                                 bool sync) {
  while (size > 0) {
    iovec part{const_cast<std::byte*>(data), size};
    const ssize_t n = ::pwritev2(file_, &part, 1, static_cast<off_t>(at), sync ? RWF_DSYNC : 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data += n;
    size -= static_cast<std::size_t>(n);
    at += static_cast<std::uint64_t>(n);
  }
  return true;
}

bool WriteAheadLog::flush(bool sync) {
  if (pending_ > 0) {
    if (!reserve(up(end_.offset)) || !fill_ahead()) return false;
    const std::size_t whole = static_cast<std::size_t>(up(used_));
    std::memset(buffer_.data() + used_, 0, whole - used_);
    // A sync of this write alone is enough where nothing else waits for one.
    const bool alone = sync && !unsynced_;
    if (!write_blocks(buffer_.data(), whole, base_, alone)) {
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
  if (!sync) return true;
  if (std::exchange(unsynced_, false)) {
    if (::fdatasync(file_) != 0) return fails("syncing the write-ahead log", errno);
    ++syncs_;
  }
  durable_ = end_.offset;
  return true;
}

// The block at the end is held in memory and written again with what follows: it is mended there.
bool WriteAheadLog::mend_body(const BodyPlace& place, ByteView body) {
  if (!flush(false)) return false;
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
    if (!write_blocks(blocks.data(), size, from, false)) return fails("mending a body", errno);
  }
  if (place.offset + body.size() > base_) {
    const std::uint64_t begin = std::max(place.offset, base_);
    const ByteView part = body.subspan(static_cast<std::size_t>(begin - place.offset));
    std::copy(part.begin(), part.end(), buffer_.data() + (begin - base_));
    std::memset(buffer_.data() + used_, 0, kBlock - used_);
    if (!write_blocks(buffer_.data(), kBlock, base_, false)) return fails("mending a body", errno);
  }
  unsynced_ = true;
  scan_.forget();
  return flush(true);
}

Result<Bytes> WriteAheadLog::read_body(const BodyPlace& place) const {
  return scan_.read_body(place, written_);
}

}  // namespace thresher::net
